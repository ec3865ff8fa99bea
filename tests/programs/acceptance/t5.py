# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""T5-small from transformers' T5Config with random weights (seed 003 names t5.py).

    python t5.py --batch 4 --seq 128 --target 128
    python t5.py --generate 16 --mode fwd          # greedy decoding with a key/value cache

`--generate N` decodes exactly N tokens with a loop of our own, so that the work does not
depend on the values computed; `--library-loop` calls `model.generate` instead (the same
products, but its loop ends by reading a tensor, which needs a real GPU).
"""

import torch
import torch.nn.functional as F
from transformers import DynamicCache, EncoderDecoderCache
from transformers import T5Config, T5ForConditionalGeneration

import harness

BATCH = 4


class Generation(harness.Workload):
    """`forward` decodes `new_tokens` tokens instead of calling the model once."""

    new_tokens = 16
    library_loop = False

    def forward(self):
        if self.library_loop:
            return self.model.generate(
                **self.kwargs,
                do_sample=False,
                num_beams=1,
                min_new_tokens=self.new_tokens,
                max_new_tokens=self.new_tokens,
            )
        encoded = self.model.encoder(**self.kwargs)
        cache = EncoderDecoderCache(DynamicCache(), DynamicCache())
        token = torch.zeros_like(self.kwargs["input_ids"][:, :1])
        for _ in range(self.new_tokens):
            output = self.model(
                encoder_outputs=encoded,
                attention_mask=self.kwargs["attention_mask"],
                decoder_input_ids=token,
                past_key_values=cache,
                use_cache=True,
            )
            cache = output.past_key_values
            token = output.logits.argmax(-1)
        return output.logits


def arguments(parser) -> None:
    parser.add_argument("--seq", type=int, default=128)
    parser.add_argument("--target", type=int, default=128)
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--generate", type=int, default=0, metavar="TOKENS")
    parser.add_argument("--library-loop", action="store_true")
    parser.add_argument("--attention", choices=("eager", "sdpa"), default="eager")


def build(args) -> harness.Workload:
    config = T5Config(
        num_layers=args.layers,
        num_decoder_layers=args.layers,
        decoder_start_token_id=0,
        attn_implementation=args.attention,
    )
    model = T5ForConditionalGeneration(config).to(args.torch_dtype)
    tokens = torch.zeros(args.batch, args.seq, dtype=torch.long)
    mask = None if args.device == "meta" else torch.ones_like(tokens)
    if args.generate:
        work = Generation(model, kwargs={"input_ids": tokens, "attention_mask": mask})
        work.new_tokens = args.generate
        work.library_loop = args.library_loop
        return work
    target = torch.zeros(args.batch, args.target, dtype=torch.long)
    return harness.Workload(
        model,
        kwargs={
            "input_ids": tokens,
            "attention_mask": mask,
            "decoder_input_ids": target,
        },
        loss=lambda out: F.cross_entropy(
            out.logits.flatten(0, 1).float(), target.flatten()
        ),
    )


if __name__ == "__main__":
    harness.main(__file__, __doc__)

# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""A small Llama of transformers, with random weights, writes tokens with its own generate().

    generates.py NEW_TOKENS
"""

import sys

import torch
from transformers import LlamaConfig, LlamaForCausalLM

BATCH, PROMPT = 2, 5


def main() -> None:
    config = LlamaConfig(
        hidden_size=64, intermediate_size=96, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=2, vocab_size=128, max_position_embeddings=64, bos_token_id=1,
        eos_token_id=None, pad_token_id=0,
    )  # fmt: skip
    model = LlamaForCausalLM(config).cuda().eval()
    prompt = torch.ones(BATCH, PROMPT, dtype=torch.long, device="cuda")
    new = int(sys.argv[1])
    # Whether all sequences are finished is a value on the GPU, which the stand-in does not compute.
    left = iter(range(new))
    model._has_unfinished_sequences = lambda *args, **kwargs: next(left, None) is not None
    tokens = model.generate(prompt, max_new_tokens=new, min_new_tokens=new, do_sample=False)
    torch.cuda.synchronize()
    print(tuple(tokens.shape))


if __name__ == "__main__":
    main()

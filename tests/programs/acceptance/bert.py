# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""BERT from transformers' BertConfig with random weights.

    python bert.py --batch 4 --seq 128                           # 44.7 GMACs row, seed 003
    python bert.py --head classify --batch 4                     # the example program of seed 004
    python bert.py --size large --batch 80 --vocabulary 30528 \\
        --head pretrain --masked 1159                            # 3139.93 GMACs row, seed 004

`--masked N` runs the vocabulary projection on N gathered tokens only, as NVIDIA's
BERT does; the seed's 36.23 GMACs in the decoder mean 1159 tokens.
"""

import torch
import torch.nn.functional as F
from torch import nn
from transformers import BertConfig, BertForSequenceClassification, BertModel

import harness

BATCH = 4


class LMPredictionHead(nn.Module):
    """Transform every token, then project the masked ones with the tied embedding."""

    def __init__(self, hidden: int, vocabulary: int, embedding: nn.Embedding) -> None:
        super().__init__()
        self.transform = nn.Linear(hidden, hidden)
        self.LayerNorm = nn.LayerNorm(hidden)
        self.decoder = nn.Linear(hidden, vocabulary)
        self.decoder.weight = embedding.weight

    def forward(self, sequence: torch.Tensor, masked) -> torch.Tensor:
        hidden = self.LayerNorm(F.gelu(self.transform(sequence))).flatten(0, 1)
        return self.decoder(hidden if masked is None else hidden[masked])


class BertPreTrainingHeads(nn.Module):
    def __init__(self, config: BertConfig, embedding: nn.Embedding) -> None:
        super().__init__()
        self.predictions = LMPredictionHead(
            config.hidden_size, config.vocab_size, embedding
        )
        self.seq_relationship = nn.Linear(config.hidden_size, 2)

    def forward(self, sequence, pooled, masked):
        return self.predictions(sequence, masked), self.seq_relationship(pooled)


class BertForPreTraining(nn.Module):
    def __init__(self, config: BertConfig, masked) -> None:
        super().__init__()
        self.bert = BertModel(config)
        self.cls = BertPreTrainingHeads(config, self.bert.embeddings.word_embeddings)
        self.masked = masked

    def forward(self, input_ids, attention_mask):
        output = self.bert(input_ids, attention_mask=attention_mask)
        return self.cls(output.last_hidden_state, output.pooler_output, self.masked)


def arguments(parser) -> None:
    parser.add_argument("--size", choices=("base", "large"), default="base")
    parser.add_argument("--seq", type=int, default=128)
    parser.add_argument("--vocabulary", type=int, default=30522)
    parser.add_argument("--layers", type=int, default=0, help="0: as the size says")
    parser.add_argument(
        "--head", choices=("none", "classify", "pretrain"), default="none"
    )
    parser.add_argument("--masked", type=int, default=0, help="0: every token")
    parser.add_argument("--attention", choices=("eager", "sdpa"), default="eager")


def configuration(args) -> BertConfig:
    large = args.size == "large"
    hidden = 1024 if large else 768
    return BertConfig(
        vocab_size=args.vocabulary,
        hidden_size=hidden,
        num_hidden_layers=args.layers or (24 if large else 12),
        num_attention_heads=hidden // 64,
        intermediate_size=4 * hidden,
        attn_implementation=args.attention,
    )


def build(args) -> harness.Workload:
    config = configuration(args)
    masked = torch.arange(args.masked) if args.masked else None

    def loss(output) -> torch.Tensor:
        if args.head == "pretrain":
            return output[0].float().mean() + output[1].float().mean()
        if args.head == "classify":
            return output.logits.float().mean()
        return output.pooler_output.float().mean()

    if args.head == "pretrain":
        model = BertForPreTraining(config, masked)
    elif args.head == "classify":
        model = BertForSequenceClassification(config)
    else:
        model = BertModel(config)
    tokens = torch.zeros(args.batch, args.seq, dtype=torch.long)
    mask = None if args.device == "meta" else torch.ones_like(tokens)
    return harness.Workload(
        model.to(args.torch_dtype),
        kwargs={"input_ids": tokens, "attention_mask": mask},
        loss=loss,
    )


if __name__ == "__main__":
    harness.main(__file__, __doc__)

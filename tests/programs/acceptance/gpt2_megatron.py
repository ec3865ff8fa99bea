# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""GPT-2 laid out like Megatron-LM: fused QKV, baddbmm attention, tied logits.

    python gpt2_megatron.py                               # 4 layers, 38 890 496 parameters
    python gpt2_megatron.py --checkpoint                  # recomputes every layer in backward
    python gpt2_megatron.py --layers 12 --hidden 8192 --heads 32 --batch 4 --dtype fp16

The first is the 207.23 GMACs row of seed 002, the last the 41271.95 GMACs row of
seeds 003 and 004 (9.7 billion parameters; the micro batch is 4, not the printed 1024).
"""

import math

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint

import harness

BATCH = 8


class ParallelSelfAttention(nn.Module):
    def __init__(self, hidden: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.query_key_value = nn.Linear(hidden, 3 * hidden)
        self.attention_dropout = nn.Dropout(0.1)
        self.dense = nn.Linear(hidden, hidden)

    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        batch, length, hidden = x.shape
        size = hidden // self.heads
        qkv = self.query_key_value(x).view(batch, length, self.heads, 3 * size)
        query, key, value = (
            part.transpose(1, 2).reshape(batch * self.heads, length, size)
            for part in qkv.chunk(3, dim=-1)
        )
        scores = torch.baddbmm(
            mask.expand(batch * self.heads, length, length),
            query,
            key.transpose(1, 2),
            alpha=1.0 / math.sqrt(size),
        )
        weights = self.attention_dropout(torch.softmax(scores, dim=-1))
        context = torch.bmm(weights, value).view(batch, self.heads, length, size)
        return self.dense(context.transpose(1, 2).reshape(batch, length, hidden))


class ParallelMLP(nn.Module):
    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.dense_h_to_4h = nn.Linear(hidden, 4 * hidden)
        self.dense_4h_to_h = nn.Linear(4 * hidden, hidden)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.dense_4h_to_h(F.gelu(self.dense_h_to_4h(x)))


class ParallelTransformerLayer(nn.Module):
    def __init__(self, hidden: int, heads: int) -> None:
        super().__init__()
        self.input_layernorm = nn.LayerNorm(hidden)
        self.attention = ParallelSelfAttention(hidden, heads)
        self.post_attention_layernorm = nn.LayerNorm(hidden)
        self.mlp = ParallelMLP(hidden)

    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        x = x + self.attention(self.input_layernorm(x), mask)
        return x + self.mlp(self.post_attention_layernorm(x))


class ParallelTransformer(nn.Module):
    def __init__(self, layers: int, hidden: int, heads: int, recompute: bool) -> None:
        super().__init__()
        self.recompute = recompute
        self.layers = nn.ModuleList(
            ParallelTransformerLayer(hidden, heads) for _ in range(layers)
        )
        self.final_layernorm = nn.LayerNorm(hidden)

    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        for layer in self.layers:
            if self.recompute and torch.is_grad_enabled():
                x = checkpoint(layer, x, mask, use_reentrant=False)
            else:
                x = layer(x, mask)
        return self.final_layernorm(x)


class Embedding(nn.Module):
    def __init__(self, vocabulary: int, positions: int, hidden: int) -> None:
        super().__init__()
        self.word_embeddings = nn.Embedding(vocabulary, hidden)
        self.position_embeddings = nn.Embedding(positions, hidden)
        self.embedding_dropout = nn.Dropout(0.1)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        position = torch.arange(tokens.shape[1], device=tokens.device)
        return self.embedding_dropout(
            self.word_embeddings(tokens) + self.position_embeddings(position)
        )


class TransformerLanguageModel(nn.Module):
    def __init__(self, args) -> None:
        super().__init__()
        self.embedding = Embedding(args.vocabulary, args.seq, args.hidden)
        self.transformer = ParallelTransformer(
            args.layers, args.hidden, args.heads, args.checkpoint
        )

    def forward(self, tokens: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        return self.transformer(self.embedding(tokens), mask)


class GPT2Model(nn.Module):
    def __init__(self, args) -> None:
        super().__init__()
        self.language_model = TransformerLanguageModel(args)

    def forward(self, tokens: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        hidden = self.language_model(tokens, mask)
        return F.linear(hidden, self.language_model.embedding.word_embeddings.weight)


def arguments(parser) -> None:
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--hidden", type=int, default=512)
    parser.add_argument("--heads", type=int, default=16)
    parser.add_argument("--seq", type=int, default=1024)
    parser.add_argument("--vocabulary", type=int, default=50304)
    parser.add_argument("--checkpoint", action="store_true")


def build(args) -> harness.Workload:
    torch.set_default_dtype(args.torch_dtype)
    model = GPT2Model(args)
    mask = torch.full((1, args.seq, args.seq), -1e4).triu(1)
    torch.set_default_dtype(torch.float32)
    tokens = torch.zeros(args.batch, args.seq, dtype=torch.long)
    labels = torch.zeros(args.batch * args.seq, dtype=torch.long)
    return harness.Workload(
        model,
        (tokens, mask),
        loss=lambda out: F.cross_entropy(out.flatten(0, 1).float(), labels),
    )


if __name__ == "__main__":
    harness.main(__file__, __doc__)

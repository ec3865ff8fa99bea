# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""LoRA (peft) on the q and v projections of a small frozen decoder, then merge and evaluate.

Needs peft and transformers. --device cpu for a check without a GPU.
"""

import argparse

import torch
from peft import LoraConfig, get_peft_model
from torch import nn
from torch.nn import functional as F

VOCAB, WIDTH, HIDDEN, HEADS, BATCH, LENGTH, RANK = 64, 48, 96, 4, 2, 16, 4


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(4))

    def forward(self, x):
        b, s, _ = x.shape
        q, k, v = (p(x).view(b, s, HEADS, -1).transpose(1, 2) for p in (self.q, self.k, self.v))
        weights = torch.softmax(q @ k.transpose(-1, -2) / 4, dim=-1)
        return self.o((weights @ v).transpose(1, 2).reshape(b, s, WIDTH))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.attn = Attention()
        self.up, self.down = nn.Linear(WIDTH, HIDDEN), nn.Linear(HIDDEN, WIDTH)
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)

    def forward(self, x):
        x = x + self.attn(self.norm1(x))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(VOCAB, WIDTH)
        self.blocks = nn.ModuleList(Block() for _ in range(2))
        self.head = nn.Linear(WIDTH, VOCAB, bias=False)

    def forward(self, tokens):
        x = self.embed(tokens)
        for block in self.blocks:
            x = block(x)
        return self.head(x)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--device", default="cuda")
    options = parser.parse_args()
    torch.manual_seed(0)
    config = LoraConfig(r=RANK, lora_alpha=8, lora_dropout=0.0, target_modules=["q", "v"])
    model = get_peft_model(Decoder(), config).to(options.device)
    optimizer = torch.optim.AdamW((p for p in model.parameters() if p.requires_grad), lr=1e-3)
    tokens = torch.randint(0, VOCAB, (BATCH, LENGTH)).to(options.device)
    for step in range(options.steps):
        loss = F.cross_entropy(model(tokens).flatten(0, 1), tokens.flatten())
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        print("step", step)
    merged = model.merge_and_unload()
    with torch.no_grad():
        print("logits", tuple(merged(tokens).shape))


if __name__ == "__main__":
    main()

# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Denoising steps of a small conditioned UNet: guidance by a doubled batch, bf16 autocast,
channels_last, transposed convolution, cross-attention. A helper has replaced `forward` of the deep
half, so that it runs in every second step only; another part is called by its `forward`."""

import argparse
import functools

import torch
from torch import nn
from torch.nn import functional as F

BATCH, CHANNELS, WIDTH, SIZE, TEXT, TEXT_WIDTH, TIME = 2, 4, 16, 16, 6, 24, 32


class Residual(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.norm = nn.GroupNorm(2, inputs)
        self.conv1 = nn.Conv2d(inputs, outputs, 3, padding=1)
        self.time = nn.Linear(TIME, outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, padding=1)
        self.skip = nn.Conv2d(inputs, outputs, 1)

    def forward(self, x, t):
        h = self.conv1(F.silu(self.norm(x))) + self.time(t)[:, :, None, None]
        return self.conv2(F.silu(h)) + self.skip(x)


class CrossAttention(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.to_q = nn.Linear(width, width, bias=False)
        self.to_k, self.to_v = (nn.Linear(TEXT_WIDTH, width, bias=False) for _ in range(2))
        self.to_out = nn.Linear(width, width)

    def forward(self, x, text):
        b, c, h, w = x.shape
        y = x.flatten(2).transpose(1, 2)
        q, k, v = self.to_q(y), self.to_k(text), self.to_v(text)
        y = self.to_out(torch.softmax(q @ k.transpose(1, 2), dim=-1) @ v)
        return x + y.transpose(1, 2).reshape(b, c, h, w)


class Deep(nn.Module):
    def __init__(self):
        super().__init__()
        self.down = nn.Conv2d(WIDTH, 2 * WIDTH, 3, stride=2, padding=1)
        self.residual, self.attention = Residual(2 * WIDTH, 2 * WIDTH), CrossAttention(2 * WIDTH)
        self.up = nn.ConvTranspose2d(2 * WIDTH, WIDTH, 4, stride=2, padding=1)

    def forward(self, x, t, text):
        return self.up(self.attention(self.residual(self.down(x), t), text))


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv_in, self.time = nn.Conv2d(CHANNELS, WIDTH, 3, padding=1), nn.Linear(TIME, TIME)
        self.first, self.deep = Residual(WIDTH, WIDTH), Deep()
        self.last = Residual(2 * WIDTH, WIDTH)
        self.conv_out = nn.Conv2d(WIDTH, CHANNELS, 3, padding=1)

    def forward(self, x, t, text):
        t = F.silu(self.time(t))
        x = self.first(self.conv_in(x), t)
        x = torch.cat([x, self.deep(x, t, text)], dim=1)
        return self.conv_out.forward(self.last(x, t))


def keep_every_second(module):
    original, kept = module.forward, []

    @functools.wraps(original)
    def forward(*args):
        if forward.calls % 2 == 0:
            kept[:] = [original(*args)]
        forward.calls += 1
        return kept[0]

    forward.calls = 0
    module.forward = forward


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--device", default="cuda")
    options = parser.parse_args()
    device = options.device
    torch.manual_seed(0)
    unet = UNet().to(device, memory_format=torch.channels_last).eval()
    keep_every_second(unet.deep)
    x = torch.randn(BATCH, CHANNELS, SIZE, SIZE).to(device, memory_format=torch.channels_last)
    text = torch.randn(2 * BATCH, TEXT, TEXT_WIDTH).to(device)
    with torch.no_grad(), torch.autocast(device, dtype=torch.bfloat16):
        for step in range(options.steps):
            t = torch.full((2 * BATCH, TIME), step / 10).to(device)
            plain, guided = unet(torch.cat([x, x]), t, text).chunk(2)
            x = x - 0.1 * (plain + 3.0 * (guided - plain))
            print("step", step, tuple(x.shape))


if __name__ == "__main__":
    main()

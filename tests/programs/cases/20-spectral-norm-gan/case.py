# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""A GAN whose critic has spectral normalisation: each of its forwards in training makes one power
iteration (products with vectors). Two optimizers; the critic steps first."""

import argparse

import torch
from torch import nn
from torch.nn.utils.parametrizations import spectral_norm

ROWS, NOISE, WIDTH, DATA = 16, 12, 40, 24


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--device", default="cuda")
    options = parser.parse_args()
    device = options.device
    torch.manual_seed(0)
    generator = nn.Sequential(nn.Linear(NOISE, WIDTH), nn.ReLU(), nn.Linear(WIDTH, DATA))
    critic = nn.Sequential(
        spectral_norm(nn.Linear(DATA, WIDTH)), nn.ReLU(), spectral_norm(nn.Linear(WIDTH, 1))
    )
    generator, critic = generator.to(device), critic.to(device)
    for_critic = torch.optim.Adam(critic.parameters(), lr=1e-4)
    for_generator = torch.optim.Adam(generator.parameters(), lr=1e-4)
    real, noise = torch.randn(ROWS, DATA).to(device), torch.randn(ROWS, NOISE).to(device)
    for step in range(options.steps):
        for_critic.zero_grad()
        fake = generator(noise)
        (critic(fake.detach()) - critic(real)).mean().backward()
        for_critic.step()
        for_generator.zero_grad()
        (-critic(fake).mean()).backward()
        for_generator.step()
        print("step", step)


if __name__ == "__main__":
    main()

# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Two models, two optimizers and gradient accumulation in one step.

A step runs `--accumulate` micro batches of: discriminator on real and on detached fake
images (forward and backward), then generator through the discriminator.  In the last
pass the discriminator's weights are frozen: it has data gradients only.
"""

import torch
from torch import nn

import harness

BATCH = 8


def generator(latent: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Linear(latent, 64 * 4 * 4),
        nn.Unflatten(1, (64, 4, 4)),
        nn.ConvTranspose2d(64, 32, 4, stride=2, padding=1),
        nn.ReLU(),
        nn.ConvTranspose2d(32, 3, 4, stride=2, padding=1),
    )


def discriminator() -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(3, 32, 4, stride=2, padding=1),
        nn.LeakyReLU(0.2),
        nn.Conv2d(32, 64, 4, stride=2, padding=1),
        nn.Flatten(),
        nn.Linear(64 * 4 * 4, 1),
    )


class Pair(nn.Module):
    def __init__(self, latent: int) -> None:
        super().__init__()
        self.generator = generator(latent)
        self.discriminator = discriminator()

    def forward(self, noise: torch.Tensor, image: torch.Tensor) -> torch.Tensor:
        fake = self.generator(noise)
        return self.discriminator(image).mean() + self.discriminator(fake).mean()


class Adversarial(harness.Workload):
    accumulate = 2

    def make_optimizer(self) -> None:
        self.optimizers = [
            torch.optim.Adam(part.parameters(), lr=1e-4)
            for part in (self.model.generator, self.model.discriminator)
        ]

    def train_step(self) -> None:
        noise, image = self.inputs
        pair = self.model
        for optimizer in self.optimizers:
            optimizer.zero_grad(set_to_none=True)
        for _ in range(self.accumulate):
            fake = pair.generator(noise)
            judged = pair.discriminator(image).mean()
            judged = judged - pair.discriminator(fake.detach()).mean()
            judged.backward()
            pair.discriminator.requires_grad_(False)
            pair.discriminator(fake).mean().backward()
            pair.discriminator.requires_grad_(True)
        for optimizer in self.optimizers:
            optimizer.step()


def arguments(parser) -> None:
    parser.add_argument("--latent", type=int, default=32)
    parser.add_argument("--accumulate", type=int, default=2)


def build(args) -> harness.Workload:
    noise = torch.randn(args.batch, args.latent, dtype=args.torch_dtype)
    image = torch.randn(args.batch, 3, 16, 16, dtype=args.torch_dtype)
    work = Adversarial(Pair(args.latent).to(args.torch_dtype), (noise, image))
    work.accumulate = args.accumulate
    return work


if __name__ == "__main__":
    harness.main(__file__, __doc__)

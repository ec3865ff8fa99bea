# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Lightning's Trainer: automatic optimization, gradients of two batches, clipping, a sanity check
and a validation. Every second batch runs forward and backward inside of optimizer.step(closure).

Needs lightning.
"""

import argparse
import logging
import warnings

import lightning
import torch
from torch import nn
from torch.nn import functional as F

ROWS, INPUTS, WIDTH, CLASSES, ACCUMULATE = 16, 32, 48, 10, 2


class Lit(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(INPUTS, WIDTH), nn.ReLU(), nn.Linear(WIDTH, CLASSES))

    def loss(self, batch):
        x, target = batch
        return F.cross_entropy(self.net(x), target)

    def training_step(self, batch, number):
        return self.loss(batch)

    def validation_step(self, batch, number):
        self.log("loss", self.loss(batch), prog_bar=False)

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=1e-3)


def batches(count):
    data = torch.utils.data.TensorDataset(
        torch.randn(count * ROWS, INPUTS), torch.randint(0, CLASSES, (count * ROWS,))
    )
    return torch.utils.data.DataLoader(data, batch_size=ROWS)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--device", default="cuda")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
    torch.manual_seed(0)
    trainer = lightning.Trainer(
        accelerator="gpu" if options.device == "cuda" else "cpu",
        devices=1,
        max_steps=options.steps,
        accumulate_grad_batches=ACCUMULATE,
        gradient_clip_val=1.0,
        num_sanity_val_steps=1,
        limit_val_batches=2,
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
    )
    # One epoch holds all the steps; its end runs the validation.
    trainer.fit(Lit(), batches(options.steps * ACCUMULATE), batches(2))
    print("global step", trainer.global_step)


if __name__ == "__main__":
    main()

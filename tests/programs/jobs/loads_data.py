# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Feeds training from forked data-loader workers, after CUDA is initialised."""

import os

import torch
from torch.utils.data import DataLoader, Dataset

import small_net


class Numbers(Dataset):
    def __len__(self) -> int:
        return 8 * small_net.BATCH

    def __getitem__(self, index: int) -> torch.Tensor:
        # CPU work in the worker: modules called there must not appear in the profile.
        with torch.no_grad():
            return torch.nn.Linear(64, 64)(torch.full((64,), float(index)))


trainer = small_net.Trainer()
trainer.train(1)
loader = DataLoader(
    Numbers(), batch_size=small_net.BATCH, num_workers=2, multiprocessing_context="fork"
)
steps = 1
for batch in loader:
    trainer.inputs = batch.to("cuda")
    trainer.train(1)
    steps += 1
print("steps", steps)
pid = os.fork()
if pid == 0:
    os._exit(0)
os.waitpid(pid, 0)

# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Trains and prints losses and the hash of the final weights, to the bit.

    python prints_weights.py [cuda|cpu] [steps]
"""

import hashlib
import sys

import torch

import small_net

device = sys.argv[1] if len(sys.argv) > 1 else "cpu"
steps = int(sys.argv[2]) if len(sys.argv) > 2 else 20
trainer = small_net.Trainer(device)
for _ in range(steps):
    print(trainer.step().item().hex())
digest = hashlib.sha256()
for name, value in sorted(trainer.model.state_dict().items()):
    digest.update(name.encode())
    digest.update(value.cpu().numpy().tobytes())
print(digest.hexdigest())
print("threads", torch.get_num_threads())

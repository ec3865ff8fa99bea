# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Two ranks that reduce together; before each reduction one of them is late.

    torchrun --nproc-per-node 2 waits.py
"""

import os
import time

import torch
from torch import distributed

REDUCTIONS = 4
LATE_S = 0.25


def main() -> None:
    rank = int(os.environ["RANK"])
    torch.cuda.set_device(rank)
    distributed.init_process_group("nccl")
    x = torch.ones(4096, device="cuda")
    for number in range(REDUCTIONS):
        if number % 2 == rank:
            time.sleep(LATE_S)
        distributed.all_reduce(x)
        torch.cuda.synchronize()
    distributed.destroy_process_group()


if __name__ == "__main__":
    main()

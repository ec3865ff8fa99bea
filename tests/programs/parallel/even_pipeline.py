# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""A pipeline of two equal stages that keeps both cards busy: its products take nearly all of its time,
and of 1F1B with 100 micro-batches filling and emptying takes 1 of 101 parts.

    torchrun --nproc-per-node 2 even_pipeline.py [MICRO_BATCHES]
"""

import os
import sys

import torch
import torch.distributed as dist
from pipelines import StaticStage
from torch import nn
from torch.distributed import pipelining

STEPS = 3
ROWS = 1024
WIDTH = 4096


class Stage(nn.Module):
    def __init__(self):
        super().__init__()
        # With a gradient of its own, so that the first stage has the product for its input too.
        self.before = nn.Parameter(torch.zeros(WIDTH))
        self.first = nn.Linear(WIDTH, WIDTH, bias=False)
        self.second = nn.Linear(WIDTH, WIDTH, bias=False)

    def forward(self, x):
        return self.second(torch.relu(self.first(x + self.before)))


def main():
    micro_batches = int(sys.argv[1]) if sys.argv[1:] else 100
    dist.init_process_group("nccl")
    rank = dist.get_rank()
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    model = Stage().cuda()
    sent = torch.zeros(ROWS, WIDTH, device="cuda", requires_grad=True)
    stage = StaticStage(
        model, rank, 2, device, input_args=sent if rank else sent.detach(), output_args=sent
    )
    schedule = pipelining.Schedule1F1B(stage, micro_batches, loss_fn=lambda y, target: y.sum())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x = torch.zeros(micro_batches * ROWS, WIDTH, device="cuda")
    for _ in range(STEPS):
        schedule.step(x) if rank == 0 else schedule.step(target=x)
        optimizer.step()
        optimizer.zero_grad()
    torch.cuda.synchronize()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

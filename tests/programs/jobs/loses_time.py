# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Trains a layer of two large products; with an argument its steps lose time in one way.

    loses_time.py busy       nothing is lost where the card is slow enough (SIMGPU_SLOWER=2000)
    loses_time.py fp32       products in plain fp32 in the place of bf16
    loses_time.py odd        a size that is no multiple of 16 bytes
    loses_time.py launches   thousands of small kernels, on a card that does them at once
    loses_time.py input      200 ms of host work between steps
    loses_time.py host       200 ms of host work within the forward
    loses_time.py graph      replayed graphs of small kernels
    torchrun --nproc-per-node 2 loses_time.py WAY
      slow-rank    the card of rank 1 is slower
      more-work    rank 1 has twice the rows
      stages       rank 1 is another stage, which has more to do
      reduces      gradients are reduced, and every operation takes as long as a product
"""

import os
import sys
import time

way = sys.argv[1]
rank = int(os.environ.get("RANK", "0"))
if way == "slow-rank" and rank == 1:  # the stand-in reads it when it is loaded
    os.environ["SIMGPU_SLOWER"] = str(int(os.environ["SIMGPU_SLOWER"]) * 5 // 4)

import torch  # noqa: E402
import torch.distributed as dist  # noqa: E402
from torch import nn  # noqa: E402

STEPS = 5
HOST_WORK_S = 0.2
REPLAYS = 50
ROWS = 512
WIDTH = 1024


class Waits(nn.Module):
    """Work of the host in the middle of a forward."""

    def forward(self, x):
        time.sleep(HOST_WORK_S)
        return x


class Layer(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.first = nn.Linear(WIDTH, hidden, bias=False)
        self.between = Waits() if way == "host" else nn.Identity()
        self.second = nn.Linear(hidden, WIDTH, bias=False)

    def forward(self, x):
        return self.second(self.between(torch.relu(self.first(x))))


class LongerLayer(Layer):
    """Of another stage: it has another module."""

    def __init__(self, hidden):
        super().__init__(hidden)
        self.third = nn.Linear(WIDTH, hidden, bias=False)

    def forward(self, x):
        return self.third(super().forward(x))


def small_kernels(x, number=400):
    for _ in range(number):
        x.add_(1)


def captured(x):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        small_kernels(x)
    return graph


def main():
    torch.cuda.set_device(rank)
    if "RANK" in os.environ:
        dist.init_process_group("nccl")
    dtype = torch.float32 if way == "fp32" else torch.bfloat16
    hidden = {"odd": 2047, "reduces": 64}.get(way, 2048)
    kind = LongerLayer if way == "stages" and rank == 1 else Layer
    model = kind(hidden).cuda().to(dtype)
    if way == "reduces":
        model = nn.parallel.DistributedDataParallel(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    rows = 2 * ROWS if way == "more-work" and rank == 1 else ROWS
    x = torch.zeros(rows, WIDTH, device="cuda", dtype=dtype)
    small = torch.zeros(8, device="cuda")
    graph = captured(small) if way == "graph" else None
    if way == "stages":  # a message, as stages send them
        dist.send(small, 1) if rank == 0 else dist.recv(small, 0)
    ends = []
    for _ in range(STEPS):
        y = model(x)
        if way == "launches":
            small_kernels(small, 3000)
        for _ in range(REPLAYS if graph is not None else 0):
            graph.replay()
        y.sum().backward()
        optimizer.step()
        optimizer.zero_grad()
        if way in ("launches", "input", "host"):
            torch.cuda.synchronize()  # as loops do that print their loss
        else:  # of the step before: the host is ahead, however slow it is
            ends.append(torch.cuda.Event())
            ends[-1].record()
            ends[max(0, len(ends) - 2)].synchronize()
        if way == "input":
            time.sleep(HOST_WORK_S)
    if "RANK" in os.environ:
        dist.destroy_process_group()


if __name__ == "__main__":
    main()

# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""A training job that passes every hook and callback in each of its steps.

Its first steps are not watched (watch.c); the others must do nothing new. One rank, with NCCL.
"""

import ctypes
import os
import sys

import torch
import torch.distributed as dist
from torch import nn
from torch.nn import functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

WARM, WATCHED = 4, 3


class Attention(nn.Module):
    def forward(self, x):
        q = x.view(2, 4, 8, 16).half()
        return F.scaled_dot_product_attention(q, q, q).float().reshape(x.shape)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(64, 64)
        self.convolution = nn.Conv2d(1, 1, 3, padding=1)
        self.attention = Attention()
        self.recurrent = nn.LSTM(64, 64)
        self.last = nn.Sequential(nn.ReLU(), nn.Linear(64, 8))

    def forward(self, x):
        x = self.first(x)
        x = self.convolution(x.view(1, 1, 16, 64)).view(16, 64)
        x = self.attention(x)
        x, _ = self.recurrent(x.view(4, 4, 64))
        x = torch.baddbmm(x, x, x.transpose(1, 2) @ x)
        return self.last(x.reshape(16, 64))


def replayed(model):
    x = torch.ones(4, 32, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        model(x)
    return graph


def main():
    os.environ.update(MASTER_ADDR="localhost", RANK="0", WORLD_SIZE="1")
    dist.init_process_group("nccl", store=dist.HashStore(), rank=0, world_size=1)
    model, small = Net().cuda(), nn.Linear(32, 32).cuda()
    small(torch.ones(4, 32, device="cuda"))
    graph = replayed(small)
    query = torch.ones(2, 4, 8, 16, device="cuda", dtype=torch.half)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, foreach=False)
    x = torch.randn(16, 64, device="cuda")
    numbers = torch.arange(5, device="cuda", dtype=torch.int32)
    sparse = torch.sparse_csr_tensor(numbers, numbers[:4], torch.ones(4, device="cuda"), (4, 64),
                                     check_invariants=False)
    stream = torch.cuda.Stream()

    def step():
        torch.cuda.nvtx.range_push("train")
        loss = model(x).square().mean()
        loss.backward()
        torch.cuda.nvtx.range_pop()
        for parameter in model.parameters():
            dist.all_reduce(parameter.grad)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        with torch.no_grad():
            model(x)
        for _ in range(100):  # deeper than the frames of a new thread were made for
            torch.cuda.nvtx.range_push("deep")
        with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
            F.scaled_dot_product_attention(query, query, query)
        for _ in range(100):
            torch.cuda.nvtx.range_pop()
        replayed(small)
        begun = torch.cuda.nvtx.range_start("between")
        graph.replay()
        sparse @ model.first.weight
        with torch.cuda.stream(stream):
            x + 1
        torch.cuda.nvtx.range_end(begun)
        torch.cuda.nvtx.mark("end")

    watch = getattr(ctypes.CDLL(None), "launch_path_watch", lambda on: None)
    for number in range(WARM + WATCHED):
        if number == WARM:
            torch.cuda.synchronize()
            watch(1)
        step()
    torch.cuda.synchronize()
    watch(0)
    print("done")
    sys.stdout.flush()


main()

# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Ranks that train, replay a graph, reduce, and then wait until they are let go.

    torchrun --nproc-per-node N stays.py FIFO

Rank R waits until somebody opens FIFO.R, which is there, for writing, and closes it.
"""

import os
import sys

import small_net
import torch
from torch import distributed

STEPS = 6
REPLAYS = 20


def captured_step(trainer: small_net.Trainer) -> torch.cuda.CUDAGraph:
    graph = torch.cuda.CUDAGraph()
    trainer.optimizer.zero_grad(set_to_none=False)
    with torch.cuda.graph(graph):
        trainer.model(trainer.inputs).square().mean().backward()
        trainer.optimizer.step()
    return graph


def main(fifo: str) -> None:
    rank = int(os.environ["RANK"])
    torch.cuda.set_device(rank)
    distributed.init_process_group("nccl")
    trainer = small_net.Trainer()
    trainer.train(STEPS)
    graph = captured_step(trainer)
    for _ in range(REPLAYS):
        graph.replay()
    distributed.all_reduce(torch.ones(4096, device="cuda"))
    torch.cuda.synchronize()
    with open(f"{fifo}.{rank}", "rb") as held:
        held.read()
    trainer.train(STEPS)
    distributed.destroy_process_group()


if __name__ == "__main__":
    main(sys.argv[1])

# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""The net of parallel.py in each pipeline schedule, on two ranks with one or two stages each.

One class of model for each schedule; its micro-batches are together the ROWS of a step.
"""

import os

import torch
import torch.distributed as dist
from parallel import ROWS, STEPS, WIDTH, Block, Net, model_class
from torch import nn
from torch.distributed import pipelining

MICRO_BATCHES = 4


class Part(Net):
    """One of four stages: a block, or the head. Named as in the whole net."""

    def __init__(self, index):
        nn.Module.__init__(self)
        self.blocks = nn.ModuleDict({str(index): Block()} if index < 3 else {})
        if index == 3:
            self.head = nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        for block in self.blocks.values():
            x = block(x)
        return self.head(x) if hasattr(self, "head") else x


class Half(Net):
    """One of two stages."""

    def __init__(self, index):
        nn.Module.__init__(self)
        held = ("2",) if index else ("0", "1")
        self.blocks = nn.ModuleDict({key: Block() for key in held})
        self.head = nn.Linear(WIDTH, WIDTH) if index else nn.Identity()

    def forward(self, x):
        for block in self.blocks.values():
            x = block(x)
        return self.head(x)


class StaticStage(pipelining.PipelineStage):
    """The stages vote on how to find shapes, by a product that the stand-in GPU leaves 0."""

    def _warmup_forward_vote(self, *args, **kwargs):
        return torch.ones(1, dtype=torch.int32)

    _warmup_backward_result = _warmup_forward_vote


def stage_of(model, index, count):
    example = torch.randn(ROWS // MICRO_BATCHES, WIDTH, device="cuda", requires_grad=True)
    return StaticStage(
        model, index, count, torch.device("cuda", torch.cuda.current_device()),
        input_args=example if index else example.detach(), output_args=example,
    )  # fmt: skip


def loss(y, target):
    return (y - target).sum()


def train(schedule, models, first, last):
    optimizer = torch.optim.SGD([p for m in models for p in m.parameters()], lr=0.1)
    x = torch.randn(ROWS, WIDTH, device="cuda")
    for _ in range(STEPS):
        schedule.step(*([x] if first else []), **({"target": x} if last else {}))
        optimizer.step()
        optimizer.zero_grad()


def single_stage(rank, name, kind):
    model = model_class(name, Half)(rank).cuda()
    schedule = kind(stage_of(model, rank, 2), MICRO_BATCHES, loss_fn=loss)
    train(schedule, [model], rank == 0, rank == 1)


def several_stages(rank, name, kind, indices):
    part = model_class(name, Part)
    models = [part(index).cuda() for index in indices]
    stages = [stage_of(model, index, 4) for model, index in zip(models, indices)]
    schedule = kind(stages, MICRO_BATCHES, loss_fn=loss)
    train(schedule, models, 0 in indices, 3 in indices)


def main():
    dist.init_process_group("nccl")
    rank = dist.get_rank()
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    single_stage(rank, "GPipeNet", pipelining.ScheduleGPipe)
    loops = (rank, rank + 2)
    several_stages(rank, "InterleavedNet", pipelining.ScheduleInterleaved1F1B, loops)
    several_stages(rank, "LoopedNet", pipelining.ScheduleLoopedBFS, loops)
    several_stages(rank, "ZeroBubbleNet", pipelining.ScheduleInterleavedZeroBubble, loops)
    # A V: the first rank holds the first and the last stage.
    several_stages(rank, "VNet", pipelining.ScheduleZBVZeroBubble, (rank, 3 - rank))
    torch.cuda.synchronize()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

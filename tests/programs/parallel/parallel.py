# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""The same small net trained in every parallel way, one class of model for each.

    parallel.py                                    one process: SingleNet, SingleCheckpointNet
    torchrun --nproc-per-node 2 parallel.py        DdpNet, FlatNet, OriginalNet, ShardedNet ...
    torchrun --nproc-per-node 2 parallel.py ddp    DdpNet alone, for as many steps as follow
    torchrun --nproc-per-node 2 parallel.py data   those of DDP and FSDP
    torchrun --nproc-per-node 2 parallel.py sharded   ShardedNet (FSDP2) alone
    torchrun --nproc-per-node 2 parallel.py tensor    TensorNet alone

Every way sees ROWS rows a step, all ranks together, for STEPS steps: the work of each module,
summed over the ranks, is that of one process.
"""

import os
import sys

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import (
    apply_activation_checkpointing,
)

ROWS = 16
STEPS = 2
WIDTH = 64


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        return x + self.b(torch.relu(self.a(x)))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(Block() for _ in range(3))
        self.head = nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return self.head(x)


def model_class(name, base=Net):
    return type(name, (base,), {})


def train(model, rows, forward=None):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x = torch.randn(rows, WIDTH, device="cuda")
    for _ in range(STEPS):
        (forward or model)(x).sum().backward()
        optimizer.step()
        optimizer.zero_grad()


def checkpointed(model):
    apply_activation_checkpointing(model, check_fn=lambda m: isinstance(m, Block))
    return model


def single():
    train(model_class("SingleNet")().cuda(), ROWS)
    train(checkpointed(model_class("SingleCheckpointNet")().cuda()), ROWS)


def ddp(rank, steps=STEPS):
    model = nn.parallel.DistributedDataParallel(model_class("DdpNet")().cuda(), bucket_cap_mb=0.01)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x = torch.randn(ROWS // 2 // 2, WIDTH, device="cuda")
    for _ in range(steps):
        with model.no_sync():
            model(x).sum().backward()
        model(x).sum().backward()
        optimizer.step()
        optimizer.zero_grad()


def fsdp1(rank, name, **options):
    from torch.distributed.fsdp import FullyShardedDataParallel
    from torch.distributed.fsdp.wrap import ModuleWrapPolicy

    policy = ModuleWrapPolicy({Block})
    model = FullyShardedDataParallel(
        model_class(name)().cuda(), auto_wrap_policy=policy, device_id=rank, **options
    )
    train(model, ROWS // 2)


def fsdp2(rank, name, prepare=lambda model: model):
    try:
        from torch.distributed.fsdp import fully_shard
    except ImportError:  # up to PyTorch 2.5
        from torch.distributed._composable.fsdp import fully_shard

    model = prepare(model_class(name)().cuda())
    for block in model.blocks:
        fully_shard(block)
    fully_shard(model)
    train(model, ROWS // 2)


def tensor_parallel(rank):
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.tensor import Replicate
    from torch.distributed.tensor.parallel import (
        ColwiseParallel,
        RowwiseParallel,
        parallelize_module,
    )

    mesh = init_device_mesh("cuda", (2,))
    model = model_class("TensorNet")().cuda()
    for block in model.blocks:
        parallelize_module(block, mesh, {"a": ColwiseParallel(), "b": RowwiseParallel()})
    parallelize_module(model, mesh, {"head": ColwiseParallel(output_layouts=Replicate())})
    train(model, ROWS)


class Stage(Net):
    """What one rank of a pipeline holds."""

    def __init__(self, first):
        nn.Module.__init__(self)
        held = ("0", "1") if first else ("2",)
        self.blocks = nn.ModuleDict({index: Block() for index in held})
        self.head = nn.Identity() if first else nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        for block in self.blocks.values():
            x = block(x)
        return self.head(x)


def pipeline(rank):
    from torch.distributed.pipelining import PipelineStage, Schedule1F1B

    class StaticStage(PipelineStage):
        """The stages vote on how to find shapes, by a product that the stand-in GPU leaves 0."""

        def _warmup_forward_vote(self, *args, **kwargs):
            return torch.ones(1, dtype=torch.int32)

        _warmup_backward_result = _warmup_forward_vote

    model = model_class("PipelineNet", Stage)(rank == 0).cuda()
    example = torch.randn(ROWS // 4, WIDTH, device="cuda", requires_grad=True)
    stage = StaticStage(
        model, rank, 2, torch.device("cuda", rank),
        input_args=example if rank else example.detach(), output_args=example,
    )  # fmt: skip
    schedule = Schedule1F1B(stage, 4, loss_fn=lambda y, target: (y - target).sum())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x = torch.randn(ROWS, WIDTH, device="cuda")
    for _ in range(STEPS):
        schedule.step(x) if rank == 0 else schedule.step(target=x)
        optimizer.step()
        optimizer.zero_grad()


class Exchange(torch.autograd.Function):
    """Rows to the ranks whose experts they go to, and back."""

    @staticmethod
    def forward(ctx, x):
        y = torch.empty_like(x)
        dist.all_to_all_single(y, x.contiguous())
        return y

    @staticmethod
    def backward(ctx, gradient):
        return Exchange.apply(gradient)


class Experts(nn.Module):
    """Two experts, one on each rank; every row goes to one of them."""

    def __init__(self):
        super().__init__()
        self.num_experts, self.top_k = 2, 1
        self.gate = nn.Linear(WIDTH, 2, bias=False)
        self.experts = nn.ModuleList([Block()])

    def forward(self, x):
        scores = self.gate(x).softmax(-1)
        return Exchange.apply(self.experts[0](Exchange.apply(x))) * scores[:, :1]


def expert_parallel(rank):
    class ExpertNet(nn.Module):
        def __init__(self):
            super().__init__()
            self.moe = Experts()

        def forward(self, x):
            return self.moe(x)

    train(ExpertNet().cuda(), ROWS // 2)


def main():
    if "WORLD_SIZE" not in os.environ:
        return single()
    dist.init_process_group("nccl")
    rank = dist.get_rank()
    torch.cuda.set_device(rank)
    wanted = sys.argv[1] if sys.argv[1:] else "all"
    if wanted == "sharded":
        fsdp2(rank, "ShardedNet")
    elif wanted != "tensor":
        ddp(rank, *map(int, sys.argv[2:]))
    if wanted in ("data", "all"):
        fsdp1(rank, "FlatNet")
        fsdp1(rank, "OriginalNet", use_orig_params=True)
        fsdp2(rank, "ShardedNet")
        fsdp2(rank, "ShardedCheckpointNet", checkpointed)
    if wanted in ("tensor", "all"):
        tensor_parallel(rank)
    if wanted == "all":
        pipeline(rank)
        expert_parallel(rank)
    torch.cuda.synchronize()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

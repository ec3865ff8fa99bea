# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Command line, device set-up and step loop shared by the acceptance workloads.

A workload file defines

    arguments(parser)      optional: adds its own options
    build(args) -> Workload

and ends with `harness.main(__file__, __doc__)`.  One *step* is one forward call
(`--mode fwd`, eval mode, no gradients) or one optimizer step (`--mode train`).
Tensors are made on `args.device`; `meta` is accepted so that flop counters can
run the largest configurations without memory.
"""

import argparse
import importlib.util
import json
import os
import sys
from dataclasses import dataclass, field
from typing import Any, Callable, Optional

import torch
from torch import nn

DTYPES = {
    "fp32": torch.float32,
    "fp16": torch.float16,
    "bf16": torch.bfloat16,
    "fp64": torch.float64,
}


def mean_loss(output: Any) -> torch.Tensor:
    """A loss without matrix products: the mean of the first tensor."""
    if isinstance(output, (tuple, list)):
        output = output[0]
    if hasattr(output, "logits"):
        output = output.logits
    return output.float().mean()


@dataclass
class Workload:
    """A model with inputs; subclasses override `train_step` for unusual loops."""

    model: nn.Module
    inputs: tuple = ()
    kwargs: dict = field(default_factory=dict)
    loss: Callable[[Any], torch.Tensor] = mean_loss
    optimizer: Optional[torch.optim.Optimizer] = None

    def make_optimizer(self) -> None:
        """SGD over the trainable parameters, unless the workload brought its own."""
        trainable = [p for p in self.model.parameters() if p.requires_grad]
        if self.optimizer is None and trainable:
            self.optimizer = torch.optim.SGD(trainable, lr=1e-3)

    def forward(self) -> Any:
        return self.model(*self.inputs, **self.kwargs)

    def train_step(self) -> None:
        self.optimizer.zero_grad(set_to_none=True)
        self.loss(self.forward()).backward()
        self.optimizer.step()


def load(path: str):
    """Imports a workload file by path."""
    name = os.path.splitext(os.path.basename(path))[0]
    spec = importlib.util.spec_from_file_location("workload_" + name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def parse(module, argv: Optional[list] = None, doc: str = "") -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=doc or module.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--device", default="cuda", help="cuda, cpu or meta")
    parser.add_argument("--steps", type=int, default=2)
    parser.add_argument("--batch", type=int, default=getattr(module, "BATCH", 8))
    parser.add_argument("--mode", choices=("fwd", "train"), default="train")
    parser.add_argument(
        "--dtype", choices=sorted(DTYPES), default=getattr(module, "DTYPE", "fp32")
    )
    if hasattr(module, "arguments"):
        module.arguments(parser)
    args = parser.parse_args(argv)
    args.torch_dtype = DTYPES[args.dtype]
    return args


def place(args: argparse.Namespace) -> None:
    """Joins the process group when torchrun started us, and picks the device."""
    args.distributed = "RANK" in os.environ
    if not args.distributed:
        return
    if args.device == "cuda":
        torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", 0)))
    backend = "nccl" if args.device == "cuda" else "gloo"
    torch.distributed.init_process_group(backend)


def create(module, args: argparse.Namespace) -> Workload:
    """Builds the workload on its device, in the requested mode."""
    torch.manual_seed(0)
    with torch.device(args.device):
        work = module.build(args)
    work.model.train(args.mode == "train")
    if args.mode == "train":
        work.make_optimizer()
    return work


def step(work: Workload, args: argparse.Namespace) -> Any:
    if args.mode == "train":
        return work.train_step()
    with torch.no_grad():
        return work.forward()


def parameter_count(model: nn.Module) -> int:
    return sum(p.numel() for p in model.parameters())


def main(path: str, doc: str = "") -> None:
    module = sys.modules["__main__"]
    args = parse(module, doc=doc)
    place(args)
    work = create(module, args)
    for _ in range(args.steps):
        step(work, args)
    if args.device == "cuda":
        torch.cuda.synchronize()
    report = {
        "workload": os.path.basename(path),
        "params": parameter_count(work.model),
        "batch": args.batch,
        "steps": args.steps,
        "mode": args.mode,
        "rank": int(os.environ.get("RANK", 0)),
    }
    print(json.dumps(report), flush=True)
    if args.distributed:
        torch.distributed.destroy_process_group()

# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""CUDA graph: one step is captured once and replayed; eager elsewhere.

With the default `--warmup 3` the library calls of a run are 3 warm-up steps plus one
capture, while the work done is 3 + `--steps` steps: a capture executes nothing and
every replay executes everything.
"""

import torch
from torch import nn

import harness

BATCH = 32


class Graphed(harness.Workload):
    warmup = 3
    graph = None

    def step(self, train: bool) -> None:
        if not train:
            super().forward()
            return
        self.loss(super().forward()).backward()
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=False)

    def run(self, train: bool) -> None:
        if self.inputs[0].device.type != "cuda":
            return self.step(train)
        if self.graph is None:
            side = torch.cuda.Stream()
            side.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(side):
                for _ in range(self.warmup):
                    self.step(train)
            torch.cuda.current_stream().wait_stream(side)
            self.graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self.graph):
                self.step(train)
        self.graph.replay()

    def forward(self):
        return self.run(train=False)

    def train_step(self) -> None:
        self.run(train=True)


def arguments(parser) -> None:
    parser.add_argument("--hidden", type=int, default=256)
    parser.add_argument("--layers", type=int, default=3)
    parser.add_argument("--warmup", type=int, default=3)


def build(args) -> harness.Workload:
    layers = []
    for _ in range(args.layers):
        layers += [nn.Linear(args.hidden, args.hidden), nn.ReLU()]
    x = torch.randn(args.batch, args.hidden, dtype=args.torch_dtype)
    work = Graphed(nn.Sequential(*layers).to(args.torch_dtype), (x,))
    work.warmup = args.warmup
    return work


if __name__ == "__main__":
    harness.main(__file__, __doc__)

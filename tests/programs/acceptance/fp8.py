# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""FP8 linear layer through torch._scaled_mm, next to a bf16 one (forward only).

On an H100 this is cublasLtMatmul with e4m3 operands; the flops are 2mnk of their own
type, to be compared with another peak than the bf16 ones.
"""

import torch
from torch import nn

import harness

BATCH = 16
DTYPE = "bf16"


class Fp8Linear(nn.Module):
    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        weight = torch.zeros(outputs, inputs).to(torch.float8_e4m3fn)
        self.register_buffer("weight", weight)
        self.register_buffer("scale", torch.ones(()))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch._scaled_mm(
            x.to(torch.float8_e4m3fn),
            self.weight.t(),
            scale_a=self.scale,
            scale_b=self.scale,
            out_dtype=torch.bfloat16,
        )


class Pair(nn.Module):
    def __init__(self, args) -> None:
        super().__init__()
        self.fp8 = Fp8Linear(args.inputs, args.outputs)
        self.bf16 = nn.Linear(args.outputs, args.inputs, dtype=torch.bfloat16)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.bf16(self.fp8(x))


def arguments(parser) -> None:
    parser.add_argument("--inputs", type=int, default=256)
    parser.add_argument("--outputs", type=int, default=512)


def build(args) -> harness.Workload:
    x = torch.randn(args.batch, args.inputs, dtype=torch.bfloat16)
    return harness.Workload(Pair(args), (x,))


if __name__ == "__main__":
    harness.main(__file__, __doc__)

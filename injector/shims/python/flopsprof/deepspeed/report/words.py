# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Texts that several layouts share. Their mistakes are part of the format."""

TITLE = "\n-------------------------- DeepSpeed Flops Profiler --------------------------"
NOTATIONS = (
    "Notations:\n"
    "data parallel size (dp_size), model parallel size(mp_size),\n"
    "number of parameters (params), number of multiply-accumulate operations(MACs),\n"
    "number of floating-point operations (flops), floating-point operations per second (FLOPS),\n"
    "fwd latency (forward propagation latency), bwd latency (backward propagation latency),\n"
    "step (weights update latency), iter latency (sum of fwd, bwd and step latency)\n"
)
AGGREGATED = "\n----------------------------- Aggregated Profile per GPU -----------------------------"
DETAILED = "\n------------------------------ Detailed Profile per GPU ------------------------------"
ORDER = (
    "Each module profile is listed after its name in the following order: \n"
    "params, percentage of total params, MACs, percentage of total MACs, fwd latency,"
    " percentage of total fwd latency, fwd FLOPS"
)
_NOTE = (
    "\nNote: 1. A module can have torch.nn.module or torch.nn.functional to compute logits"
    " (e.g. CrossEntropyLoss). They are not counted as submodules, thus not to be printed out."
    " However they make up the difference between a parent's MACs{space}(or latency) and the sum of"
    " its submodules'.\n"
    "2. Number of {floating} operations is a theoretical estimation, thus FLOPS computed using"
    " that could be larger than the maximum system throughput.\n"
    "3. The fwd latency listed in the top module's profile is directly captured at the module forward"
    " function in PyTorch{end}.\n"
)
_THUS = ", thus it's less than the fwd latency shown above which is captured in DeepSpeed"
NOTE = _NOTE.format(space=" ", floating="floating-point", end=_THUS)
NOTE_OF_2021 = _NOTE.format(space="", floating="floating point", end=_THUS)
NOTE_OF_MIRROR = _NOTE.format(space=" ", floating="floating-point", end="")
END = "-" * 78

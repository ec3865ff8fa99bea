// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace flopsprof::viewer::deepspeed {

// Texts that several layouts share. Their mistakes are part of the format.

inline constexpr char kTitle[] =
    "\n-------------------------- DeepSpeed Flops Profiler --------------------------";
inline constexpr char kTitleOfMirror[] =
    "\n-------------------------- Flops Profiler --------------------------";
inline constexpr char kNotations[] =
    "Notations:\n"
    "data parallel size (dp_size), model parallel size(mp_size),\n"
    "number of parameters (params), number of multiply-accumulate operations(MACs),\n"
    "number of floating-point operations (flops), floating-point operations per second (FLOPS),\n"
    "fwd latency (forward propagation latency), bwd latency (backward propagation latency),\n"
    "step (weights update latency), iter latency (sum of fwd, bwd and step latency)\n";
// "\number" in the source of 2021: a line break, and "umber".
inline constexpr char kNotationsOf2021[] =
    "Notations:\n"
    "data parallel size (dp_size), model paralel size(mp_size),\n"
    "number of parameters (params), number of multiply-accumulate operations(MACs),\n"
    "umber of floating point operations (flops), floating point operations per second (FLOPS),\n"
    "fwd latency (forward propagation latency), bwd latency (backward propagation latency),\n"
    "step (weights update latency), iter latency (sum of fwd, bwd and step latency)\n";
inline constexpr char kAggregatedLine[] =
    "----------------------------- Aggregated Profile per %s -----------------------------";
inline constexpr char kDetailedLine[] =
    "------------------------------ Detailed Profile per %s ------------------------------";
inline constexpr char kOrder[] =
    "Each module profile is listed after its name in the following order: \n"
    "params, percentage of total params, MACs, percentage of total MACs, fwd latency, percentage "
    "of "
    "total fwd latency, fwd FLOPS";
inline constexpr char kNote[] =
    "\nNote: 1. A module can have torch.nn.module or torch.nn.functional to compute logits (e.g. "
    "CrossEntropyLoss). They are not counted as submodules, thus not to be printed out. However "
    "they make up the difference between a parent's MACs%s(or latency) and the sum of its "
    "submodules'.\n"
    "2. Number of %s operations is a theoretical estimation, thus FLOPS computed using that could "
    "be larger than the maximum system throughput.\n"
    "3. The fwd latency listed in the top module's profile is directly captured at the module "
    "forward function in PyTorch%s.\n";
inline constexpr char kShorterThanAbove[] =
    ", thus it's less than the fwd latency shown above which is captured in DeepSpeed";
inline constexpr char kEnd[] =
    "------------------------------------------------------------------------------";

}  // namespace flopsprof::viewer::deepspeed

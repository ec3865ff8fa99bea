// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// The stand-in's own account of every operation (SIMGPU_LEDGER), independent of CUPTI:
// one JSON line each, written when the operation is launched. README.md has the format.
#include "graphs.h"

namespace simgpu {

// Number of the next operation of this process, from 1. Counted without a ledger too.
uint64_t NextOrdinal();
uint64_t OrdinalsSoFar();

void WriteExecuted(const SimOp& op, const CaptureOrigin* origin);
void WriteCaptured(const SimOp& op);

}  // namespace simgpu

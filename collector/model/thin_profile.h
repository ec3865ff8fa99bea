// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "flopsprof/v1/profile.pb.h"

namespace flopsprof::model {

// Takes away most rows of a process. What is left is what is compared between processes: who it is,
// its steps, devices, losses and notes, its models by class and size, its groups of collectives,
// and the sums of its flops. Ranks, programs, steps and gaps of a run are the same with thin
// processes; modules, kernels and calls need the rows.
void MakeThin(v1::ProcessProfile* process);

// The process has one model, called from outside of any module: which model is the main one need
// not be asked.
bool HasOneModel(const v1::ProcessProfile& thin);

}  // namespace flopsprof::model

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "flopsprof/v1/profile.pb.h"

namespace flopsprof::model {

// Turns the labels under which an agent has stored work into steps (proto/shm/records.h,
// StepPlace). Labels with one number become one row. Labels that turned out to be no step are
// removed. Work between two steps becomes a row of `beside_steps`. Afterwards `step` is the step's
// number in `steps`, `step_facts` and `step_labels`, and `first_step` and `last_step` of marks and
// scope_kernels are. What ran after the last optimizer of a process that ended well is in no step.
void JoinSteps(v1::ProcessProfile* process);

}  // namespace flopsprof::model

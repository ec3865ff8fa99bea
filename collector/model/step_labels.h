// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "flopsprof/v1/profile.pb.h"

namespace flopsprof::model {

// Makes steps of the labels under which an agent has kept them (proto/shm/records.h, StepPlace):
// labels of one number become one row, what was no step goes, what ran between two steps becomes a
// row of `beside_steps`. Afterwards `step` is the step's number in `steps`, `step_facts` and
// `step_labels`, and `first_step` and `last_step` of marks and scope_kernels are. What ran after
// the last optimizer of a process that ended well is in no step.
void JoinSteps(v1::ProcessProfile* process);

}  // namespace flopsprof::model

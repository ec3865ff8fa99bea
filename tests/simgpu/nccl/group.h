// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collective.h"

namespace sim::nccl {

// ncclGroupStart and ncclGroupEnd of the calling thread, which may be nested.
void GroupStart();
// At the outermost end: communicators created in the group join, and its calls are launched,
// one kernel for all calls on the same communicator and stream.
void GroupEnd();

// Launches the call, or adds it to the thread's open group.
void Submit(const Call& call);
// Joins the communicator now, or at the end of the thread's open group.
void SubmitJoin(Communicator* communicator);

}  // namespace sim::nccl

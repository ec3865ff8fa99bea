// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend_descriptor.h"
#include "handle.h"

namespace sim::cudnn {

// Puts the kernels of a finalised plan on the handle's stream: the main kernel, and before it
// one that prepares the workspace when the plan asked for one and the program gave it (real
// plans launch transforms, reductions and clears there). Computes nothing.
cudnnStatus_t Execute(const HandleState& handle, const Descriptor& plan,
                      const Descriptor& variant_pack);

}  // namespace sim::cudnn

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend_descriptor.h"
#include "handle.h"

namespace sim::cudnn {

// Puts the kernels of a finalised plan on the handle's stream, and computes nothing. A plan
// compiled at run time launches the kernels that its JSON lists, under their names. Any other
// launches one with an invented name, and before it one that prepares the workspace when the
// plan asked for one and the program gave it (real plans launch transforms, reductions and
// clears there).
cudnnStatus_t Execute(const HandleState& handle, const Descriptor& plan,
                      const Descriptor& variant_pack);

}  // namespace sim::cudnn

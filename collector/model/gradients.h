// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "collector/model/gradient_shapes.h"
#include "collector/model/run_profile.h"
#include "flopsprof/v1/profile.pb.h"

namespace flopsprof::model {

// What each row of process.calls() computed the gradient of, in the same order. Only rows of phase
// backward are told: by what the library call or operation is made for (convolution, recurrent
// network, attention), products by their sizes (GradientRule).
std::vector<Gradient> GradientsOf(const v1::ProcessProfile& process);

// The rows of which something is told, as they are stored: profiles with nothing else.
std::vector<v1::ProcessProfile> CallGradients(const RunProfile& run);

}  // namespace flopsprof::model

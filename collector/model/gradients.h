// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "collector/model/gradient_shapes.h"
#include "collector/model/run_profile.h"
#include "flopsprof/v1/profile.pb.h"

namespace flopsprof::model {

// What each row of process.calls() computed the gradient of, in the same order. Only rows of phase
// backward get an answer. For convolution, recurrent network and attention it follows from the
// library call or operation; for matrix products from their sizes (GradientRule).
std::vector<Gradient> GradientsOf(const v1::ProcessProfile& process);

// Profiles that have only the rows whose gradient is known, in the form in which they are stored.
std::vector<v1::ProcessProfile> CallGradients(const RunProfile& run);

}  // namespace flopsprof::model

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Work of library calls from their arguments: pure functions. Conventions: one multiply-add is
// two operations; only products count (no bias, activation, scaling by beta); complex products
// are eight operations a multiply-add; padding that the arguments do not show does not count.

#include <optional>
#include <string>

#include "collector/model/flops/flop_count.h"
#include "proto/shm/records.h"

namespace flopsprof::model {

// 2*m*n*k*batch, 8*m*n*k*batch for complex types; 0 when a size is 0. nullopt: a size is
// negative or absurd, sits on the device, or the type is not known.
std::optional<FlopCount> GemmFlops(const shm::GemmCall& call);

// Why GemmFlops knows nothing; kNone if it does.
shm::UnknownReason GemmUnknownReason(const shm::GemmCall& call);

// Canonical text of types and sizes: "m=120 n=8 k=400 batch=1 a=f32 b=f32 c=f32 math=3".
// Calls with the same text have the same flops and compute type.
std::string GemmShape(const shm::GemmCall& call);

}  // namespace flopsprof::model

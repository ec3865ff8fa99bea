// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Work of library calls that are no plain product, by function, type and sizes (kLibraryCall).
// Conventions: flops.h.

#include <optional>
#include <string>

#include "collector/model/flops/flop_count.h"
#include "proto/shm/records.h"

namespace flopsprof::model {

// What a call did. `flops` nullopt: not known, `reason` says why. A function without arithmetic,
// or outside of what is counted, has 0 flops and no products.
struct LibraryWork {
  std::optional<FlopCount> flops;
  bool has_products = false;
  shm::UnknownReason reason = shm::UnknownReason::kNone;
};
LibraryWork LibraryWorkOf(const shm::LibraryCall& call);

// Canonical text of type and sizes: "side=left m=120 n=8 type=f32", or of the reason. Calls with
// the same function and text have the same work and compute type.
std::string LibraryShape(const shm::LibraryCall& call);

// As GemmComputeType.
std::string LibraryComputeType(const shm::LibraryCall& call);

// "sizes are in GPU memory" ...; a sentence part without a full stop.
const char* UnknownReasonText(uint8_t reason);

}  // namespace flopsprof::model

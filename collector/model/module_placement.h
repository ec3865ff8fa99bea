// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace flopsprof::model {

// Where the parameters of a module and of all below it were whenever it was described.
enum class Placement : uint8_t {
  kNotTold,  // on a GPU, in both at once, or nobody said
  kCpu,
  kMoved,  // at first in one, later in the other
};

// The word that a ModuleWeights text ends with: "on:cpu" or "on:cpu,gpu".
Placement PlacementOf(std::string_view weights);

// The text without that word: shapes only.
std::string ShapesOf(std::string_view weights);

}  // namespace flopsprof::model

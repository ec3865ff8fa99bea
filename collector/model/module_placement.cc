// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/module_placement.h"

namespace flopsprof::model {
namespace {

constexpr std::string_view kPrefix = "on:";

// Position of the word, or npos.
size_t FindPlacement(std::string_view weights) {
  const size_t space = weights.rfind(' ');
  const size_t begin = space == std::string_view::npos ? 0 : space + 1;
  return weights.substr(begin, kPrefix.size()) == kPrefix ? begin : std::string_view::npos;
}

}  // namespace

Placement PlacementOf(std::string_view weights) {
  const size_t begin = FindPlacement(weights);
  if (begin == std::string_view::npos) return Placement::kNotTold;
  const std::string_view where = weights.substr(begin + kPrefix.size());
  if (where == "cpu") return Placement::kCpu;
  return where == "cpu,gpu" ? Placement::kMoved : Placement::kNotTold;
}

std::string ShapesOf(std::string_view weights) {
  const size_t begin = FindPlacement(weights);
  if (begin == std::string_view::npos) return std::string(weights);
  return std::string(weights.substr(0, begin == 0 ? 0 : begin - 1));
}

}  // namespace flopsprof::model

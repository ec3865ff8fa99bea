// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/flops/library_table.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "collector/model/flops/compute_type.h"

namespace flopsprof::model {
namespace {

using namespace formulas;  // NOLINT: the generated rows name them

// By rising number.
constexpr LibraryFunction kFunctions[] = {
#include "library_facts.inc"
};

}  // namespace

const LibraryFunction* FindLibraryFunction(uint16_t api) {
  const auto* found = std::lower_bound(
      std::begin(kFunctions), std::end(kFunctions), api,
      [](const LibraryFunction& function, uint16_t number) { return function.api < number; });
  return found != std::end(kFunctions) && found->api == api ? found : nullptr;
}

LibraryWork WorkOf(const LibraryFunction& function, const shm::LibraryCall& call) {
  LibraryWork work;
  if (function.formula == nullptr) {
    work.flops = 0;
    return work;
  }
  const NumberKind kind = NumberKindOf(call.type);
  if (kind == NumberKind::kUnknown) {
    work.reason = shm::UnknownReason::kUnknownType;
    return work;
  }
  const bool sane = std::all_of(std::begin(call.sizes), std::end(call.sizes),
                                [](int64_t size) { return size >= 0 && size <= kMaxSize; });
  if (sane) {
    work.flops = function.formula({call.sizes, call.variant, kind == NumberKind::kComplex});
  }
  if (!work.flops.has_value()) work.reason = shm::UnknownReason::kBadSize;
  work.has_products = work.flops.has_value();
  return work;
}

std::string ShapeOf(const LibraryFunction& function, const shm::LibraryCall& call) {
  std::string text;
  const std::vector<std::string> names = absl::StrSplit(function.sizes, ' ', absl::SkipEmpty());
  for (size_t i = 0; i < names.size() && i < std::size(call.sizes); i++) {
    const bool again = i > 0 && names[i] == names[i - 1];
    if (names[i] == "-" || again) continue;
    absl::StrAppend(&text, text.empty() ? "" : " ", names[i], "=", call.sizes[i]);
  }
  if (function.variant != nullptr) {
    absl::StrAppend(&text, " ", function.variant, "=", call.variant == 0 ? "left" : "right");
  }
  if (function.formula == nullptr) return "no products";
  absl::StrAppend(&text, " type=", DataTypeText(call.type));
  if (call.math_mode != 0) absl::StrAppend(&text, " math=", int{call.math_mode});
  return text;
}

}  // namespace flopsprof::model

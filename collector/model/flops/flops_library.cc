// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/flops/flops_library.h"

#include "absl/strings/str_cat.h"
#include "collector/model/flops/compute_type.h"
#include "collector/model/flops/flops_cudnn_calls.h"
#include "collector/model/flops/library_table.h"

namespace flopsprof::model {

LibraryWork LibraryWorkOf(const shm::LibraryCall& call) {
  LibraryWork work;
  if (call.reason == 0 && IsOlderCudnnCall(call.api)) {
    work.flops = OlderCudnnFlops(call);
    work.has_products = true;
    if (work.flops.has_value()) return work;
    work.reason = NumberKindOf(call.type) == NumberKind::kUnknown ? shm::UnknownReason::kUnknownType
                                                                  : shm::UnknownReason::kBadSize;
    return work;
  }
  if (const LibraryFunction* function = FindLibraryFunction(call.api);
      function != nullptr && call.reason == 0) {
    return WorkOf(*function, call);
  }
  work.reason = call.reason != 0 ? static_cast<shm::UnknownReason>(call.reason)
                                 : shm::UnknownReason::kNoFormula;
  return work;
}

std::string LibraryShape(const shm::LibraryCall& call) {
  const LibraryWork work = LibraryWorkOf(call);
  if (work.flops.has_value() && IsOlderCudnnCall(call.api)) return OlderCudnnShape(call);
  if (work.flops.has_value()) {
    const LibraryFunction* function = FindLibraryFunction(call.api);
    return function != nullptr ? ShapeOf(*function, call) : "";
  }
  return absl::StrCat("unknown: ", UnknownReasonText(static_cast<uint8_t>(work.reason)));
}

std::string LibraryComputeType(const shm::LibraryCall& call) {
  if (call.reason != 0) return "";
  if (IsOlderCudnnCall(call.api)) return OlderCudnnComputeType(call);
  shm::GemmCall like = {};
  like.api = call.api;
  like.type_a = like.type_b = like.type_c = call.type;
  like.compute_type = call.compute_type;
  like.math_mode = call.math_mode;
  return GemmComputeType(like);
}

const char* UnknownReasonText(uint8_t reason) {
  switch (static_cast<shm::UnknownReason>(reason)) {
    case shm::UnknownReason::kNone:
    case shm::UnknownReason::kNotSaid:
      return "no reason given";
    case shm::UnknownReason::kSizesOnDevice:
      return "sizes are in GPU memory";
    case shm::UnknownReason::kGetterFailed:
      return "a handle or descriptor could not be read";
    case shm::UnknownReason::kNoFormula:
      return "no formula for this function";
    case shm::UnknownReason::kDataDependent:
      return "the work depends on the data";
    case shm::UnknownReason::kPlanNotSeen:
      return "its plan was made unseen";
    case shm::UnknownReason::kBadSize:
      return "a size is negative or too large";
    case shm::UnknownReason::kTooManyParts:
      return "more parts than can be recorded";
    case shm::UnknownReason::kPartsLost:
      return "a part of the call was lost";
    case shm::UnknownReason::kUnknownType:
      return "unknown data type";
  }
  return "reason not known here";
}

}  // namespace flopsprof::model

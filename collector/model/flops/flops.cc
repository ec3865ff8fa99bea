// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/flops/flops.h"

#include "absl/strings/str_cat.h"
#include "collector/model/flops/compute_type.h"
#include "collector/model/flops/flops_library.h"

namespace flopsprof::model {
namespace {

NumberKind OperandKind(const shm::GemmCall& call) {
  const int fixed = FixedDataType(call.api);
  if (fixed >= 0) return NumberKindOf(static_cast<uint8_t>(fixed));
  const NumberKind a = NumberKindOf(call.type_a);
  return a == NumberKindOf(call.type_b) ? a : NumberKind::kUnknown;
}

bool SizesKnown(const shm::GemmCall& call) {
  return (call.header.flags & shm::kFlagSizesUnknown) == 0;
}

}  // namespace

std::optional<FlopCount> GemmFlops(const shm::GemmCall& call) {
  if (!SizesKnown(call)) return std::nullopt;
  const NumberKind kind = OperandKind(call);
  if (kind == NumberKind::kUnknown) return std::nullopt;
  return SizeProduct()
      .Times(kind == NumberKind::kComplex ? 8 : 2)
      .Times(call.m)
      .Times(call.n)
      .Times(call.k)
      .Times(call.batch)
      .value();
}

shm::UnknownReason GemmUnknownReason(const shm::GemmCall& call) {
  if (!SizesKnown(call)) {
    const bool said = call.m > 0 && call.m < shm::kUnknownReasonCount;
    return said ? static_cast<shm::UnknownReason>(call.m) : shm::UnknownReason::kNotSaid;
  }
  if (OperandKind(call) == NumberKind::kUnknown) return shm::UnknownReason::kUnknownType;
  return GemmFlops(call).has_value() ? shm::UnknownReason::kNone : shm::UnknownReason::kBadSize;
}

std::string GemmShape(const shm::GemmCall& call) {
  std::string text = SizesKnown(call) ? absl::StrCat("m=", call.m, " n=", call.n, " k=", call.k,
                                                     " batch=", call.batch)
                                      : "sizes unknown";
  if (const shm::UnknownReason reason = GemmUnknownReason(call);
      reason != shm::UnknownReason::kNone && reason != shm::UnknownReason::kNotSaid) {
    absl::StrAppend(&text, " (", UnknownReasonText(static_cast<uint8_t>(reason)), ")");
  }
  const int fixed = FixedDataType(call.api);
  const auto type = [fixed](uint8_t said) {
    return DataTypeText(fixed >= 0 ? static_cast<uint8_t>(fixed) : said);
  };
  absl::StrAppend(&text, " a=", type(call.type_a), " b=", type(call.type_b),
                  " c=", type(call.type_c));
  if (const std::string math = MathText(call); !math.empty()) absl::StrAppend(&text, " ", math);
  if (call.epilogue != 0) absl::StrAppend(&text, " epilogue=", int{call.epilogue});
  return text;
}

}  // namespace flopsprof::model

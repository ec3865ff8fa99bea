// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/calls/call_texts.h"

#include <functional>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "collector/agent/tables/name_table.h"
#include "collector/model/flops/compute_type.h"
#include "collector/model/flops/flops.h"
#include "collector/model/flops/flops_library.h"
#include "collector/model/flops/operation_flops.h"
#include "proto/shm/api_ids.h"

namespace flopsprof::agent {
namespace {

std::string NcclTypeText(uint8_t type) {
  static constexpr const char* kNames[] = {"i8",  "u8",  "i32", "u32",  "i64",  "u64",
                                           "f16", "f32", "f64", "bf16", "e4m3", "e5m2"};
  return type < std::size(kNames) ? kNames[type] : absl::StrCat("type", int{type});
}

std::string GroupText(uint64_t group) {
  return absl::StrCat(absl::Hex(static_cast<uint32_t>(group ^ group >> 32), absl::kZeroPad8));
}

}  // namespace

std::string ApiText(uint16_t api) {
  const char* name = shm::ApiName(api);
  return name != nullptr ? name : absl::StrCat("api", api);
}

std::string BoundedIdentity(std::string text, size_t max_bytes) {
  std::string bounded = BoundedUtf8(text, max_bytes);
  if (bounded.size() == text.size()) return bounded;
  return absl::StrCat(bounded, "... ", text.size(), " bytes, hash ",
                      absl::Hex(std::hash<std::string>()(text)));
}

void DescribeGemm(const shm::GemmCall& gemm, v1::CallRow* out) {
  out->set_kind(v1::CALL_KIND_GEMM);
  out->set_shape(model::GemmShape(gemm));
  out->set_compute_type(model::GemmComputeType(gemm));
}

void DescribeLibrary(const shm::LibraryCall& library, v1::CallRow* out) {
  out->set_kind(v1::CALL_KIND_LIBRARY);
  out->set_shape(model::LibraryShape(library));
  out->set_compute_type(model::LibraryComputeType(library));
}

void DescribeOperation(const shm::OperationCall& operation, v1::CallRow* out) {
  out->set_kind(v1::CALL_KIND_MODELLED);
  out->set_api(model::OperationText(operation));
  out->set_shape(model::OperationShape(operation));
  out->set_compute_type(model::OperationComputeType(operation));
  out->set_detail(model::OperationDetail(operation));
}

void DescribeCollective(const shm::CollectiveCall& collective, v1::CallRow* out) {
  out->set_kind(v1::CALL_KIND_COLLECTIVE);
  out->set_shape(absl::StrCat("count=", collective.count,
                              " type=", NcclTypeText(collective.data_type),
                              " ranks=", collective.rank_count));
  // Two groups of one size are two rows.
  if (collective.group != 0) {
    absl::StrAppend(out->mutable_shape(), " group=", GroupText(collective.group));
  }
  out->set_detail(collective.rank_count > 0 ? absl::StrCat(collective.rank_count, " ranks")
                                            : "ranks not known");
}

}  // namespace flopsprof::agent

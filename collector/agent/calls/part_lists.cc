// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/calls/part_lists.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "collector/agent/calls/call_texts.h"
#include "collector/model/flops/compute_type.h"
#include "collector/model/flops/flops.h"
#include "collector/model/flops/flops_library.h"
#include "proto/shm/records.h"

namespace flopsprof::agent {
namespace {

// A list of one part: what this part says.
PartList Alone(const CallPart& part) {
  const auto library = PartAs<shm::LibraryCall>(part);
  if (library.header.type == static_cast<uint16_t>(shm::RecordType::kLibraryCall)) {
    const model::LibraryWork work = model::LibraryWorkOf(library);
    return {model::LibraryShape(library), model::LibraryComputeType(library), work.flops,
            work.has_products};
  }
  const auto gemm = PartAs<shm::GemmCall>(part);
  return {model::GemmShape(gemm), model::GemmComputeType(gemm), model::GemmFlops(gemm), true};
}

// nullopt: not known, or more than any call does.
std::optional<model::FlopCount> Sum(const std::optional<model::FlopCount>& a,
                                    const std::optional<model::FlopCount>& b) {
  if (!a.has_value() || !b.has_value()) return std::nullopt;
  const model::FlopCount sum = *a + *b;  // at most 2^16 parts of 2^96
  return sum > model::kMaxCallFlops ? std::nullopt : std::optional(sum);
}

// Shapes in their order, equal neighbours as one: "2x [a] + [b]".
class ShapeText {
 public:
  void Add(std::string shape) {
    if (shape != last_) {
      Flush();
      last_ = std::move(shape);
    }
    repeats_++;
  }

  std::string Take() {
    Flush();
    return std::move(text_);
  }

 private:
  void Flush() {
    if (repeats_ == 0) return;
    absl::StrAppend(&text_, text_.empty() ? "" : " + ");
    if (repeats_ > 1) absl::StrAppend(&text_, repeats_, "x ");
    absl::StrAppend(&text_, "[", last_, "]");
    repeats_ = 0;
  }

  std::string text_;
  std::string last_;
  size_t repeats_ = 0;
};

}  // namespace

PartList ListOf(const PartedCall& call) {
  PartList list;
  list.flops = 0;
  ShapeText shapes;
  for (size_t i = 0; i < call.parts.size(); i++) {
    PartList part = Alone(call.parts[i]);
    list.flops = Sum(list.flops, part.flops);
    list.has_products = list.has_products || part.has_products;
    list.compute_type = i == 0 || part.compute_type == list.compute_type ? part.compute_type : "";
    shapes.Add(std::move(part.shape));
  }
  list.shape = shapes.Take();
  if (!call.complete) {
    list.flops.reset();
    list.shape = absl::StrCat(
        "unknown: ",
        model::UnknownReasonText(static_cast<uint8_t>(shm::UnknownReason::kPartsLost)));
  }
  // Short: groups may have other sizes at each call, each then a row of its own.
  list.shape = BoundedIdentity(std::move(list.shape), 512);
  return list;
}

uint32_t PartLists::NumberOf(PartList list) {
  const std::string identity = absl::StrCat(list.shape, "|", list.compute_type);
  if (const auto found = index_.find(identity); found != index_.end()) return found->second;
  if (lists_.size() >= kMaxLists) return list.flops.has_value() ? kOtherKnown : kOtherUnknown;
  const auto number = static_cast<uint32_t>(lists_.size());
  index_.emplace(identity, number);
  lists_.push_back(std::move(list));
  return number;
}

void PartLists::Describe(uint32_t number, v1::CallRow* out) const {
  out->set_kind(v1::CALL_KIND_LIBRARY);
  if (number >= lists_.size()) {
    out->set_shape("other shapes, more than are kept");
    return;
  }
  out->set_shape(lists_[number].shape);
  out->set_compute_type(lists_[number].compute_type);
}

}  // namespace flopsprof::agent

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "collector/agent/calls/call_parts.h"
#include "collector/model/flops/flop_count.h"
#include "flopsprof/v1/profile.pb.h"

namespace flopsprof::agent {

// What the parts of a call say together.
struct PartList {
  std::string shape;
  std::string compute_type;               // "" when the parts differ
  std::optional<model::FlopCount> flops;  // of all parts; not known as soon as one part's is not
  bool has_products = false;
};

// Pure: the parts in their order, equal neighbours as one.
PartList ListOf(const PartedCall& call);

// The lists of parts that calls of one process had, by number. Bounded: lists beyond the bound
// share two numbers, by whether their work is known. One thread.
class PartLists {
 public:
  uint32_t NumberOf(PartList list);
  // Shape and type of a call with these parts.
  void Describe(uint32_t number, v1::CallRow* out) const;

 private:
  static constexpr size_t kMaxLists = 1 << 14;
  static constexpr uint32_t kOtherKnown = 0xffffffffu;
  static constexpr uint32_t kOtherUnknown = 0xfffffffeu;

  std::deque<PartList> lists_;
  absl::flat_hash_map<std::string, uint32_t> index_;  // shape and type -> place in lists_
};

}  // namespace flopsprof::agent

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "collector/model/flops/flop_count.h"
#include "flopsprof/v1/profile.pb.h"

namespace flopsprof::agent {

// Work without a library call, described in words.
struct ModelledWork {
  std::string api;
  std::string shape;
  std::string compute_type;
  std::string detail;
  std::optional<model::FlopCount> flops;
  model::FlopCount recompute_flops = 0;  // of `flops`
  bool failed = false;                   // there is a formula, but it gave no count
};

// The descriptions of modelled work that one process had, by number. Bounded: shapes beyond the
// bound share one number for each name. One thread.
class ModelledWorks {
 public:
  uint32_t NumberOf(const ModelledWork& work);
  const std::string& ApiOf(uint32_t number) const { return works_[number].api; }
  // Name, shape, type and detail of a call that does this work.
  void Describe(uint32_t number, v1::CallRow* out) const;

 private:
  static constexpr size_t kMaxWorks = 1 << 14;

  std::deque<ModelledWork> works_;
  absl::flat_hash_map<std::string, uint32_t> index_;  // all texts -> place in works_
};

}  // namespace flopsprof::agent

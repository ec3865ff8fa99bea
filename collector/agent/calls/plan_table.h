// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "collector/model/flops/flops_cudnn.h"
#include "flopsprof/v1/profile.pb.h"

namespace flopsprof::agent {

// The cuDNN plans of one process. Plans that compute the same have one number here, whatever ids
// the process gave them. One thread.
class PlanTable {
 public:
  static constexpr uint32_t kUnknown = 0;  // the number of a plan that was never described

  // At most `max_plans` plans are known. Beyond `max_text_bytes` a plan keeps its flops and has no
  // text of its own.
  PlanTable(size_t max_plans, size_t max_text_bytes)
      : max_plans_(max_plans), max_text_bytes_(max_text_bytes) {}

  // The first description of a plan counts.
  void Define(uint32_t id, std::string_view json);
  bool Has(uint32_t id) const { return index_.contains(id); }

  // kUnknown where Has denies the id.
  uint32_t NumberOf(uint32_t id) const;
  // nullptr for kUnknown. Valid until the next Define.
  const model::CudnnPlan* Find(uint32_t number) const;
  // Shape, type and detail of a call that executes the plan.
  void Describe(uint32_t number, v1::CallRow* out) const;

  // Plans beyond `max_plans`: their calls are unknown.
  uint64_t refused_count() const { return refused_count_; }

 private:
  const size_t max_plans_;
  const size_t max_text_bytes_;
  std::deque<model::CudnnPlan> plans_;  // plan i has the number i + 1
  size_t text_bytes_ = 0;
  absl::flat_hash_map<std::string, uint32_t> by_text_;  // shape and type -> place in plans_
  absl::flat_hash_map<uint32_t, uint32_t> index_;       // id -> place in plans_
  uint64_t refused_count_ = 0;
};

}  // namespace flopsprof::agent

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "collector/model/summary.h"
#include "flopsprof/v1/profile.pb.h"

namespace flopsprof::model {

// Kernels by name, kind, category and phase.
class KernelSums {
 public:
  void Add(const v1::ProcessProfile& process);
  // By GPU time, longest first; at most `max`.
  void Finish(size_t max, Summary* summary);

 private:
  using Key = std::tuple<std::string, std::string, std::string, std::string>;

  std::map<Key, KernelSummary> kernels_;
  std::map<Key, uint64_t> in_calls_;
};

}  // namespace flopsprof::model

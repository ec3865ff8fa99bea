// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "collector/model/kernels/kernel_classes.h"
#include "flopsprof/v1/profile.pb.h"

namespace flopsprof::agent {

// What kernels that nothing owns are, by their names. One thread.
class KernelCategories {
 public:
  // `id` of the name, which the process never uses for another.
  v1::TimeCategory Of(uint32_t id, const std::string& name) {
    const auto [entry, added] = known_.try_emplace(id, v1::TIME_CATEGORY_UNKNOWN);
    if (added) entry->second = CategoryOf(model::ClassOfKernel(name));
    return entry->second;
  }

 private:
  static v1::TimeCategory CategoryOf(model::KernelClass kernel_class) {
    switch (kernel_class) {
      case model::KernelClass::kUnknown:
        return v1::TIME_CATEGORY_UNKNOWN;
      case model::KernelClass::kCommunication:
        return v1::TIME_CATEGORY_COMMUNICATION;
      default:
        return v1::TIME_CATEGORY_NO_PRODUCTS;
    }
  }

  absl::flat_hash_map<uint32_t, v1::TimeCategory> known_;  // as many as the name table keeps
};

}  // namespace flopsprof::agent

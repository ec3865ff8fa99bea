// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "collector/agent/tables/name_table.h"
#include "proto/shm/records.h"

namespace flopsprof::agent {

// What an activity is, in 64 bits: fields with their full range.
struct KernelKey {
  static constexpr uint32_t kLostName = 0xffffffffu;  // it never came

  uint32_t name = 0;  // of kernels only
  uint8_t category = 0;
  uint8_t phase = 0;
  uint8_t kind = 0;       // ActivityKind
  uint8_t copy_kind = 0;  // kMemcpy

  uint64_t Pack() const {
    return uint64_t{name} << 32 | uint64_t{category} << 24 | uint64_t{phase} << 16 |
           uint64_t{kind} << 8 | copy_kind;
  }
  static KernelKey Unpack(uint64_t key) {
    return {static_cast<uint32_t>(key >> 32), static_cast<uint8_t>(key >> 24),
            static_cast<uint8_t>(key >> 16), static_cast<uint8_t>(key >> 8),
            static_cast<uint8_t>(key)};
  }

  bool is_kernel() const { return kind == static_cast<uint8_t>(shm::ActivityKind::kKernel); }
};

// CUpti_ActivityMemcpyKind as keys have it; the rarer ones (arrays) are not told apart.
uint8_t CopyKey(uint8_t copy_kind);

const char* KindText(uint8_t kind);

// "(name lost)" when the name has not come.
std::string KernelName(const NameTable& names, const KernelKey& key);

}  // namespace flopsprof::agent

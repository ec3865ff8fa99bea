// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Correlation ids that no two launches of a process share: CUPTI may count from 1 again when it is
// started after cuptiFinalize, and a kernel would meet a launch of an earlier window.

#include <atomic>
#include <cstdint>

namespace flopsprof::injector {

// What is added to CUPTI's ids. It changes only while CUPTI is out of the process and has given all
// records back.
inline std::atomic<uint32_t> correlation_base{0};

// More launches than one window has; 64 windows go round.
constexpr uint32_t kCorrelationStride = 1u << 26;

// `id`: CUPTI's; 0 (none) stays 0.
inline uint32_t OwnCorrelation(uint32_t id) {
  return id == 0 ? 0 : id + correlation_base.load(std::memory_order_relaxed);
}

// CUPTI was finalized.
inline void BeginNewCorrelations() {
  correlation_base.fetch_add(kCorrelationStride, std::memory_order_relaxed);
}

}  // namespace flopsprof::injector

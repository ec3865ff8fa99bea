// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/base/clock.h"

#include <ctime>

namespace flopsprof::base {
namespace {

int64_t Read(clockid_t id) {
  timespec now;
  clock_gettime(id, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

class RealClock : public Clock {
 public:
  uint64_t MonoNs() const override { return static_cast<uint64_t>(Read(CLOCK_MONOTONIC)); }
  int64_t UtcNs() const override { return Read(CLOCK_REALTIME); }
};

}  // namespace

const Clock& Clock::Real() {
  static const RealClock* clock = new RealClock;
  return *clock;
}

}  // namespace flopsprof::base

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace flopsprof::base {

// Time as a dependency, so that tests need not wait. Any thread.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual uint64_t MonoNs() const = 0;  // CLOCK_MONOTONIC
  virtual int64_t UtcNs() const = 0;    // since 1970

  // The machine's clock; lives for ever.
  static const Clock& Real();
};

// Moves only when told.
class FakeClock : public Clock {
 public:
  uint64_t MonoNs() const override { return mono_ns_; }
  int64_t UtcNs() const override { return utc_ns_; }
  void Advance(uint64_t ns) {
    mono_ns_ += ns;
    utc_ns_ += static_cast<int64_t>(ns);
  }

 private:
  uint64_t mono_ns_ = 1'000'000'000;
  int64_t utc_ns_ = 1'700'000'000'000'000'000;
};

}  // namespace flopsprof::base

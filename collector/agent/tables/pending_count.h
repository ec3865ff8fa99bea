// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

namespace flopsprof::agent {

// How many things wait to be booked or left out, where a function that is held and may never be
// called keeps each of them. One thread.
class PendingCount {
 public:
  // Counts one as long as the token or a copy of it lives, also after this.
  std::shared_ptr<void> Hold() {
    ++*count_;
    return {nullptr, [count = count_](void*) { --*count; }};
  }
  uint64_t count() const { return *count_; }

 private:
  std::shared_ptr<uint64_t> count_ = std::make_shared<uint64_t>(0);
};

}  // namespace flopsprof::agent

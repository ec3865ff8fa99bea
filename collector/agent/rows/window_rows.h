// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

#include "flopsprof/v1/profile.pb.h"
#include "proto/shm/records.h"

namespace flopsprof::agent {

// When the work of one process was recorded, and the instants that the user has named. One thread.
class WindowRows {
 public:
  void OnStep(const shm::StepRecord& record);
  void Mark(const std::string& name, uint64_t mono_ns, int64_t utc_ns, int64_t step);
  // The process was there at that time; nothing changes after it has ended.
  void Seen(uint64_t mono_ns, bool final);

  // Appends at most `max` changed rows; returns how many. Windows that have ended and instants are
  // forgotten then, but for the newest window.
  size_t Emit(size_t max, v1::ProcessProfile* profile);

  // Windows or marks that have no row: too many that were not sent.
  uint64_t refused_count() const { return refused_count_; }
  size_t kept_count() const { return windows_.size() + marks_.size(); }

 private:
  static constexpr size_t kMaxRows = 4096;  // of each kind

  struct Window {
    uint64_t begin_mono_ns = 0;
    uint64_t end_mono_ns = 0;
    int64_t first_step = -1;
    int64_t end_step = -1;
    bool changed = true;
  };
  struct Instant {
    std::string name;
    uint64_t mono_ns = 0;
    int64_t utc_ns = 0;
    int64_t step = -1;
  };

  void Begin(uint64_t mono_ns, int64_t step);
  void End(uint64_t mono_ns, int64_t step);

  std::deque<Window> windows_;  // the newest last
  std::deque<Instant> marks_;   // not sent yet
  bool any_begun_ = false;
  bool open_ = false;  // the newest one
  uint64_t refused_count_ = 0;
  uint64_t process_begin_mono_ns_ = 0;
  uint64_t seen_mono_ns_ = 0;
};

}  // namespace flopsprof::agent

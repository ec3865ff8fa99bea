// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

#include "collector/base/mutex.h"

namespace flopsprof::store {

// The newest records of a log that is being written, as they came: its reader, in the same process,
// need not get them from the file. Any thread; one of them takes.
class LogWindow {
 public:
  // A record that is on the disk, and where its frame lies.
  struct Record {
    uint64_t sequence = 0;
    int64_t utc_ns = 0;
    uint64_t segment = 0;
    uint64_t begin = 0;
    uint64_t end = 0;
    std::string payload;
  };

  explicit LogWindow(size_t most_bytes) : most_bytes_(most_bytes) {}

  // Not kept where there is no room for it: the file has it.
  void Add(Record record);
  // The record of that number, which leaves the window with those before it. False: it is not
  // there.
  bool Take(uint64_t sequence, Record* record);

  size_t bytes();

 private:
  const size_t most_bytes_;
  base::Mutex mutex_;
  std::deque<Record> records_ ABSL_GUARDED_BY(mutex_);  // by number
  size_t bytes_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace flopsprof::store

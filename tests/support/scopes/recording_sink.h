// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// A record sink for tests: keeps what was emitted. Not thread-safe beyond a lock around each call.

#include <stdint.h>

#include <map>
#include <string>
#include <vector>

#include "injector/transport/record_sink.h"

namespace flopsprof::test {

struct RecordedRecord {
  unsigned char bytes[shm::kRecordBytes];
  template <typename Record>
  const Record& As() const {
    return *reinterpret_cast<const Record*>(bytes);
  }
  shm::RecordType type() const {
    return static_cast<shm::RecordType>(As<shm::RecordHeader>().type);
  }
};

// Begins a session: a new epoch, nothing recorded.
void BeginRecording();
void StopRecording();
void RecordHostClock(bool timed);  // as Recording::kTimedWork, or not
// Benchmarks: records are copied to a small ring of the thread and forgotten.
void DiscardRecords(bool discard);
std::vector<RecordedRecord> TakeRecords();
std::string RecordedString(uint32_t id);
// There is no room for this one. "": for all.
void RefuseString(const std::string& text);
uint64_t RecordedLoss(shm::LossCounter counter);
std::map<std::string, std::string> RecordedNotes();
uint64_t RecordedModuleCalls();
uint64_t RecordedBackwardNodes();

}  // namespace flopsprof::test

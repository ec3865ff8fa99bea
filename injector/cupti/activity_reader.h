// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Turns a buffer of CUPTI activity records into records of ours. Trusts nothing but the memory
// between `buffer` and `buffer + valid_bytes`: what cannot be read is counted, never followed.

#include <stddef.h>
#include <stdint.h>

#include "injector/cupti/cupti_types.h"

namespace flopsprof::injector {

class ActivityReader {
 public:
  // Steps from one record to the next: cuptiActivityGetNextRecord.
  using NextRecord = CuptiResult (*)(uint8_t* buffer, size_t valid_bytes, uint8_t** record);

  explicit ActivityReader(NextRecord next) : next_(next) {}

  // Emits every record of the buffer. Runs on the thread that CUPTI delivers on.
  void ReadBuffer(uint8_t* buffer, size_t valid_bytes);

  // Devices seen in records so far: bit i is ordinal i.
  uint64_t devices_seen() const { return devices_seen_; }

  // Records of nodes of graphs so far.
  uint64_t graph_nodes_seen() const { return graph_nodes_seen_; }

 private:
  // Kernel names by address, for one buffer only: an address can be used again for another name
  // when a module is unloaded, and copies the name's bytes once per buffer.
  struct NameCache {
    static constexpr uint32_t kEntries = 256;
    const char* name[kEntries] = {};
    uint32_t id[kEntries] = {};
  };

  void ReadRecords(uint8_t* buffer, size_t valid_bytes);
  void ReadRecord(const uint8_t* record, size_t bytes, NameCache* names);
  void ReadActivity(const uint8_t* record, size_t bytes, const ActivityLayout& layout, uint8_t kind,
                    NameCache* names);
  void ReadOverhead(const uint8_t* record, size_t bytes);

  const NextRecord next_;
  uint64_t devices_seen_ = 0;
  uint64_t graph_nodes_seen_ = 0;
  uint64_t activities_ = 0;       // of this buffer
  bool ids_are_awaited_ = false;  // by spared_callbacks
};

}  // namespace flopsprof::injector

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Activity records: the structs of CUPTI 13.0, made from what libsimcore reports.
#include <cstddef>
#include <cstdint>

#include "simcore.h"

namespace simgpu {

// A record on its way into a client's buffer.
struct Record {
  alignas(8) uint8_t data[256];
  size_t size = 0;
  uint64_t ready_ns = 0;  // REALTIME; complete from then on
  uint64_t end_ns = 0;    // end of the operation; 0: complete at once
  uint64_t sequence = 0;
  int device = -1;                // of an operation
  uint32_t thread = 0;            // of the launch: buffers are per thread
  char* recycled_name = nullptr;  // overwritten after delivery (fault)
};

void PutOperationRecord(const SimOp& op);
void PutApiRecord(const SimFrame& frame);
void PutExternalCorrelations(uint32_t correlation_id);

// Takes the times out of a record whose operation has not ended.
void MarkIncomplete(Record* record);

// Size of the records of a kind; 0: unknown kind.
size_t RecordSize(uint32_t kind);

}  // namespace simgpu

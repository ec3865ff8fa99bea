// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Streams and the simulated time line of each.
#include <atomic>
#include <mutex>
#include <vector>

#include "simcore.h"

namespace simgpu {

struct Graph;
struct CaptureOrigin;

struct Stream {
  uint32_t id = 0;
  int dev = 0;
  std::atomic<uint64_t> tail{0};  // end of the last operation, REALTIME ns
  // Capture; guarded by StreamsMutex for writing.
  Graph* capture = nullptr;
  unsigned long long capture_id = 0;
  bool origin = false;
};

// The stream of a handle; null and the legacy handles 1 and 2: the current device's own.
Stream* FindStream(void* handle);
std::mutex& StreamsMutex();
// All streams ever made. Hold StreamsMutex.
std::vector<Stream*>& AllStreams();

// Runs an operation now: gives it start, end and ordinal, does its effect, tells ledger
// and sink. latency_ns: from launch to the earliest start. origin: of a graph node that is
// replayed, else null.
void Execute(SimOp& op, Stream* stream, uint64_t latency_ns, const CaptureOrigin* origin);

// Notes that a device is in use; the first time its context "is created".
void UseDevice(int device);

uint64_t KernelCount();

}  // namespace simgpu

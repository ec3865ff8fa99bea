// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Events of graphs and executables, one record each. They are numbered over all threads, so that
// the reader can order the events of all rings. A replay only names the newest number.

#include <stdint.h>

#include "injector/graphs/capture_state.h"
#include "injector/scopes/attribution.h"
#include "injector/transport/thread_state.h"
#include "proto/shm/records.h"

namespace flopsprof::injector {

struct GraphObjects {
  uint64_t capture = 0;
  const void* graph = nullptr;
  const void* source = nullptr;
  const void* executable = nullptr;
};

// Who knows CUPTI's ids of graphs and executables (0: not known). cupti/ says so when it starts;
// null, as it is at first: nobody knows any.
struct GraphIdSource {
  uint32_t (*of_graph)(const void* graph);
  uint32_t (*of_executable)(const void* executable);
};
void SetGraphIdSource(const GraphIdSource* source);

// Emits the event, if there is a session. CUPTI is asked for the ids of graph, executable and
// source, if they are alive. Call this before a destruction, and after all other events: then an
// object at the same address always has a later event.
void EmitGraphEvent(shm::GraphEventKind kind, const GraphObjects& objects);

// The call goes into that capture: before the call's own record, which has no room for it.
void EmitGraphCall(uint32_t call, const Attribution& at, const Capture& capture);

// Number of the newest event, 0: none. One load.
uint64_t NewestGraphEvent();

// The outermost graph call of a thread: one runtime call may reach the driver's of the same kind.
// While it copies a graph, callbacks know from which the copies come.
class GraphCall {
 public:
  explicit GraphCall(const void* source = nullptr);
  ~GraphCall();
  GraphCall(const GraphCall&) = delete;
  GraphCall& operator=(const GraphCall&) = delete;

  bool outermost() const { return outermost_; }

 private:
  ThreadState* const thread_;
  bool outermost_ = false;
};

}  // namespace flopsprof::injector

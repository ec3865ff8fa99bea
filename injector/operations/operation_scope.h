// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// One operation of the framework while it runs: it owns the launches made inside, unless library
// calls are made inside, which then count in its place. Operations within operations only pass
// through.
//
// PyTorch's operations throw, and nothing of ours may run C++ clean-up (no exceptions here, no C++
// library). So there is no destructor. Whoever leaves normally calls End(); when an exception
// passes, AbandonOperation() is called (FLOPSPROF_UNWINDS in operation_hook.h).

#include <stddef.h>
#include <stdint.h>

#include "injector/scopes/attribution.h"
#include "injector/transport/thread_state.h"
#include "proto/shm/operations.h"
#include "proto/shm/records.h"

#include "injector/graphs/capture_state.h"

namespace flopsprof::injector {

class OperationScope {
 public:
  explicit OperationScope(shm::OperationId operation);

  // False: nested, inside a library call, not recording, or ours. Then only pass through.
  bool counted() const { return counted_; }

  // The record to be written at the end; to be filled before the operation runs.
  shm::OperationCall* call() { return &call_; }

  // The stream is being captured: the operation does not run now.
  void SetCaptured(const Capture& capture);

  void End();

 private:
  ThreadState* const thread_;
  bool counted_ = false;
  uint64_t capture_ = 0;
  shm::OperationCall call_;
};

// Opens a counted operation on the thread. kNoCall: it must not be counted. Each call must be
// followed by EndOperation or AbandonOperation, whatever it returned.
uint32_t BeginOperation(ThreadState* thread);

// What became of the operation: its work is counted; library calls were made inside.
enum class OperationEnd { kOwn, kLibrary };
OperationEnd EndOperation(ThreadState* thread, bool counted);

// An operation that only the program knows, begun by BeginNamedOperation. Texts: borrowed.
struct NamedOperation {
  uint32_t call;  // what BeginNamedOperation returned
  const char* name;
  size_t name_bytes;
  const char* shape;
  size_t shape_bytes;
  const char* reason;
  size_t reason_bytes;
  bool known;  // `flops` is what the program's formula gave
  uint64_t flops;
  uint64_t recompute_flops;  // of them, what repeats a forward pass
  int8_t type;               // c10::ScalarType, -1 = not known
};
// As BeginOperation, on the calling thread.
uint32_t BeginNamedOperation();
void EndNamedOperation(const NamedOperation& operation);

// Writes that the launches of `call` are not its work.
void EmitOperationWithoutWork(uint32_t call, uint32_t scope, int status);

// An exception leaves the innermost operation of the calling thread.
void AbandonOperation();

}  // namespace flopsprof::injector

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The five exported C++ functions of PyTorch that attribution needs, found by their mangled names
// in a libtorch_cpu that is already mapped. Only functions with plain returns are safe to call
// without PyTorch's headers. Absent ones stay null and are never called.

#include <stdint.h>

namespace flopsprof::injector {

// What at::addGlobalCallback takes: two pointers, a probability, and one bool for each
// RecordScope (10 in PyTorch 2.4 to 2.14) followed by needs_inputs, needs_outputs, needs_ids.
struct RecordFunctionCallback {
  void* start;
  void* end;
  double sampling_probability;
  bool flags[16];
};
static_assert(sizeof(RecordFunctionCallback) == 40, "layout of at::RecordFunctionCallback");

struct TorchFunctions {
  uint64_t (*next_sequence)();  // at::sequence_number::peek, per thread
  uint64_t (*thread_number)();  // at::RecordFunction::currentThreadId, never used twice
  bool (*grad_enabled)();       // c10::GradMode::is_enabled
  int (*graph_task)();          // get_current_graph_task_id; < 0: no pass on this thread
  uint64_t (*add_global_callback)(RecordFunctionCallback);
};

// Filled once by FindTorchFunctions (or by a test), read by every thread.
extern TorchFunctions g_torch;

// True when everything that the sequence log needs was found. Idempotent; any thread.
bool FindTorchFunctions();

// Is the part of PyTorch that has modules mapped?
bool TorchPythonIsMapped();

inline bool InBackwardPass() { return g_torch.graph_task != nullptr && g_torch.graph_task() >= 0; }
inline bool GradEnabled() { return g_torch.grad_enabled != nullptr && g_torch.grad_enabled(); }

}  // namespace flopsprof::injector

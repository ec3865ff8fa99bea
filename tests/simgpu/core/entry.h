// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the generated entry points (gen.py) do before they call an implementation.
#include "simcore.h"

#define VISIBLE extern "C" __attribute__((visibility("default")))

// How a profiler knows that this library is a stand-in: each one exports the symbol.
VISIBLE int flopsprof_simulated_gpu;
int flopsprof_simulated_gpu = 1;

// Counts the call (SIMCALLS) and lets the fault script refuse it.
#define SIM_ENTRY(type, library, name)                                   \
  if (__builtin_expect(sim_entry_watched, 0)) {                          \
    if (int refused = sim_entry(library ":" name)) return (type)refused; \
  }

// The same for a library whose outermost call the ledger names.
#define SIM_LIBRARY_ENTRY(type, library, name) \
  SimCallScope call_scope_(name);              \
  SIM_ENTRY(type, library, name)

// What a cuSOLVER call does by calling cuBLAS; libcusolver only.
void sim_solver_products();

// The same for libcupti, which the fault script can make absent or too old. Error texts
// are there in any case.
int sim_cupti_gate(const char* name);
#define SIM_CUPTI_ENTRY(type, library, name)                                \
  if (int state = sim_cupti_gate(name)) {                                   \
    if (!strstr(name, "Get") || !strstr(name, "tring")) return (type)state; \
  }                                                                         \
  SIM_ENTRY(type, library, name)

static inline const char* sim_function_name(const void* function) {
  return function ? static_cast<const SimFn*>(function)->name : nullptr;
}

// One driver or runtime call as CUPTI sees it.
class SimApiScope {
 public:
  SimApiScope(int domain, uint32_t id, const char* name, const void* params, void* result,
              const char* symbol) {
    frame_.dom = domain;
    frame_.cbid = id;
    frame_.fname = name;
    frame_.params = params;
    frame_.ret = result;
    frame_.sym = symbol;
    sim_enter(&frame_);
  }
  ~SimApiScope() { sim_exit(&frame_); }
  SimApiScope(const SimApiScope&) = delete;
  SimApiScope& operator=(const SimApiScope&) = delete;

 private:
  SimFrame frame_;
};

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// The least that every source of a stand-in library needs.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

// Marks a function that gen.py makes an exported entry point for.
#ifdef SIMGPU_API_MARKED
#define API SIMGPU_API_MARK
#else
#define API extern "C"
#endif

#pragma GCC visibility push(default)
extern "C" {
// SIMLOG: 0 silent, 1 launches and calls without an implementation, 2 more.
int sim_log_level();
// Notes a call to an entry point that has no implementation.
void sim_unimpl(const char* name);
// Counts one call of an entry point (SIMCALLS).
void sim_count(const char* name);
}
#pragma GCC visibility pop

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where engine_hook does not fit: follows autograd nodes through PyTorch's own callback for
// backward functions, so that work of a backward pass belongs to the scope whose forward made the
// node. PyTorch's headers are not used: where at::RecordFunction keeps a node's number and its
// forward thread is found by search, with nodes of known numbers that the shim runs directly
// (calling a node starts no autograd threads).

#include <stdint.h>

namespace flopsprof::injector {

// Adds the callback (once in a process) and starts a search. False: PyTorch has no such callback,
// or is of a version (torch.__version__) whose callbacks may be laid out in another way: they are
// passed by value, and nothing can be asked about them.
bool BeginFieldSearch(const char* torch_version);

// The next node that this or another thread runs has these numbers.
void ExpectNode(uint64_t sequence, uint64_t thread_number);

// Sequence offset * 10000 + thread offset; 0 unless exactly one place fits each.
uint64_t EndFieldSearch();

// From now on nodes are attributed.
void FollowBackward(uint32_t sequence_offset, uint32_t thread_offset);

// What PyTorch calls; here for tests and benchmarks. `record` is an at::RecordFunction.
void OnNodeBegins(const void* record);
void OnNodeEnds();

}  // namespace flopsprof::injector

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Follows autograd nodes where PyTorch's engine runs them: libtorch_cpu calls its own
// torch::autograd::Engine::evaluate_function, once for each node, through its table of addresses,
// and what is written there stands in front. Nothing else in PyTorch changes. A callback of
// RecordFunction costs ten times as many instructions: each node then makes its name, and each
// change of thread-local state rebuilds lists of callbacks.
//
// Where a node keeps its number and its forward thread is found by search, with nodes of known
// numbers that the shim makes. Without the table's entry, or when no place is found, nothing was
// changed and backward_callback is used.

#include <stdint.h>

namespace flopsprof::injector {

// Starts a search. False: libtorch_cpu has no such entry, or it is another tool's.
bool BeginNodeSearch();

// `grad_fn`: a Python object for a node of PyTorch's own, of these numbers. Python's lock is held.
void CompareNode(const void* grad_fn, uint64_t sequence, uint64_t thread_number);

// Sequence offset * 10000 + thread offset; 0 unless exactly one place fits each.
uint64_t EndNodeSearch();

// From now on nodes are attributed. False: the entry cannot be written.
bool FollowEngine(uint32_t sequence_offset, uint32_t thread_offset);

bool EngineIsFollowed();

// The entry is PyTorch's again; is ours again, if it was; is still ours (the loader may have bound
// it at the moment when we wrote).
void LeaveEngine();
void ReturnToEngine();

}  // namespace flopsprof::injector

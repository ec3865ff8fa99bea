// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Ranges and marks on the calling thread's stack.

#include <stddef.h>
#include <stdint.h>

#include "proto/shm/records.h"

namespace flopsprof::injector {

// Stands for the length of a text that ends with a NUL: known ranges are entered without it.
constexpr size_t kTerminated = SIZE_MAX;

// What an entry of a range, or a mark, carries beside its name.
struct RangeFacts {
  const char* category_name = nullptr;  // kept for ever; null: none
  uint64_t payload = 0;                 // bits of payload_type
  uint32_t category = 0;
  shm::PayloadType payload_type = shm::PayloadType::kNone;

  bool any() const { return category != 0 || payload_type != shm::PayloadType::kNone; }
};

// Enters a range below the current scope and reports it. Depth for ThreadScopes::Leave, or
// ThreadScopes::kRefused. `domain` is interned or null.
uint32_t EnterNamedRange(shm::ScopeKind kind, const char* domain, const char* name, size_t bytes);
// The same for an entry that carries more; apart, because most do not.
uint32_t EnterRangeWith(const RangeFacts& facts, const char* domain, const char* name,
                        size_t bytes);

// Defines the scope when needed and sends one ScopeEnter, for the frame that was just entered at
// `depth`. The result is the depth for ThreadScopes::Leave.
uint32_t EmitScopeEnter(uint32_t scope, shm::Phase phase, uint32_t depth);
uint32_t EmitScopeEnterWith(const RangeFacts& facts, uint32_t scope, shm::Phase phase,
                            uint32_t depth);
// The same for a start/end range, which is on no stack. The result is the id for EndTimedRange, or
// the same one where the host's clock is not recorded.
uint64_t EmitRangeStart(uint32_t scope, uint64_t id);
uint64_t EmitRangeStartWith(const RangeFacts& facts, uint32_t scope, uint64_t id);
// False: `id` is not of a timed range, or it is not open any more.
bool EndTimedRange(uint64_t id);

// One ScopeExit, if the host's clock is recorded just now.
void EmitScopeExit(uint32_t scope, uint32_t frame, shm::Phase phase, shm::ScopeExitKind kind,
                   uint64_t range);

// Sends a mark in the current scope. Of more than a few thousand texts the rest is "(other)",
// counted as kScopeTableFull.
void EmitMark(const RangeFacts& facts, const char* domain, const char* name, size_t bytes);
void ForgetMarksForTesting();

}  // namespace flopsprof::injector

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/stacks/native_stack.h"

#include <string.h>

#include "injector/stacks/stack_bounds.h"

namespace flopsprof::injector {
namespace {

// Of any word of a stack, also of those between variables.
__attribute__((no_sanitize("address"))) uintptr_t Load(uintptr_t address) {
  uintptr_t value;
  __builtin_memcpy(&value, reinterpret_cast<const void*>(address), sizeof(value));
  return value;
}

}  // namespace

const UnwindRow& StackWalker::RowOf(uintptr_t address) {
  KnownRow& known = rows_[(address ^ address >> 11) & (kRows - 1)];
  if (FLOPSPROF_UNLIKELY(known.address != address)) {
    uintptr_t function = 0;
    known.row = FindUnwindRow(address, &function);
    if (stop_ != 0 && function == stop_) known.row.cfa = CfaRule::kStop;
    known.address = address;
  }
  return known.row;
}

bool StackWalker::FindStack(uintptr_t rsp) {
  stack_begin_ = stack_end_ = 0;
  return FindMappingAt(rsp, &stack_begin_, &stack_end_);
}

NativeStack StackWalker::Walk(Registers from, uintptr_t stop, uintptr_t* frames,
                              uint32_t capacity) {
  NativeStack result;
  if (stop != stop_) {
    memset(rows_, 0, sizeof(rows_));
    stop_ = stop;
  }
  // Another stack: a fibre's, or one that has grown downwards.
  const bool known = from.rsp >= stack_begin_ && from.rsp < stack_end_;
  if (!known && !FindStack(from.rsp)) {
    result.cut = true;
    return result;
  }
  lowest_ = from.rsp;
  uintptr_t lookup = from.rip;
  uintptr_t rsp = from.rsp;
  uintptr_t rbp = from.rbp;
  for (;;) {
    const UnwindRow& row = RowOf(lookup);
    uintptr_t cfa = 0;
    switch (row.cfa) {
      case CfaRule::kEnd:
        return result;
      case CfaRule::kStop:
        // The frame just kept is the one of `stop`.
        if (result.count != 0) --result.count;
        result.reached_stop = true;
        return result;
      case CfaRule::kRsp:
        cfa = rsp + static_cast<intptr_t>(row.cfa_offset);
        break;
      case CfaRule::kRbp:
        cfa = rbp + static_cast<intptr_t>(row.cfa_offset);
        break;
      case CfaRule::kAtRbp: {
        const uintptr_t at = rbp + static_cast<intptr_t>(row.cfa_offset);
        cfa = StackHolds(at) ? Load(at) : 0;
        break;
      }
      case CfaRule::kUnknown:
        break;
    }
    // Each frame lies above the one that it has called.
    if (cfa < rsp + sizeof(uintptr_t) || !StackHolds(cfa - sizeof(uintptr_t))) break;
    if (row.rbp != RbpRule::kSame) {
      const uintptr_t at = (row.rbp == RbpRule::kAtCfa ? cfa : rbp) + row.rbp_offset;
      if (!StackHolds(at)) break;
      rbp = Load(at);
    }
    const uintptr_t back = Load(cfa - sizeof(uintptr_t));
    if (back == 0) return result;  // as _start has it
    rsp = cfa;
    lookup = back - 1;  // in the call instruction: what follows may be another function
    if (result.count == capacity) break;
    frames[result.count++] = back;
  }
  result.cut = true;
  return result;
}

}  // namespace flopsprof::injector

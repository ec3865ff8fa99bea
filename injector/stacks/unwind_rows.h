// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// How to get from one frame of a stack to the next, by what compilers write into .eh_frame for
// every function. Reads mapped objects only: no allocation, no descriptor, no change to the
// process; in a well-formed program the lock of the loader's list is the only one taken. The way
// libunwind goes was not taken: it opens a pipe, allocates, and masks signals in the job.

#include <stddef.h>
#include <stdint.h>

namespace flopsprof::injector {

enum class CfaRule : uint8_t {
  kUnknown = 0,  // no row for this address, or one of a kind that is not read
  kEnd,          // the outermost frame
  kRsp,          // CFA = rsp + cfa_offset
  kRbp,          // CFA = rbp + cfa_offset
  kAtRbp,        // CFA = *(rbp + cfa_offset): functions that align their stack
  kStop,         // never found in a table: the walker marks the function it ends at
};

enum class RbpRule : uint8_t {
  kSame = 0,
  kAtCfa,  // saved at CFA + rbp_offset
  kAtRbp,  // saved at rbp + rbp_offset
};

// 8 bytes, so that a cache line holds four with their addresses. The return address is always just
// below the CFA.
struct UnwindRow {
  int32_t cfa_offset;
  int16_t rbp_offset;
  CfaRule cfa;
  RbpRule rbp;
};
static_assert(sizeof(UnwindRow) == 8, "two rows and their addresses fill half a cache line");

// The row that holds at `address`, an instruction (for callers: the return address - 1). Also where
// the function begins, 0 = not known. Some microseconds: keep the result.
UnwindRow FindUnwindRow(uintptr_t address, uintptr_t* function);

// The same for one object, whose .eh_frame_hdr section is given; for tests of broken sections.
UnwindRow FindUnwindRowIn(const uint8_t* header, size_t header_bytes, uintptr_t object_begin,
                          uintptr_t object_end, uintptr_t address, uintptr_t* function);

}  // namespace flopsprof::injector

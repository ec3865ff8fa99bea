// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Runs the instructions of one function's frame (DWARF 5, section 6.4) up to an address: where the
// caller's stack begins there (CFA), and where its rbp and the return address lie. Of the other
// registers nothing is kept. Reads memory within the bounds that it is given; pure.

#include <stdint.h>

#include "injector/stacks/dwarf_cursor.h"
#include "injector/stacks/eh_frame.h"

namespace flopsprof::injector {

// DWARF's numbers of x86-64's registers.
constexpr uint64_t kDwarfRbp = 6;
constexpr uint64_t kDwarfRsp = 7;
constexpr uint64_t kDwarfReturnAddress = 16;

// Where one register of the caller is.
struct SavedRegister {
  enum Kind : uint8_t { kSame, kUndefined, kAtCfa, kAtRbp, kOther };
  Kind kind = kSame;
  int64_t offset = 0;
};

// What holds at one address.
struct CfaRules {
  uint64_t cfa_register = 0;
  int64_t cfa_offset = 0;
  bool cfa_at_rbp = false;  // CFA = *(rbp + cfa_offset)
  bool cfa_other = false;   // by an expression that is not read
  SavedRegister rbp;
  SavedRegister return_address;
};

class CfaProgram {
 public:
  // `header`: the object's section .eh_frame_hdr, to which pointers may be relative.
  CfaProgram(const Cie& cie, uintptr_t header) : cie_(cie), header_(header) {}

  const CfaRules& rules() const { return rules_; }

  // What "restore" goes back to: the rules after the CIE's own instructions.
  void KeepInitialRules() { initial_ = rules_; }

  // Runs up to the row that holds at `target`. False: something that is not understood.
  bool Run(DwarfCursor in, uintptr_t location, uintptr_t target);

 private:
  uintptr_t Advance(uint8_t op, DwarfCursor* in, uintptr_t location) const;
  int64_t Scaled(int64_t factored) const { return factored * cie_.data_alignment; }
  void Save(uint64_t where, SavedRegister saved);
  void Restore(uint64_t where);
  void SetCfa(uint64_t where, int64_t offset);
  bool RunSave(uint8_t op, DwarfCursor* in);
  bool RunCfa(uint8_t op, DwarfCursor* in);
  bool RunState(uint8_t op, DwarfCursor* in);

  static constexpr int kMaxStates = 8;
  const Cie& cie_;
  const uintptr_t header_;
  CfaRules rules_;
  CfaRules initial_;
  CfaRules states_[kMaxStates];
  int depth_ = 0;
};

}  // namespace flopsprof::injector

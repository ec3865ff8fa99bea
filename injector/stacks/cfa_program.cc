// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/stacks/cfa_program.h"

namespace flopsprof::injector {
namespace {

// DW_CFA_...: the three that hold an operand in their lower six bits, and all others.
enum PackedOp : uint8_t { kAdvanceLoc = 0x40, kOffset = 0x80, kRestore = 0xc0 };
enum Op : uint8_t {
  kNop = 0x00,
  kSetLoc = 0x01,
  kAdvanceLoc1 = 0x02,
  kAdvanceLoc2 = 0x03,
  kAdvanceLoc4 = 0x04,
  kOffsetExtended = 0x05,
  kRestoreExtended = 0x06,
  kUndefined = 0x07,
  kSameValue = 0x08,
  kRegister = 0x09,
  kRememberState = 0x0a,
  kRestoreState = 0x0b,
  kDefCfa = 0x0c,
  kDefCfaRegister = 0x0d,
  kDefCfaOffset = 0x0e,
  kDefCfaExpression = 0x0f,
  kExpression = 0x10,
  kOffsetExtendedSf = 0x11,
  kDefCfaSf = 0x12,
  kDefCfaOffsetSf = 0x13,
  kValExpression = 0x16,
  kGnuArgsSize = 0x2e,
};
// DW_OP_...
constexpr uint8_t kBreg6 = 0x76;
constexpr uint8_t kDeref = 0x06;

bool IsAdvance(uint8_t op) { return op >= kSetLoc && op <= kAdvanceLoc4; }

// The block of an expression. True and its offset if it is "rbp + offset", followed by a load if
// `loaded`: what compilers write in functions that align their stack.
bool ReadRbpExpression(DwarfCursor* in, bool loaded, int64_t* offset) {
  const uint64_t bytes = in->Uleb();
  DwarfCursor block = *in;
  in->Skip(bytes);
  if (!in->good) return false;
  block.end = block.at + bytes;
  if (block.Read<uint8_t>() != kBreg6) return false;
  *offset = block.Sleb();
  if (loaded && block.Read<uint8_t>() != kDeref) return false;
  return block.good && block.at == block.end;
}

}  // namespace

bool CfaProgram::Run(DwarfCursor in, uintptr_t location, uintptr_t target) {
  while (in.good && in.at < in.end) {
    const auto op = in.Read<uint8_t>();
    const uint64_t low = op & 0x3f;
    switch (op & 0xc0) {
      case kAdvanceLoc:
        location += low * cie_.code_alignment;
        if (location > target) return true;
        continue;
      case kOffset:
        Save(low, {SavedRegister::kAtCfa, Scaled(static_cast<int64_t>(in.Uleb()))});
        continue;
      case kRestore:
        Restore(low);
        continue;
      default:
        break;
    }
    if (IsAdvance(op)) {
      location = Advance(op, &in, location);
      if (location > target) return true;
      continue;
    }
    if (!RunSave(op, &in) && !RunCfa(op, &in) && !RunState(op, &in)) return false;
  }
  return in.good;
}

uintptr_t CfaProgram::Advance(uint8_t op, DwarfCursor* in, uintptr_t location) const {
  switch (op) {
    case kSetLoc:
      return in->Pointer(cie_.pointer_encoding, header_);
    case kAdvanceLoc1:
      return location + in->Read<uint8_t>() * cie_.code_alignment;
    case kAdvanceLoc2:
      return location + in->Read<uint16_t>() * cie_.code_alignment;
    default:
      return location + in->Read<uint32_t>() * cie_.code_alignment;
  }
}

void CfaProgram::Save(uint64_t where, SavedRegister saved) {
  if (where == kDwarfRbp) rules_.rbp = saved;
  if (where == kDwarfReturnAddress) rules_.return_address = saved;
}

void CfaProgram::Restore(uint64_t where) {
  if (where == kDwarfRbp) rules_.rbp = initial_.rbp;
  if (where == kDwarfReturnAddress) rules_.return_address = initial_.return_address;
}

void CfaProgram::SetCfa(uint64_t where, int64_t offset) {
  rules_.cfa_register = where;
  rules_.cfa_offset = offset;
  rules_.cfa_at_rbp = rules_.cfa_other = false;
}

// Where a register is. False: not such an instruction (nothing was read).
bool CfaProgram::RunSave(uint8_t op, DwarfCursor* in) {
  const bool saves = (op >= kOffsetExtended && op <= kRegister) || op == kExpression ||
                     op == kOffsetExtendedSf || op == kValExpression;
  if (!saves) return false;
  const uint64_t where = in->Uleb();
  SavedRegister saved;
  switch (op) {
    case kOffsetExtended:
      saved = {SavedRegister::kAtCfa, Scaled(static_cast<int64_t>(in->Uleb()))};
      break;
    case kOffsetExtendedSf:
      saved = {SavedRegister::kAtCfa, Scaled(in->Sleb())};
      break;
    case kRestoreExtended:
      Restore(where);
      return true;
    case kUndefined:
      saved.kind = SavedRegister::kUndefined;
      break;
    case kSameValue:
      break;
    case kRegister:
      saved.kind = SavedRegister::kOther;
      in->Uleb();
      break;
    case kExpression:
      saved.kind = ReadRbpExpression(in, /*loaded=*/false, &saved.offset) ? SavedRegister::kAtRbp
                                                                          : SavedRegister::kOther;
      break;
    default:  // kValExpression
      saved.kind = SavedRegister::kOther;
      in->Skip(in->Uleb());
      break;
  }
  Save(where, saved);
  return true;
}

// Where the CFA is. False: not such an instruction (nothing was read).
bool CfaProgram::RunCfa(uint8_t op, DwarfCursor* in) {
  switch (op) {
    case kDefCfa: {
      const uint64_t where = in->Uleb();
      SetCfa(where, static_cast<int64_t>(in->Uleb()));
      return true;
    }
    case kDefCfaSf: {
      const uint64_t where = in->Uleb();
      SetCfa(where, Scaled(in->Sleb()));
      return true;
    }
    case kDefCfaRegister:
      SetCfa(in->Uleb(), rules_.cfa_offset);
      return true;
    case kDefCfaOffset:
      SetCfa(rules_.cfa_register, static_cast<int64_t>(in->Uleb()));
      return true;
    case kDefCfaOffsetSf:
      SetCfa(rules_.cfa_register, Scaled(in->Sleb()));
      return true;
    case kDefCfaExpression:
      rules_.cfa_at_rbp = ReadRbpExpression(in, /*loaded=*/true, &rules_.cfa_offset);
      rules_.cfa_other = !rules_.cfa_at_rbp;
      return true;
    default:
      return false;
  }
}

// What says nothing of a register. False: not understood.
bool CfaProgram::RunState(uint8_t op, DwarfCursor* in) {
  switch (op) {
    case kNop:
      return true;
    case kRememberState:
      if (depth_ == kMaxStates) return false;
      states_[depth_++] = rules_;
      return true;
    case kRestoreState:
      if (depth_ == 0) return false;
      rules_ = states_[--depth_];
      return true;
    case kGnuArgsSize:
      in->Uleb();
      return true;
    default:
      return false;
  }
}

}  // namespace flopsprof::injector

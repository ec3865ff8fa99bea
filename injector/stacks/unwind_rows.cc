// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/stacks/unwind_rows.h"

#include "injector/base/mapped_objects.h"
#include "injector/stacks/cfa_program.h"
#include "injector/stacks/eh_frame.h"

namespace flopsprof::injector {
namespace {

constexpr UnwindRow kUnknownRow = {0, 0, CfaRule::kUnknown, RbpRule::kSame};

bool Fits32(int64_t value) { return value == static_cast<int32_t>(value); }
bool Fits16(int64_t value) { return value == static_cast<int16_t>(value); }

UnwindRow PackRules(const CfaRules& rules) {
  UnwindRow row = kUnknownRow;
  if (rules.return_address.kind == SavedRegister::kUndefined) {
    row.cfa = CfaRule::kEnd;
    return row;
  }
  const bool known = rules.return_address.kind == SavedRegister::kAtCfa &&
                     rules.return_address.offset == -8 && !rules.cfa_other &&
                     Fits32(rules.cfa_offset) && Fits16(rules.rbp.offset);
  if (!known || rules.rbp.kind == SavedRegister::kOther) return row;
  // A function that leaves rbp undefined is the outermost that used it.
  row.rbp = rules.rbp.kind == SavedRegister::kAtCfa   ? RbpRule::kAtCfa
            : rules.rbp.kind == SavedRegister::kAtRbp ? RbpRule::kAtRbp
                                                      : RbpRule::kSame;
  row.cfa_offset = static_cast<int32_t>(rules.cfa_offset);
  row.rbp_offset = static_cast<int16_t>(rules.rbp.offset);
  if (rules.cfa_at_rbp) {
    row.cfa = CfaRule::kAtRbp;
  } else if (rules.cfa_register == kDwarfRsp) {
    row.cfa = CfaRule::kRsp;
  } else if (rules.cfa_register == kDwarfRbp) {
    row.cfa = CfaRule::kRbp;
  }
  return row;
}

// An object's section .eh_frame_hdr, and what of it is in its file: the tables lie there.
struct FrameTable {
  const uint8_t* header = nullptr;
  size_t header_bytes = 0;
  AddressRange object;
};

// False: the object has no code at this address.
bool FindFrameTable(const MappedObject& object, uintptr_t address, FrameTable* table) {
  bool contains = false;
  table->object = {UINTPTR_MAX, 0};
  for (size_t i = 0; i < object.segment_count; ++i) {
    const ElfW(Phdr)& segment = object.segments[i];
    const uintptr_t begin = object.AddressOf(segment);
    if (segment.p_type == PT_GNU_EH_FRAME) {
      table->header = reinterpret_cast<const uint8_t*>(begin);
      table->header_bytes = segment.p_memsz;
    }
    if (segment.p_type != PT_LOAD) continue;
    const AddressRange part = {begin, begin + segment.p_filesz};
    contains = contains || part.Contains(address);
    if (part.begin < table->object.begin) table->object.begin = part.begin;
    if (part.end > table->object.end) table->object.end = part.end;
  }
  return contains;
}

}  // namespace

UnwindRow FindUnwindRowIn(const uint8_t* header, size_t header_bytes, uintptr_t object_begin,
                          uintptr_t object_end, uintptr_t address, uintptr_t* function) {
  *function = 0;
  FunctionFrame frame;
  if (!FindFunctionFrame(header, header_bytes, {object_begin, object_end}, address, &frame)) {
    return kUnknownRow;
  }
  CfaProgram program(frame.cie, reinterpret_cast<uintptr_t>(header));
  if (!program.Run(frame.cie.instructions, 0, UINTPTR_MAX)) return kUnknownRow;
  program.KeepInitialRules();
  if (!program.Run(frame.instructions, frame.function.begin, address)) return kUnknownRow;
  *function = frame.function.begin;
  return PackRules(program.rules());
}

UnwindRow FindUnwindRow(uintptr_t address, uintptr_t* function) {
  UnwindRow row = kUnknownRow;
  *function = 0;
  AnyMappedObject([address, function, &row](const MappedObject& object) {
    FrameTable table;
    if (!FindFrameTable(object, address, &table)) return false;
    if (table.header == nullptr) return true;
    row = FindUnwindRowIn(table.header, table.header_bytes, table.object.begin, table.object.end,
                          address, function);
    return true;
  });
  return row;
}

}  // namespace flopsprof::injector

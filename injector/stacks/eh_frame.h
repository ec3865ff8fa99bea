// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Finds the entries of .eh_frame that tell of one address: which function it is in (FDE), and what
// its functions have in common (CIE). Everything is bounds-checked: sections may be broken.
// Formats: Linux Standard Base, "Exception Frames".

#include <stddef.h>
#include <stdint.h>

#include "injector/base/address_range.h"
#include "injector/stacks/dwarf_cursor.h"

namespace flopsprof::injector {

// What functions that one compiler run wrote have in common.
struct Cie {
  uint64_t code_alignment = 0;
  int64_t data_alignment = 0;
  uint8_t pointer_encoding = 0;
  bool has_augmentation = false;
  bool signal_frame = false;
  DwarfCursor instructions{};
};

// The frame of one function.
struct FunctionFrame {
  AddressRange function;
  Cie cie;
  DwarfCursor instructions{};
};

// Finds the function of `object` that holds `address`. `header`: the object's .eh_frame_hdr.
// False: there is none, or it is a signal's frame, or the section is not as linkers write it.
bool FindFunctionFrame(const uint8_t* header, size_t header_bytes, const AddressRange& object,
                       uintptr_t address, FunctionFrame* frame);

}  // namespace flopsprof::injector

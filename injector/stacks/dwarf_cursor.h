// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reads numbers and pointers of .eh_frame out of memory, never past an end.
// Formats: Linux Standard Base, "Exception Frames"; DWARF 5, section 7.6 (LEB128).

#include <stddef.h>
#include <stdint.h>
#include <string.h>

namespace flopsprof::injector {

// Pointer encodings (DW_EH_PE_...).
constexpr uint8_t kPointerOmitted = 0xff;
constexpr uint8_t kPointerRelativeToPlace = 0x10;
constexpr uint8_t kPointerRelativeToHeader = 0x30;
constexpr uint8_t kPointerIndirect = 0x80;

// Reads forward within bounds; past the end everything is 0 and `good` is false.
struct DwarfCursor {
  const uint8_t* at;
  const uint8_t* end;
  bool good = true;

  template <class T>
  T Read() {
    T value = 0;
    if (static_cast<size_t>(end - at) < sizeof(T)) {
      good = false;
      at = end;
      return 0;
    }
    memcpy(&value, at, sizeof(T));
    at += sizeof(T);
    return value;
  }

  uint64_t Uleb() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const auto byte = Read<uint8_t>();
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) return value;
    }
    good = false;
    return 0;
  }

  int64_t Sleb() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const auto byte = Read<uint8_t>();
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if ((byte & 0x80) != 0) continue;
      if ((byte & 0x40) != 0 && shift + 7 < 64) value |= ~uint64_t{0} << (shift + 7);
      return static_cast<int64_t>(value);
    }
    good = false;
    return 0;
  }

  void Skip(uint64_t bytes) {
    if (bytes > static_cast<size_t>(end - at)) {
      good = false;
      at = end;
    } else {
      at += bytes;
    }
  }

  // A pointer of one of the encodings that linkers use in .eh_frame; of others `good` is false.
  // `header`: the section .eh_frame_hdr, to which some are relative.
  uintptr_t Pointer(uint8_t encoding, uintptr_t header) {
    const auto place = reinterpret_cast<uintptr_t>(at);
    if (encoding == kPointerOmitted || (encoding & kPointerIndirect) != 0) return Fail();
    const uintptr_t value = PointerValue(encoding & 0x0f);
    if (!good) return 0;
    switch (encoding & 0x70) {
      case 0x00:
        return value;
      case kPointerRelativeToPlace:
        return place + value;
      case kPointerRelativeToHeader:
        return header + value;
      default:
        return Fail();
    }
  }

 private:
  uintptr_t Fail() {
    good = false;
    return 0;
  }

  // By the size and sign of a pointer's encoding (DW_EH_PE_absptr, udata4 ...).
  uintptr_t PointerValue(uint8_t format) {
    switch (format) {
      case 0x00:
      case 0x04:
      case 0x0c:
        return Read<uint64_t>();
      case 0x03:
        return Read<uint32_t>();
      case 0x0b:
        return static_cast<uintptr_t>(static_cast<intptr_t>(Read<int32_t>()));
      default:
        return Fail();
    }
  }
};

}  // namespace flopsprof::injector

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/stacks/eh_frame.h"

#include <string.h>

namespace flopsprof::injector {
namespace {

constexpr uint64_t kReturnAddress = 16;  // DWARF's number of it on x86-64

// A length-prefixed entry (CIE or FDE) that lies inside the object. False: none.
bool ReadEntryAt(uintptr_t address, const AddressRange& object, DwarfCursor* entry) {
  if (address < object.begin || address >= object.end || object.end - address < 8) return false;
  uint32_t length;
  memcpy(&length, reinterpret_cast<const void*>(address), sizeof(length));
  // 0 is the section's end; 0xffffffff begins a 64-bit entry, which no linker writes here.
  if (length == 0 || length == 0xffffffffu || length > object.end - address - 4) return false;
  entry->at = reinterpret_cast<const uint8_t*>(address + 4);
  entry->end = entry->at + length;
  return true;
}

// The data that a CIE's augmentation string names, a letter each. False: a letter that is not
// known.
bool ReadAugmentation(const char* letters, DwarfCursor data, Cie* cie) {
  for (; *letters != '\0'; ++letters) {
    switch (*letters) {
      case 'R':
        cie->pointer_encoding = data.Read<uint8_t>();
        break;
      case 'L':
        data.Read<uint8_t>();
        break;
      case 'P': {  // the personality routine: only its size matters here
        const auto encoding = static_cast<uint8_t>(data.Read<uint8_t>() & ~kPointerIndirect);
        data.Pointer(encoding, 0);
        break;
      }
      case 'S':
        cie->signal_frame = true;
        break;
      default:
        return false;
    }
  }
  return data.good;
}

bool ReadCie(uintptr_t address, const AddressRange& object, Cie* cie) {
  DwarfCursor in{};
  if (!ReadEntryAt(address, object, &in)) return false;
  if (in.Read<uint32_t>() != 0) return false;  // a CIE's id
  const auto version = in.Read<uint8_t>();
  if (version != 1 && version != 3) return false;
  const auto* augmentation = reinterpret_cast<const char*>(in.at);
  while (in.good && in.Read<uint8_t>() != 0) {
  }
  if (!in.good) return false;
  cie->code_alignment = in.Uleb();
  cie->data_alignment = in.Sleb();
  if ((version == 1 ? in.Read<uint8_t>() : in.Uleb()) != kReturnAddress) return false;
  cie->has_augmentation = augmentation[0] == 'z';
  if (cie->has_augmentation) {
    const uint64_t bytes = in.Uleb();
    const DwarfCursor data = in;
    in.Skip(bytes);
    if (!ReadAugmentation(augmentation + 1, data, cie)) return false;
  } else if (augmentation[0] != '\0') {
    return false;
  }
  cie->instructions = in;
  return in.good;
}

// The last entry of the sorted table at or below the address; 0: none.
uintptr_t FindFde(const uint8_t* header, size_t header_bytes, uintptr_t address) {
  DwarfCursor in{header, header + header_bytes};
  const auto version = in.Read<uint8_t>();
  const auto frame_encoding = in.Read<uint8_t>();
  const auto count_encoding = in.Read<uint8_t>();
  const auto table_encoding = in.Read<uint8_t>();
  // What every linker writes; without the table there is nothing to search.
  if (version != 1 || count_encoding != 0x03 || table_encoding != 0x3b) return 0;
  const auto base = reinterpret_cast<uintptr_t>(header);
  in.Pointer(frame_encoding, base);
  const auto count = in.Read<uint32_t>();
  if (!in.good || count == 0 || count > static_cast<size_t>(in.end - in.at) / 8) return 0;
  const auto entry = [&in](uint32_t i, size_t part) {
    int32_t value;
    memcpy(&value, in.at + size_t{i} * 8 + part * 4, sizeof(value));
    return static_cast<intptr_t>(value);
  };
  const auto wanted = static_cast<intptr_t>(address - base);
  if (wanted < entry(0, 0)) return 0;
  uint32_t low = 0;
  uint32_t high = count;
  while (high - low > 1) {
    const uint32_t middle = low + (high - low) / 2;
    (entry(middle, 0) <= wanted ? low : high) = middle;
  }
  return base + static_cast<uintptr_t>(entry(low, 1));
}

}  // namespace

bool FindFunctionFrame(const uint8_t* header, size_t header_bytes, const AddressRange& object,
                       uintptr_t address, FunctionFrame* frame) {
  const uintptr_t fde = FindFde(header, header_bytes, address);
  DwarfCursor in{};
  if (fde == 0 || !ReadEntryAt(fde, object, &in)) return false;
  const auto back_address = reinterpret_cast<uintptr_t>(in.at);
  const auto back = in.Read<uint32_t>();
  if (back == 0 || !ReadCie(back_address - back, object, &frame->cie)) return false;
  const Cie& cie = frame->cie;
  const uintptr_t begin = in.Pointer(cie.pointer_encoding, reinterpret_cast<uintptr_t>(header));
  const uintptr_t bytes = in.Pointer(cie.pointer_encoding & 0x0f, 0);
  if (!in.good || address < begin || address - begin >= bytes) return false;
  if (cie.has_augmentation) in.Skip(in.Uleb());
  if (!in.good || cie.signal_frame) return false;
  frame->function = {begin, begin + bytes};
  frame->instructions = in;
  return true;
}

}  // namespace flopsprof::injector

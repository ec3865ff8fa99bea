// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Formats: Linux Standard Base, "Exception Frames"; DWARF 5, section 6.4. Registers of x86-64:
// 6 is rbp, 7 is rsp, 16 the return address.
#include "injector/stacks/unwind_rows.h"

#include <link.h>
#include <string.h>

namespace flopsprof::injector {
namespace {

constexpr uint64_t kRbp = 6;
constexpr uint64_t kRsp = 7;
constexpr uint64_t kReturnAddress = 16;
constexpr UnwindRow kUnknownRow = {0, 0, CfaRule::kUnknown, RbpRule::kSame};

// Pointer encodings (DW_EH_PE_...).
constexpr uint8_t kOmitted = 0xff;
constexpr uint8_t kRelativeToPlace = 0x10;
constexpr uint8_t kRelativeToHeader = 0x30;
constexpr uint8_t kIndirect = 0x80;

// Reads forward within bounds; past the end everything is 0 and `good` is false.
struct Cursor {
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

  // A pointer of one of the encodings that linkers use in .eh_frame; others are not read.
  uintptr_t Pointer(uint8_t encoding, uintptr_t header) {
    if (encoding == kOmitted || (encoding & kIndirect) != 0) {
      good = false;
      return 0;
    }
    const auto place = reinterpret_cast<uintptr_t>(at);
    uintptr_t value = 0;
    switch (encoding & 0x0f) {
      case 0x00:
      case 0x04:
      case 0x0c:
        value = Read<uint64_t>();
        break;
      case 0x03:
        value = Read<uint32_t>();
        break;
      case 0x0b:
        value = static_cast<uintptr_t>(static_cast<intptr_t>(Read<int32_t>()));
        break;
      default:
        good = false;
        return 0;
    }
    switch (encoding & 0x70) {
      case 0x00:
        return value;
      case kRelativeToPlace:
        return place + value;
      case kRelativeToHeader:
        return header + value;
      default:
        good = false;
        return 0;
    }
  }
};

struct Bounds {
  uintptr_t begin;
  uintptr_t end;
};

// A length-prefixed entry (CIE or FDE) that lies inside the object. False: none.
bool EntryAt(uintptr_t address, const Bounds& object, Cursor* entry) {
  if (address < object.begin || address >= object.end || object.end - address < 8) return false;
  uint32_t length;
  memcpy(&length, reinterpret_cast<const void*>(address), sizeof(length));
  // 0 is the section's end; 0xffffffff begins a 64-bit entry, which no linker writes here.
  if (length == 0 || length == 0xffffffffu || length > object.end - address - 4) return false;
  entry->at = reinterpret_cast<const uint8_t*>(address + 4);
  entry->end = entry->at + length;
  return true;
}

struct Cie {
  uint64_t code_alignment = 0;
  int64_t data_alignment = 0;
  uint8_t pointer_encoding = 0;
  bool has_augmentation = false;
  bool signal_frame = false;
  Cursor instructions{};
};

bool ReadCie(uintptr_t address, const Bounds& object, Cie* cie) {
  Cursor in{};
  if (!EntryAt(address, object, &in)) return false;
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
  if (augmentation[0] == 'z') {
    cie->has_augmentation = true;
    const uint64_t bytes = in.Uleb();
    Cursor data = in;
    in.Skip(bytes);
    for (const char* letter = augmentation + 1; *letter != '\0'; ++letter) {
      if (*letter == 'R') {
        cie->pointer_encoding = data.Read<uint8_t>();
      } else if (*letter == 'L') {
        data.Read<uint8_t>();
      } else if (*letter == 'P') {
        // The personality routine: only its size matters here.
        const auto encoding = static_cast<uint8_t>(data.Read<uint8_t>() & ~kIndirect);
        data.Pointer(encoding, 0);
      } else if (*letter == 'S') {
        cie->signal_frame = true;
      } else {
        return false;
      }
    }
    if (!data.good) return false;
  } else if (augmentation[0] != '\0') {
    return false;
  }
  cie->instructions = in;
  return in.good;
}

// Where one register of the caller is.
struct Saved {
  enum Kind : uint8_t { kSame, kUndefined, kAtCfa, kAtRbp, kOther };
  Kind kind = kSame;
  int64_t offset = 0;
};

struct Rules {
  uint64_t cfa_register = 0;
  int64_t cfa_offset = 0;
  bool cfa_at_rbp = false;  // CFA = *(rbp + cfa_offset)
  bool cfa_other = false;   // by an expression that is not read
  Saved rbp;
  Saved return_address;
};

class CfaProgram {
 public:
  CfaProgram(const Cie& cie, uintptr_t header) : cie_(cie), header_(header) {}

  Rules& rules() { return rules_; }
  void KeepInitialRules() { initial_ = rules_; }

  // Runs up to the row that holds at `target`. False: something that is not understood.
  bool Run(Cursor in, uintptr_t location, uintptr_t target) {
    while (in.good && in.at < in.end) {
      const auto op = in.Read<uint8_t>();
      const uint64_t low = op & 0x3f;
      switch (op & 0xc0) {
        case 0x40:  // advance_loc
          location += low * cie_.code_alignment;
          if (location > target) return true;
          continue;
        case 0x80:  // offset
          Save(low, {Saved::kAtCfa, static_cast<int64_t>(in.Uleb()) * cie_.data_alignment});
          continue;
        case 0xc0:  // restore
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
      if (!RunRare(op, &in)) return false;
    }
    return in.good;
  }

 private:
  static bool IsAdvance(uint8_t op) { return op >= 0x01 && op <= 0x04; }

  uintptr_t Advance(uint8_t op, Cursor* in, uintptr_t location) const {
    switch (op) {
      case 0x01:
        return in->Pointer(cie_.pointer_encoding, header_);
      case 0x02:
        return location + in->Read<uint8_t>() * cie_.code_alignment;
      case 0x03:
        return location + in->Read<uint16_t>() * cie_.code_alignment;
      default:
        return location + in->Read<uint32_t>() * cie_.code_alignment;
    }
  }

  void Save(uint64_t where, Saved saved) {
    if (where == kRbp) rules_.rbp = saved;
    if (where == kReturnAddress) rules_.return_address = saved;
  }

  void Restore(uint64_t where) {
    if (where == kRbp) rules_.rbp = initial_.rbp;
    if (where == kReturnAddress) rules_.return_address = initial_.return_address;
  }

  void SetCfa(uint64_t where, int64_t offset) {
    rules_.cfa_register = where;
    rules_.cfa_offset = offset;
    rules_.cfa_at_rbp = rules_.cfa_other = false;
  }

  // The block of an expression. True and its offset if it is "rbp + offset", followed by a load if
  // `loaded`: what compilers write in functions that align their stack.
  static bool RbpExpression(Cursor* in, bool loaded, int64_t* offset) {
    const uint64_t bytes = in->Uleb();
    Cursor block = *in;
    in->Skip(bytes);
    if (!in->good) return false;
    block.end = block.at + bytes;
    if (block.Read<uint8_t>() != 0x76) return false;  // breg6
    *offset = block.Sleb();
    if (loaded && block.Read<uint8_t>() != 0x06) return false;  // deref
    return block.good && block.at == block.end;
  }

  bool RunRare(uint8_t op, Cursor* in) {
    switch (op) {
      case 0x00:  // nop
        return true;
      case 0x05: {  // offset_extended
        const uint64_t where = in->Uleb();
        Save(where, {Saved::kAtCfa, static_cast<int64_t>(in->Uleb()) * cie_.data_alignment});
        return true;
      }
      case 0x06:  // restore_extended
        Restore(in->Uleb());
        return true;
      case 0x07:  // undefined
        Save(in->Uleb(), {Saved::kUndefined, 0});
        return true;
      case 0x08:  // same_value
        Save(in->Uleb(), {Saved::kSame, 0});
        return true;
      case 0x09:  // register
        Save(in->Uleb(), {Saved::kOther, 0});
        in->Uleb();
        return true;
      case 0x0a:  // remember_state
        if (depth_ == kMaxStates) return false;
        states_[depth_++] = rules_;
        return true;
      case 0x0b:  // restore_state
        if (depth_ == 0) return false;
        rules_ = states_[--depth_];
        return true;
      case 0x0c: {  // def_cfa
        const uint64_t where = in->Uleb();
        SetCfa(where, static_cast<int64_t>(in->Uleb()));
        return true;
      }
      case 0x0d:  // def_cfa_register
        SetCfa(in->Uleb(), rules_.cfa_offset);
        return true;
      case 0x0e:  // def_cfa_offset
        SetCfa(rules_.cfa_register, static_cast<int64_t>(in->Uleb()));
        return true;
      case 0x0f:  // def_cfa_expression
        rules_.cfa_at_rbp = RbpExpression(in, /*loaded=*/true, &rules_.cfa_offset);
        rules_.cfa_other = !rules_.cfa_at_rbp;
        return in->good;
      case 0x10: {  // expression
        const uint64_t where = in->Uleb();
        int64_t offset = 0;
        const bool simple = RbpExpression(in, /*loaded=*/false, &offset);
        Save(where, {simple ? Saved::kAtRbp : Saved::kOther, offset});
        return in->good;
      }
      case 0x11: {  // offset_extended_sf
        const uint64_t where = in->Uleb();
        Save(where, {Saved::kAtCfa, in->Sleb() * cie_.data_alignment});
        return true;
      }
      case 0x12: {  // def_cfa_sf
        const uint64_t where = in->Uleb();
        SetCfa(where, in->Sleb() * cie_.data_alignment);
        return true;
      }
      case 0x13:  // def_cfa_offset_sf
        SetCfa(rules_.cfa_register, in->Sleb() * cie_.data_alignment);
        return true;
      case 0x16: {  // val_expression
        Save(in->Uleb(), {Saved::kOther, 0});
        in->Skip(in->Uleb());
        return true;
      }
      case 0x2e:  // GNU_args_size
        in->Uleb();
        return true;
      default:
        return false;
    }
  }

  static constexpr int kMaxStates = 8;
  const Cie& cie_;
  const uintptr_t header_;
  Rules rules_;
  Rules initial_;
  Rules states_[kMaxStates];
  int depth_ = 0;
};

bool Fits32(int64_t value) { return value == static_cast<int32_t>(value); }
bool Fits16(int64_t value) { return value == static_cast<int16_t>(value); }

UnwindRow Pack(const Rules& rules) {
  UnwindRow row = kUnknownRow;
  if (rules.return_address.kind == Saved::kUndefined) {
    row.cfa = CfaRule::kEnd;
    return row;
  }
  const bool known = rules.return_address.kind == Saved::kAtCfa &&
                     rules.return_address.offset == -8 && !rules.cfa_other &&
                     Fits32(rules.cfa_offset) && Fits16(rules.rbp.offset);
  if (!known || rules.rbp.kind == Saved::kOther) return row;
  // A function that leaves rbp undefined is the outermost that used it.
  row.rbp = rules.rbp.kind == Saved::kAtCfa   ? RbpRule::kAtCfa
            : rules.rbp.kind == Saved::kAtRbp ? RbpRule::kAtRbp
                                              : RbpRule::kSame;
  row.cfa_offset = static_cast<int32_t>(rules.cfa_offset);
  row.rbp_offset = static_cast<int16_t>(rules.rbp.offset);
  if (rules.cfa_at_rbp) {
    row.cfa = CfaRule::kAtRbp;
  } else if (rules.cfa_register == kRsp) {
    row.cfa = CfaRule::kRsp;
  } else if (rules.cfa_register == kRbp) {
    row.cfa = CfaRule::kRbp;
  }
  return row;
}

// The last entry of the sorted table at or below the address; 0: none.
uintptr_t FdeOf(const uint8_t* header, size_t header_bytes, uintptr_t address) {
  Cursor in{header, header + header_bytes};
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

struct ObjectSearch {
  uintptr_t address;
  UnwindRow row;
  uintptr_t function;
};

int SearchObject(dl_phdr_info* info, size_t, void* data) {
  auto* search = static_cast<ObjectSearch*>(data);
  const ElfW(Phdr)* table = nullptr;
  bool contains = false;
  Bounds object = {UINTPTR_MAX, 0};
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type == PT_GNU_EH_FRAME) table = &segment;
    if (segment.p_type != PT_LOAD) continue;
    const uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
    const uintptr_t end = begin + segment.p_filesz;
    if (search->address >= begin && search->address < end) contains = true;
    if (begin < object.begin) object.begin = begin;
    if (end > object.end) object.end = end;
  }
  if (!contains) return 0;
  if (table == nullptr) return 1;
  const auto* header = reinterpret_cast<const uint8_t*>(info->dlpi_addr + table->p_vaddr);
  search->row = FindUnwindRowIn(header, table->p_memsz, object.begin, object.end, search->address,
                                &search->function);
  return 1;
}

}  // namespace

UnwindRow FindUnwindRowIn(const uint8_t* header, size_t header_bytes, uintptr_t object_begin,
                          uintptr_t object_end, uintptr_t address, uintptr_t* function) {
  *function = 0;
  const Bounds object = {object_begin, object_end};
  const uintptr_t fde = FdeOf(header, header_bytes, address);
  Cursor in{};
  if (fde == 0 || !EntryAt(fde, object, &in)) return kUnknownRow;
  const auto back_address = reinterpret_cast<uintptr_t>(in.at);
  const auto back = in.Read<uint32_t>();
  Cie cie;
  if (back == 0 || !ReadCie(back_address - back, object, &cie)) return kUnknownRow;
  const auto header_address = reinterpret_cast<uintptr_t>(header);
  const uintptr_t begin = in.Pointer(cie.pointer_encoding, header_address);
  const uintptr_t bytes = in.Pointer(cie.pointer_encoding & 0x0f, 0);
  if (!in.good || address < begin || address - begin >= bytes) return kUnknownRow;
  if (cie.has_augmentation) in.Skip(in.Uleb());
  if (!in.good || cie.signal_frame) return kUnknownRow;
  CfaProgram program(cie, header_address);
  if (!program.Run(cie.instructions, 0, UINTPTR_MAX)) return kUnknownRow;
  program.KeepInitialRules();
  if (!program.Run(in, begin, address)) return kUnknownRow;
  *function = begin;
  return Pack(program.rules());
}

UnwindRow FindUnwindRow(uintptr_t address, uintptr_t* function) {
  ObjectSearch search = {address, kUnknownRow, 0};
  dl_iterate_phdr(SearchObject, &search);
  *function = search.function;
  return search.row;
}

}  // namespace flopsprof::injector

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "viewer/attach/target.h"

namespace flopsprof::attach {

// An ELF file of x86-64, and where a process has it. Hostile bytes give "not found".
class ElfImage {
 public:
  // `bytes`: the file's; `first`: the mapping of it with the lowest address.
  ElfImage(std::string bytes, const Mapping& first);

  bool valid() const { return valid_; }
  // Address of an exported name, whatever its version; 0: there is none.
  uint64_t Symbol(std::string_view name) const;
  // Address of some bytes in executable code; 0: there are none.
  uint64_t Code(std::string_view pattern) const;
  // The note's bytes; "": the file has none. And their address.
  std::string BuildId() const;
  uint64_t BuildIdAddress() const;

 private:
  // Where the build id is: offset in the file, and how many bytes.
  std::pair<uint64_t, uint64_t> FindBuildId() const;
  template <class T>
  const T* At(uint64_t offset) const;

  const std::string bytes_;
  bool valid_ = false;
  uint64_t base_ = 0;  // what is added to the file's own addresses
};

// The file behind a mapping.
ElfImage ImageOf(const Target& target, const Mapping& first);

}  // namespace flopsprof::attach

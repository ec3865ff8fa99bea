// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "viewer/attach/elf_image.h"

#include <elf.h>

#include <cstring>

#include "absl/strings/str_cat.h"

namespace flopsprof::attach {
namespace {

constexpr uint64_t kPage = 4096;

}  // namespace

template <class T>
const T* ElfImage::At(uint64_t offset) const {
  if (offset > bytes_.size() || bytes_.size() - offset < sizeof(T)) return nullptr;
  if (offset % alignof(T) != 0) return nullptr;
  return reinterpret_cast<const T*>(bytes_.data() + offset);
}

ElfImage::ElfImage(std::string bytes, const Mapping& first) : bytes_(std::move(bytes)) {
  const auto* head = At<Elf64_Ehdr>(0);
  if (head == nullptr || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0) return;
  if (head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_machine != EM_X86_64) return;
  valid_ = true;
  base_ = first.begin - first.offset;
  for (int i = 0; i < head->e_phnum; ++i) {
    const auto* part =
        At<Elf64_Phdr>(head->e_phoff + static_cast<uint64_t>(i) * sizeof(Elf64_Phdr));
    if (part == nullptr || part->p_type != PT_LOAD) continue;
    if ((part->p_offset & ~(kPage - 1)) != first.offset) continue;
    base_ = first.begin - (part->p_vaddr & ~(kPage - 1));
    return;
  }
}

uint64_t ElfImage::Symbol(std::string_view name) const {
  if (!valid_) return 0;
  const auto* head = At<Elf64_Ehdr>(0);
  const auto section_at = [&](uint64_t i) {
    return At<Elf64_Shdr>(head->e_shoff + i * sizeof(Elf64_Shdr));
  };
  for (uint64_t i = 0; i < head->e_shnum; ++i) {
    const auto* section = section_at(i);
    if (section == nullptr || section->sh_type != SHT_DYNSYM) continue;
    const auto* strings = section_at(section->sh_link);
    if (strings == nullptr) continue;
    for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= section->sh_size; at += sizeof(Elf64_Sym)) {
      const auto* symbol = At<Elf64_Sym>(section->sh_offset + at);
      if (symbol == nullptr) break;
      const uint64_t text = strings->sh_offset + symbol->st_name;
      if (symbol->st_shndx == SHN_UNDEF || text + name.size() >= bytes_.size()) continue;
      if (bytes_.compare(text, name.size(), name) == 0 && bytes_[text + name.size()] == '\0') {
        return base_ + symbol->st_value;
      }
    }
  }
  return 0;
}

uint64_t ElfImage::Code(std::string_view pattern) const {
  if (!valid_) return 0;
  const auto* head = At<Elf64_Ehdr>(0);
  for (int i = 0; i < head->e_phnum; ++i) {
    const auto* part =
        At<Elf64_Phdr>(head->e_phoff + static_cast<uint64_t>(i) * sizeof(Elf64_Phdr));
    if (part == nullptr || part->p_type != PT_LOAD || (part->p_flags & PF_X) == 0) continue;
    if (part->p_offset >= bytes_.size()) continue;
    const auto code = std::string_view(bytes_).substr(part->p_offset, part->p_filesz);
    const size_t found = code.find(pattern);
    if (found != std::string_view::npos) return base_ + part->p_vaddr + found;
  }
  return 0;
}

std::pair<uint64_t, uint64_t> ElfImage::FindBuildId() const {
  if (!valid_) return {};
  const auto* head = At<Elf64_Ehdr>(0);
  for (int i = 0; i < head->e_phnum; ++i) {
    const auto* part =
        At<Elf64_Phdr>(head->e_phoff + static_cast<uint64_t>(i) * sizeof(Elf64_Phdr));
    if (part == nullptr || part->p_type != PT_NOTE) continue;
    uint64_t at = part->p_offset;
    const uint64_t end = at + part->p_filesz;
    while (const auto* note = At<Elf64_Nhdr>(at)) {
      const uint64_t text = at + sizeof(*note) + ((note->n_namesz + 3u) & ~3u);
      if (at >= end || text + note->n_descsz > bytes_.size()) break;
      if (note->n_type == NT_GNU_BUILD_ID) return {text, note->n_descsz};
      at = text + ((note->n_descsz + 3u) & ~3u);
    }
  }
  return {};
}

std::string ElfImage::BuildId() const {
  const auto [at, bytes] = FindBuildId();
  return bytes_.substr(at, bytes);
}

// Notes lie in the first part of the file, which is mapped as it is.
uint64_t ElfImage::BuildIdAddress() const { return base_ + FindBuildId().first; }

ElfImage ImageOf(const Target& target, const Mapping& first) {
  std::string bytes = target.Read("root" + first.path);
  if (bytes.empty()) {  // deleted since; this way needs privilege
    bytes =
        target.Read(absl::StrCat("map_files/", absl::Hex(first.begin), "-", absl::Hex(first.end)));
  }
  return ElfImage(std::move(bytes), first);
}

}  // namespace flopsprof::attach

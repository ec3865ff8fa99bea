// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/stacks/elf_symbols.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "collector/base/unique_fd.h"

namespace flopsprof::agent {
namespace {

constexpr uint64_t kMaxSectionBytes = uint64_t{512} << 20;
constexpr size_t kMaxSections = 1 << 16;
constexpr size_t kMaxNameBytes = 4096;
constexpr size_t kSymbolsAtOnce = 1 << 14;

class ElfFile {
 public:
  static absl::StatusOr<ElfFile> Open(const std::string& path) {
    // A pipe must not keep us waiting.
    base::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (!fd.valid()) return absl::NotFoundError(absl::StrCat("cannot open ", path));
    struct stat info;
    if (::fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode)) {
      return absl::InvalidArgumentError("not a regular file");
    }
    ElfFile file(std::move(fd), static_cast<uint64_t>(info.st_size));
    if (!file.ReadSections()) return absl::InvalidArgumentError("not an ELF file of x86-64");
    return file;
  }

  const std::vector<Elf64_Shdr>& sections() const { return sections_; }

  // Bytes of the file, as far as they are there: the file may be cut while it is read.
  bool Read(uint64_t offset, void* to, size_t bytes) const {
    if (offset > size_ || bytes > size_ - offset) return false;
    auto* out = static_cast<char*>(to);
    while (bytes > 0) {
      const ssize_t got = ::pread(fd_.get(), out, bytes, static_cast<off_t>(offset));
      if (got <= 0) return false;
      out += got;
      offset += static_cast<uint64_t>(got);
      bytes -= static_cast<size_t>(got);
    }
    return true;
  }

  std::string BuildId() const {
    for (const Elf64_Shdr& section : sections_) {
      if (section.sh_type != SHT_NOTE || section.sh_size > 4096) continue;
      std::string notes(section.sh_size, '\0');
      if (!Read(section.sh_offset, notes.data(), notes.size())) continue;
      for (size_t at = 0; at + sizeof(Elf64_Nhdr) < notes.size();) {
        Elf64_Nhdr note;
        std::memcpy(&note, notes.data() + at, sizeof note);
        const size_t name = at + sizeof note;
        const size_t id = name + ((size_t{note.n_namesz} + 3) & ~size_t{3});
        const size_t next = id + ((size_t{note.n_descsz} + 3) & ~size_t{3});
        if (next < at || next > notes.size()) break;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
            notes.compare(name, 3, "GNU") == 0) {
          return absl::BytesToHexString(notes.substr(id, note.n_descsz));
        }
        at = next;
      }
    }
    return "";
  }

 private:
  ElfFile(base::UniqueFd fd, uint64_t size) : fd_(std::move(fd)), size_(size) {}

  bool ReadSections() {
    Elf64_Ehdr header;
    if (!Read(0, &header, sizeof header)) return false;
    const bool ours = std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
                      header.e_ident[EI_CLASS] == ELFCLASS64 &&
                      header.e_ident[EI_DATA] == ELFDATA2LSB && header.e_machine == EM_X86_64;
    if (!ours) return false;
    size_t count = header.e_shnum;
    if (count != 0 && header.e_shentsize != sizeof(Elf64_Shdr)) return false;
    count = std::min(count, kMaxSections);
    sections_.resize(count);
    return count == 0 || Read(header.e_shoff, sections_.data(), count * sizeof(Elf64_Shdr));
  }

  base::UniqueFd fd_;
  uint64_t size_;
  std::vector<Elf64_Shdr> sections_;
};

// A string of a string table that begins at `offset` of the file.
std::string NameAt(const ElfFile& file, const Elf64_Shdr& strings, uint32_t name) {
  if (name >= strings.sh_size) return "";
  const size_t room = std::min<uint64_t>(strings.sh_size - name, kMaxNameBytes);
  std::string text(room, '\0');
  if (!file.Read(strings.sh_offset + name, text.data(), room)) return "";
  const size_t end = text.find('\0');
  return end == std::string::npos ? "" : text.substr(0, end);
}

// Adds the functions of one symbol table. `addresses` ascending.
void SearchTable(const ElfFile& file, const Elf64_Shdr& table, const Elf64_Shdr& strings,
                 const std::vector<uint64_t>& addresses, std::map<uint64_t, std::string>* found) {
  if (table.sh_entsize != sizeof(Elf64_Sym) || table.sh_size > kMaxSectionBytes) return;
  std::vector<Elf64_Sym> symbols(kSymbolsAtOnce);
  uint64_t left = table.sh_size / sizeof(Elf64_Sym);
  uint64_t offset = table.sh_offset;
  while (left > 0) {
    const size_t count = std::min<uint64_t>(left, kSymbolsAtOnce);
    if (!file.Read(offset, symbols.data(), count * sizeof(Elf64_Sym))) return;
    for (size_t i = 0; i < count; i++) {
      const Elf64_Sym& symbol = symbols[i];
      const int type = ELF64_ST_TYPE(symbol.st_info);
      const bool function = type == STT_FUNC || type == STT_GNU_IFUNC;
      if (!function || symbol.st_shndx == SHN_UNDEF || symbol.st_size == 0) continue;
      auto it = std::lower_bound(addresses.begin(), addresses.end(), symbol.st_value);
      for (; it != addresses.end() && *it - symbol.st_value < symbol.st_size; ++it) {
        // Of several names (aliases), the first in the file.
        if (found->contains(*it)) continue;
        std::string name = NameAt(file, strings, symbol.st_name);
        if (!name.empty()) found->emplace(*it, std::move(name));
      }
    }
    offset += count * sizeof(Elf64_Sym);
    left -= count;
  }
}

void SearchFile(const ElfFile& file, const std::vector<uint64_t>& addresses,
                std::map<uint64_t, std::string>* found) {
  for (const uint32_t wanted : {SHT_SYMTAB, SHT_DYNSYM}) {
    for (const Elf64_Shdr& table : file.sections()) {
      if (table.sh_type != wanted || table.sh_link >= file.sections().size()) continue;
      SearchTable(file, table, file.sections()[table.sh_link], addresses, found);
    }
  }
}

}  // namespace

absl::StatusOr<std::map<uint64_t, std::string>> FindFunctions(
    const std::string& path, const std::string& build_id, const std::vector<uint64_t>& addresses) {
  absl::StatusOr<ElfFile> file = ElfFile::Open(path);
  if (!file.ok()) return file.status();
  if (!build_id.empty() && file->BuildId() != build_id) {
    return absl::FailedPreconditionError(absl::StrCat(path, " has another build id"));
  }
  std::vector<uint64_t> sorted = addresses;
  std::sort(sorted.begin(), sorted.end());
  std::map<uint64_t, std::string> found;
  SearchFile(*file, sorted, &found);
  if (found.size() == sorted.size() || build_id.size() < 3) return found;
  // Where distributions put what they have stripped.
  const absl::StatusOr<ElfFile> debug = ElfFile::Open(absl::StrCat(
      "/usr/lib/debug/.build-id/", build_id.substr(0, 2), "/", build_id.substr(2), ".debug"));
  if (debug.ok() && debug->BuildId() == build_id) SearchFile(*debug, sorted, &found);
  return found;
}

}  // namespace flopsprof::agent

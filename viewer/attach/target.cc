// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "viewer/attach/target.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cstdio>
#include <sstream>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace flopsprof::attach {

std::string_view FileOf(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string ReadWholeFile(const std::string& path) {
  std::string text;
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return text;
  char buffer[65536];
  for (ssize_t n; (n = read(fd, buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<size_t>(n));
  }
  close(fd);
  return text;
}

std::string Target::Read(const std::string& name) const {
  return ReadWholeFile(absl::StrCat("/proc/", pid_, "/", name));
}

std::string Target::Link(const std::string& name) const {
  char link[4096];
  const ssize_t bytes =
      readlink(absl::StrCat("/proc/", pid_, "/", name).c_str(), link, sizeof link);
  return bytes > 0 ? std::string(link, static_cast<size_t>(bytes)) : "";
}

std::string Target::Status(const std::string& name, const std::string& file) const {
  std::istringstream lines(Read(file));
  const std::string begin = name + ":\t";
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind(begin, 0) == 0) return line.substr(begin.size());
  }
  return "";
}

std::vector<Mapping> Target::Mappings() const {
  std::vector<Mapping> all;
  std::istringstream lines(Read("maps"));
  for (std::string line; std::getline(lines, line);) {
    Mapping mapping;
    unsigned long long begin, end, offset;
    char rights[8];
    int path_at = 0;
    if (sscanf(line.c_str(), "%llx-%llx %7s %llx %*s %*s %n", &begin, &end, rights, &offset,
               &path_at) < 4) {
      continue;
    }
    mapping.begin = begin, mapping.end = end, mapping.offset = offset;
    mapping.write = rights[1] == 'w';
    mapping.execute = rights[2] == 'x';
    if (path_at > 0) mapping.path = line.substr(static_cast<size_t>(path_at));
    all.push_back(std::move(mapping));
  }
  return all;
}

std::vector<pid_t> Target::Threads() const {
  std::vector<pid_t> all;
  DIR* const folder = opendir(absl::StrCat("/proc/", pid_, "/task").c_str());
  if (folder == nullptr) return all;
  while (const dirent* entry = readdir(folder)) {
    pid_t thread = 0;
    if (absl::SimpleAtoi(entry->d_name, &thread)) all.push_back(thread);
  }
  closedir(folder);
  return all;
}

std::optional<WaitingCall> Target::CallOf(pid_t thread) const {
  const std::string text = Read(absl::StrCat("task/", thread, "/syscall"));
  long number = -1;
  unsigned long long a[6], sp, pc;  // "running", or "-1 SP PC" outside of a call
  if (sscanf(text.c_str(), "%ld %llx %llx %llx %llx %llx %llx %llx %llx", &number, a, a + 1, a + 2,
             a + 3, a + 4, a + 5, &sp, &pc) != 9) {
    return std::nullopt;
  }
  WaitingCall call;
  call.number = number;
  for (int i = 0; i < 6; ++i) call.arguments[i] = a[i];
  call.pc = pc;
  return call;
}

bool Target::IsEnding(pid_t thread) const {
  const std::string stat = Read(absl::StrCat("task/", thread, "/stat"));
  const size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos || name_end + 2 >= stat.size()) return true;
  const char state = stat[name_end + 2];
  return state == 'Z' || state == 'X';
}

bool Target::Peek(uint64_t address, void* data, size_t bytes) const {
  iovec mine{data, bytes}, theirs{reinterpret_cast<void*>(address), bytes};
  return process_vm_readv(pid_, &mine, 1, &theirs, 1, 0) == static_cast<ssize_t>(bytes);
}

bool Target::Poke(uint64_t address, const void* data, size_t bytes) const {
  iovec mine{const_cast<void*>(data), bytes}, theirs{reinterpret_cast<void*>(address), bytes};
  return process_vm_writev(pid_, &mine, 1, &theirs, 1, 0) == static_cast<ssize_t>(bytes);
}

const Mapping* MappingOf(const std::vector<Mapping>& mappings, uint64_t address) {
  for (const Mapping& mapping : mappings) {
    if (address >= mapping.begin && address < mapping.end) return &mapping;
  }
  return nullptr;
}

}  // namespace flopsprof::attach

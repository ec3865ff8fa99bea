// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace flopsprof::attach {

struct Mapping {
  uint64_t begin = 0;
  uint64_t end = 0;
  uint64_t offset = 0;
  bool write = false;
  bool execute = false;
  std::string path;
};

// "/usr/lib/libc.so.6" -> "libc.so.6"
std::string_view FileOf(std::string_view path);

// What is seen of a thread without touching it: the system call that it waits in.
struct WaitingCall {
  int64_t number = -1;
  uint64_t arguments[6] = {};
  uint64_t pc = 0;
};

// A process, by /proc and by its memory. Reading stops nothing in it. Any thread.
class Target {
 public:
  explicit Target(pid_t pid) : pid_(pid) {}

  pid_t pid() const { return pid_; }
  // A file of /proc/PID; "" when it cannot be read.
  std::string Read(const std::string& name) const;
  std::string Link(const std::string& name) const;
  // "Name:\tVALUE" of the status file; "" when there is no such line.
  std::string Status(const std::string& name, const std::string& file = "status") const;

  std::vector<Mapping> Mappings() const;
  std::vector<pid_t> Threads() const;
  // Absent: the thread runs.
  std::optional<WaitingCall> CallOf(pid_t thread) const;
  // It is about to end, or has.
  bool IsEnding(pid_t thread) const;

  bool Peek(uint64_t address, void* data, size_t bytes) const;
  bool Poke(uint64_t address, const void* data, size_t bytes) const;

 private:
  const pid_t pid_;
};

// The one that holds an address; nullptr: none.
const Mapping* MappingOf(const std::vector<Mapping>& mappings, uint64_t address);

// All of a file; "" when it cannot be read.
std::string ReadWholeFile(const std::string& path);

}  // namespace flopsprof::attach

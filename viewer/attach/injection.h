// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "proto/shm/attach.h"
#include "viewer/attach/target.h"

namespace flopsprof::attach {

enum class InjectionEnd : uint32_t {
  kDone,
  kFailed,      // the target is as it was
  kForbidden,   // tracing was refused
  kNoThread,    // none was found waiting where it may be borrowed
  kUnfinished,  // the library did not answer in time; the thread goes on by itself
};

struct Injection {
  InjectionEnd end = InjectionEnd::kFailed;
  std::string error;       // "" if done
  int tries = 0;           // threads that were looked at by stopping them
  int64_t stopped_ns = 0;  // the borrowed thread did not run its own code
};

struct InjectionOptions {
  std::string library;   // path of our file
  std::string settings;  // AttachRequest::settings
};

// Name of the library's memory file in a target, and in its map of memory.
inline constexpr char kMemoryName[] = "flopsprof-inject";

// Where the injector is in a process that we have attached before.
struct OldLibrary {
  bool mapped = false;
  bool same_build = false;
  uint64_t start = 0;  // address of flopsprof_attach
  uint64_t status_address = 0;
  shm::AttachStatus status = {};
};
OldLibrary FindOldLibrary(const Target& target, const std::string& library);

// Borrows a thread of the target, loads the library there if it is not there, and has it begin a
// session. Runs in a child process of ours, which is ended if it does not answer within 10 s: that
// puts the target's thread back. Signals of the terminal do not stop the child.
Injection Inject(pid_t pid, const InjectionOptions& options);

}  // namespace flopsprof::attach

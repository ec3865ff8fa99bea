// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "collector/agent/tables/name_table.h"
#include "proto/shm/records.h"

namespace flopsprof::agent {

// Gives the frames of one process's stacks their names, outside of that process: from the symbol
// tables of the files that it had mapped, if they still have the same build id. One thread.
class Symbolizer {
 public:
  // `executable` stands for the program itself, which its process cannot name.
  void SetProcess(int pid, std::string executable) {
    pid_ = pid;
    executable_ = std::move(executable);
  }

  // Reads what these stacks need and is not known yet: each file at most once a call. Some 10 ms
  // for a big library.
  void Prepare(const NameTable& names, const std::vector<const std::vector<shm::StackFrame>*>& all);

  // The text of v1::Stack.frames: outermost first. After Prepare.
  std::string Text(const NameTable& names, const std::vector<shm::StackFrame>& frames) const;

 private:
  std::string FrameText(const NameTable& names, const shm::StackFrame& frame) const;

  int pid_ = 0;
  std::string executable_;
  // By string id of the object and offset; "" = looked for and not found.
  absl::flat_hash_map<std::pair<uint32_t, uint64_t>, std::string> functions_;
};

}  // namespace flopsprof::agent

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// The environment of the stand-in, read once. README.md has the table.
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace simgpu {

struct Switches {
  // SIM_DEVICES, of which CUDA_VISIBLE_DEVICES shows some: number in the machine, by ordinal.
  std::vector<int> devices;
  bool realtime = true;     // SIM_REALTIME
  int log_level = 0;        // SIMLOG
  bool statistics = false;  // SIMSTAT
  std::string counts_file;  // SIMCALLS
  std::string ledger_dir;   // SIMGPU_LEDGER
  std::string calls_dir;    // SIMGPU_CALLS
  std::string faults;       // SIMGPU_FAULTS
  std::string card;         // SIMGPU_CARD
  int slower = 1;           // SIMGPU_SLOWER
  std::string injection;    // CUDA_INJECTION64_PATH
};

const Switches& GetSwitches();

}  // namespace simgpu
#pragma GCC visibility pop

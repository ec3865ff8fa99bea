// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "switches.h"

#include <cstdlib>

#include "simcore.h"

namespace simgpu {
namespace {

std::string Text(const char* name) {
  const char* value = getenv(name);
  return value ? value : "";
}

int Number(const char* name, int otherwise) {
  std::string text = Text(name);
  char* end = nullptr;
  long value = strtol(text.c_str(), &end, 10);
  return text.empty() || *end ? otherwise : static_cast<int>(value);
}

Switches Read() {
  Switches s;
  s.devices = Number("SIM_DEVICES", 2);
  if (s.devices < 0 || s.devices > 64) s.devices = 2;
  s.realtime = Number("SIM_REALTIME", 1) != 0;
  s.log_level = Number("SIMLOG", 0);
  s.statistics = Number("SIMSTAT", 0) != 0;
  s.counts_file = Text("SIMCALLS");
  s.ledger_dir = Text("SIMGPU_LEDGER");
  s.calls_dir = Text("SIMGPU_CALLS");
  s.faults = Text("SIMGPU_FAULTS");
  s.card = Text("SIMGPU_CARD");
  s.injection = Text("CUDA_INJECTION64_PATH");
  return s;
}

}  // namespace

const Switches& GetSwitches() {
  // Leaked: other threads may still run while the process ends.
  static const Switches& switches = *new Switches(Read());
  return switches;
}

}  // namespace simgpu

extern "C" int sim_log_level() { return simgpu::GetSwitches().log_level; }

extern "C" void sim_unimpl(const char* name) {
  if (sim_log_level() > 0) fprintf(stderr, "[sim] STUB %s\n", name);
}

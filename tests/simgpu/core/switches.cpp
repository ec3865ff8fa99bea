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

// As the driver reads CUDA_VISIBLE_DEVICES: numbers up to the first that does not exist.
std::vector<int> VisibleDevices(int count) {
  std::vector<int> devices;
  const char* list = getenv("CUDA_VISIBLE_DEVICES");
  if (!list) {
    for (int i = 0; i < count; ++i) devices.push_back(i);
    return devices;
  }
  while (*list) {
    char* end = nullptr;
    const long device = strtol(list, &end, 10);
    if (end == list || device < 0 || device >= count) break;
    devices.push_back(static_cast<int>(device));
    list = *end == ',' ? end + 1 : end;
  }
  return devices;
}

Switches Read() {
  Switches s;
  int devices = Number("SIM_DEVICES", 2);
  if (devices < 0 || devices > 64) devices = 2;
  s.devices = VisibleDevices(devices);
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

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "switches.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <sstream>

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

// A device that a list names by its number or by the begin of its uuid; -1: none.
int DeviceNamed(const std::string& name, int count) {
  char* end = nullptr;
  const long number = strtol(name.c_str(), &end, 10);
  if (!name.empty() && *end == '\0') return number < count ? static_cast<int>(number) : -1;
  for (int device = 0; device < count && name.size() > strlen("GPU-"); ++device) {
    char uuid[48];
    snprintf(uuid, sizeof uuid, "GPU-%02x000000-0000-0000-0000-000000000000", device + 1);
    if (strncmp(uuid, name.c_str(), name.size()) == 0) return device;
  }
  return -1;
}

// As the driver reads CUDA_VISIBLE_DEVICES: up to the first that does not exist.
std::vector<int> VisibleDevices(int count) {
  std::vector<int> devices;
  const char* list = getenv("CUDA_VISIBLE_DEVICES");
  if (!list) {
    for (int i = 0; i < count; ++i) devices.push_back(i);
    return devices;
  }
  std::istringstream names(list);
  for (std::string name; std::getline(names, name, ',');) {
    const int device = DeviceNamed(name, count);
    if (device < 0) break;
    devices.push_back(device);
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
  s.slower = std::max(Number("SIMGPU_SLOWER", 1), 1);
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

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// CUPTI leaves the process. A client that breaks the rules of cuptiFinalize may crash with a real
// one, or not: here the process ends with status 97.
#include <unistd.h>

#include "buffers.h"
#include "faults.h"
#include "state.h"

namespace simgpu {
namespace {

[[noreturn]] void Refuse(const char* why) {
  fprintf(stderr, "simgpu: cuptiFinalize %s\n", why);
  _exit(97);
}

void CheckFinalize() {
  // cupti_activity.h: from the exit site of an API call, or where the client sees to it that
  // nothing of CUPTI runs.
  if (!InExitCallback() && RunningCallbacks() != 0) {
    Refuse("while a callback runs, not from one at the exit of a call");
  }
  if (sim_any_capture()) Refuse("while a stream is captured");
}

}  // namespace
}  // namespace simgpu

API CUptiResult cuptiFinalize(void) {
  simgpu::CheckFinalize();
  simgpu::CuptiClient& client = simgpu::State();
  {
    std::lock_guard<std::mutex> lock(client.mutex);
    client.callback = nullptr;
    client.finalized = true;
    client.ids_began = false;
    client.subscriber_name.clear();
    for (auto& domain : client.callback_on) {
      for (auto& on : domain) on = 0;
    }
    for (auto& kind : client.kinds) kind = false;
    client.thread_id_type = CUPTI_ACTIVITY_THREAD_ID_TYPE_DEFAULT;
    simgpu::RefreshWatchers();
  }
  simgpu::ForgetAttributes();
  simgpu::ForgetClock();
  if (const size_t buffers = simgpu::LeaveProcess()) {
    fprintf(stderr, "simgpu: cuptiFinalize: %zu buffers were not given back before\n", buffers);
  }
  sim_cupti_attached = 0;
  sim_tool_bytes = 0;
  return CUPTI_SUCCESS;
}

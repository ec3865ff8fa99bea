// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// API frames, library calls and tags: what a thread is inside of when it launches.
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <ctime>

#include "faults.h"
#include "switches.h"
#include "thread_state.h"

extern "C" {
uint8_t sim_on[2][kSimCallbackIds] = {};
SimSink* sim_sink = nullptr;
uint64_t sim_tool_bytes = 0, sim_tool_launch_us = 0;
}

namespace simgpu {
namespace {

std::atomic<uint32_t> g_correlation{0};
std::atomic<uint64_t> g_calls{0};
thread_local ThreadState t_state;
thread_local uint32_t t_thread_id = 0;

bool Enqueues(const char* name) {
  return name && (strstr(name, "aunch") || strstr(name, "emcpy") || strstr(name, "emset") ||
                  strstr(name, "ynchronize"));
}

struct Start {
  Start() {
    pthread_atfork(nullptr, nullptr, [] { t_thread_id = 0; });
    if (GetSwitches().ledger_dir.empty()) return;
    for (int d = 0; d < 2; ++d) {
      for (uint32_t i = 0; i < kSimCallbackIds; ++i) {
        if (sim_cbid_enqueues(d, i)) sim_on[d][i] = SIM_LEDGER;
      }
    }
  }
} g_start;

void CopyText(const char* from, char* to, size_t size) {
  snprintf(to, size, "%s", from ? from : "");
}

}  // namespace

ThreadState& Thread() { return t_state; }

uint32_t ThreadId() {
  if (t_thread_id == 0) t_thread_id = static_cast<uint32_t>(syscall(SYS_gettid));
  return t_thread_id;
}

}  // namespace simgpu

using simgpu::t_state;

uint64_t sim_now() {
  timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  return static_cast<uint64_t>(t.tv_sec) * 1000000000 + static_cast<uint64_t>(t.tv_nsec);
}

int sim_cbid_enqueues(int dom, uint32_t id) { return simgpu::Enqueues(sim_cbid_name(dom + 1, id)); }

// What records carry.
uint32_t sim_cur_corr() {
  using simgpu::NestedIds;
  const simgpu::Faults& faults = simgpu::GetFaults();
  const bool inner = faults.nested_ids != NestedIds::kOuter && !faults.lone_ids;
  const SimFrame* frame = inner ? t_state.top : t_state.outer;
  return frame ? frame->corr : 0;
}

static bool HasOwnId(const SimFrame& f) {
  const simgpu::Faults& faults = simgpu::GetFaults();
  if (faults.nested_ids != simgpu::NestedIds::kShared) {
    simgpu::NoteStruck("nested_ids");
    return true;
  }
  const bool alone = faults.lone_ids && f.dom == SIM_DRIVER && (f.on & SIM_CB) &&
                     f.up->dom == SIM_RUNTIME && !(f.up->on & SIM_CB);
  if (alone) simgpu::NoteStruck("lone_ids");
  return alone;
}

extern "C" __attribute__((visibility("default"))) int simgpu_callback_on(int domain, unsigned id) {
  return (sim_on[domain][id] & SIM_CB) != 0;
}

void sim_enter(SimFrame* f) {
  f->up = t_state.top;
  f->on = sim_on[f->dom][f->cbid];
  f->corr = f->up && !HasOwnId(*f) ? f->up->corr : ++simgpu::g_correlation;
  f->cdata = 0;
  t_state.top = f;
  if (!f->up) t_state.outer = f;
  f->t0 = sim_now();
  if (SimSink* sink = sim_sink) sink->api(f, 0);
}

void sim_correlations_start_again() { simgpu::g_correlation = 0; }

void sim_exit(SimFrame* f) {
  f->t1 = sim_now();
  if (SimSink* sink = sim_sink) sink->api(f, 1);
  t_state.top = f->up;
  if (!f->up) t_state.outer = nullptr;
}

void sim_call_enter(const char* name) {
  if (t_state.call_depth++ != 0) return;
  t_state.call = name;
  t_state.call_id = ++simgpu::g_calls;
  t_state.shape[0] = '\0';
}

void sim_call_exit() {
  if (--t_state.call_depth != 0) return;
  t_state.call = nullptr;
  t_state.call_id = 0;
}

const char* sim_call_name() { return t_state.call ? t_state.call : ""; }

void sim_call_shape(const char* shape) {
  simgpu::CopyText(shape, t_state.shape, sizeof t_state.shape);
}

void sim_set_tag(const char* tag) { simgpu::CopyText(tag, t_state.tag, sizeof t_state.tag); }

// The name that tests use; libcudart exports one too, which ctypes reaches more easily.
extern "C" __attribute__((visibility("default"))) void simgpu_tag(const char* tag) {
  sim_set_tag(tag);
}

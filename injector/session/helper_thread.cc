// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/session/helper_thread.h"

#include <sys/prctl.h>

#include <atomic>

#include "injector/base/platform.h"
#include "injector/transport/own_thread.h"
#include "injector/transport/record_sink.h"
#include "injector/transport/segment.h"
#include "injector/transport/thread_state.h"

namespace flopsprof::injector {
namespace {

constexpr uint64_t kTickNs = 1000000000u;
// The agent's end shows only when it is looked for: waiting on its socket would need a second
// descriptor to be woken by, and descriptors are closed and used anew by programs that daemonize.
constexpr uint64_t kAgentCheckNs = 250000000u;

HelperWork work;
std::atomic<bool> running{false};
bool never_started = false;
std::atomic<uint32_t> pending{0};   // HelperRequest bits
std::atomic<uint32_t> asked{0};     // number of requests made
std::atomic<uint32_t> answered{0};  // all requests up to this number are done

void HandleRequests() {
  const uint32_t number = asked.load(std::memory_order_acquire);
  const uint32_t requests = pending.exchange(0, std::memory_order_acq_rel);
  if (requests != 0) work.handle(requests);
  answered.store(number, std::memory_order_release);
  FutexWakeAll(&answered);
}

// Until somebody asks, but not for long.
void Wait(uint64_t next_tick_ns) {
  const uint64_t now_ns = MonoNs();
  const uint64_t left_ns = next_tick_ns > now_ns ? next_tick_ns - now_ns : 0;
  FutexWait(&asked, answered.load(std::memory_order_relaxed),
            left_ns < kAgentCheckNs ? left_ns : kAgentCheckNs);
}

void* Run(void*) {
  prctl(PR_SET_NAME, "flopsprof", 0, 0, 0);
  // Whatever this thread calls, it is not the program's work.
  if (ThreadState* thread = CurrentThread()) {
    thread->inside_injector = true;
    thread->may_use_reserved_slots = true;
    thread->may_wait = true;
  }
  if (work.finish_connecting()) {
    uint64_t next_tick_ns = MonoNs();
    for (;;) {
      HandleRequests();
      if (work.agent_has_gone() && !work.on_agent_gone()) break;
      if (MonoNs() >= next_tick_ns) {
        work.tick();
        next_tick_ns = MonoNs() + kTickNs;
        Statistics()->own_cpu_ns.store(ThreadCpuNs(), std::memory_order_relaxed);
      }
      Wait(next_tick_ns);
    }
  }
  running.store(false, std::memory_order_release);
  HandleRequests();  // nobody is left waiting
  if (work.on_end != nullptr) work.on_end();
  return nullptr;
}

// The number of this request.
uint32_t Ask(uint32_t requests) {
  pending.fetch_or(requests, std::memory_order_acq_rel);
  const uint32_t number = asked.fetch_add(1, std::memory_order_acq_rel) + 1;
  FutexWakeAll(&asked);
  return number;
}

}  // namespace

bool StartHelperThread(const HelperWork& helper_work) {
  work = helper_work;
  never_started = false;
  running.store(true, std::memory_order_release);
  if (CreateOwnThread(Run, nullptr)) return true;
  running.store(false, std::memory_order_release);
  never_started = true;
  return false;
}

bool AskHelper(uint32_t requests, uint64_t timeout_ns) {
  if (never_started) {
    work.handle(requests);
    return true;
  }
  const uint64_t deadline_ns = MonoNs() + timeout_ns;
  const uint32_t number = Ask(requests);
  for (;;) {
    const uint32_t done = answered.load(std::memory_order_acquire);
    if (static_cast<int32_t>(done - number) >= 0) return true;
    const uint64_t now_ns = MonoNs();
    if (now_ns >= deadline_ns || !running.load(std::memory_order_acquire)) return false;
    FutexWait(&answered, done, deadline_ns - now_ns);
  }
}

void ForgetHelperInForkedChild() { running.store(false, std::memory_order_relaxed); }

}  // namespace flopsprof::injector

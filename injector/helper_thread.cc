// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/helper_thread.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>

#include <atomic>

#include "injector/base/platform.h"
#include "injector/record_sink.h"
#include "injector/segment.h"
#include "injector/thread_state.h"

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
      if (work.agent_has_gone()) {
        work.on_agent_gone();
        break;
      }
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
  return nullptr;
}

// pthread_create and its kin are in libpthread up to glibc 2.33; a process without it has no
// threads, and then there is none of ours either.
struct ThreadFunctions {
  int (*create)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  int (*attr_init)(pthread_attr_t*);
  int (*attr_setdetachstate)(pthread_attr_t*, int);

  bool Find() {
    create = reinterpret_cast<decltype(create)>(dlsym(RTLD_DEFAULT, "pthread_create"));
    attr_init = reinterpret_cast<decltype(attr_init)>(dlsym(RTLD_DEFAULT, "pthread_attr_init"));
    attr_setdetachstate = reinterpret_cast<decltype(attr_setdetachstate)>(
        dlsym(RTLD_DEFAULT, "pthread_attr_setdetachstate"));
    return create != nullptr && attr_init != nullptr && attr_setdetachstate != nullptr;
  }
};

bool CreateThread(void* (*run)(void*), void* argument) {
  ThreadFunctions threads;
  if (!threads.Find()) return false;
  pthread_attr_t attributes;
  if (threads.attr_init(&attributes) != 0) return false;
  threads.attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  // The default stack: a smaller one is refused where static TLS is large, and costs no less.
  // The new thread inherits the mask: it never runs one of the program's signal handlers.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &before);
  pthread_t id;
  const int failed = threads.create(&id, &attributes, run, argument);
  sigprocmask(SIG_SETMASK, &before, nullptr);
  return failed == 0;
}

void* RunAction(void* action) {
  prctl(PR_SET_NAME, "flopsprof-py", 0, 0, 0);
  if (ThreadState* thread = CurrentThread()) thread->inside_injector = true;
  reinterpret_cast<void (*)()>(action)();
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
  running.store(true, std::memory_order_release);
  if (CreateThread(Run, nullptr)) return true;
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

bool RunOnOwnThread(void (*action)()) {
  return CreateThread(RunAction, reinterpret_cast<void*>(action));
}

void ForgetHelperInForkedChild() { running.store(false, std::memory_order_relaxed); }

}  // namespace flopsprof::injector

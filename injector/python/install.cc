// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/python/install.h"

#include <stdio.h>
#include <string.h>

#include <atomic>

#include "injector/base/env_config.h"
#include "injector/base/platform.h"
#include "injector/python/argument_key.h"
#include "injector/python/counted_operations.h"
#include "injector/python/engine_hook.h"
#include "injector/python/module_calls.h"
#include "injector/python/module_hook.h"
#include "injector/python/module_trie.h"
#include "injector/python/python_api.h"
#include "injector/python/python_frames.h"
#include "injector/python/python_shim.h"
#include "injector/scopes/scope_stack.h"
#include "injector/scopes/scope_table.h"
#include "injector/scopes/sequence_log.h"
#include "injector/scopes/step_at.h"
#include "injector/scopes/steps.h"
#include "injector/scopes/torch_functions.h"
#include "injector/stacks/stack_sampler.h"
#include "injector/transport/own_thread.h"
#include "injector/transport/record_sink.h"

namespace flopsprof::injector {

namespace {

// Installing happens in Python's main thread, which a pending call reaches without a lock; on a
// thread of our own, with Python's lock, when the main thread does not come to it: it may wait for
// the thread that trains, in join().
enum class State : int {
  kOff,
  kWaiting,  // for Python, or for torch to be imported
  kQueued,   // a pending call is on its way
  kInstalled,
  kRefused,
};

std::atomic<bool> g_enabled{false};
std::atomic<bool> g_modules_refused{false};
std::atomic<State> g_state{State::kOff};
std::atomic<bool> g_python_loaded{false};
// One pending call of ours at a time is in Python's queue, which holds 32 of all: the main thread
// may not come for as long as the job runs.
std::atomic<bool> g_call_is_queued{false};
std::atomic<uint64_t> g_asked_ns{0};  // since when the main thread has not come; 0: not asked yet
std::atomic<bool> g_was_installed{false};
std::atomic<bool> g_own_thread_runs{false};
std::atomic<bool> g_session_ends{false};  // no thread of ours asks for Python's lock any more

constexpr uint64_t kMainThreadNs = 900000000u;  // less than a tick

// The vectorcall hook, else what the Python shim can do, else nothing; the note says which.
void FollowModules() {
  const char* way = ForcedModuleHook();
  const char* reason = nullptr;
  if ((way == nullptr || strcmp(way, "swap") == 0) && InstallModuleHook(&reason)) {
    EmitNote("modules", "vectorcall hook");
    return;
  }
  if (way != nullptr && strcmp(way, "none") == 0) reason = "FLOPSPROF_MODULE_HOOK=none";
  if (!LetShimFollowModules(way, reason)) {
    RefuseModules(reason != nullptr ? reason : "the Python shim failed");
  }
}

// The main thread has come, or never will: Python's queue is gone.
void ForgetPendingCall() {
  g_asked_ns.store(0, std::memory_order_relaxed);
  g_call_is_queued.store(false, std::memory_order_relaxed);
}

// Python has ended. A program that embeds it may begin it again: then nothing of the old one is
// left, and the hooks are installed as at the first time. No Python may be called here.
void OnPythonEnd() {
  ForgetModuleHook();
  ForgetShim();
  ForgetModuleTrie();
  ForgetFirstCall();
  ForgetCountedOperations();
  ForgetTensorTypes();
  const bool enabled = g_enabled.load(std::memory_order_relaxed);
  g_state.store(enabled ? State::kWaiting : State::kOff, std::memory_order_relaxed);
  ForgetPendingCall();
}

void InstallOnce();

// In Python's main thread, or on one of our own; with Python's lock, which looking for torch may
// give to the other. Whoever comes second has nothing left to do.
void Install() {
  static bool installing = false;  // under Python's lock
  if (installing || g_state.load(std::memory_order_relaxed) != State::kQueued) return;
  installing = true;
  InstallOnce();
  installing = false;
}

void InstallOnce() {
  if (!g_enabled.load(std::memory_order_relaxed)) {
    g_state.store(State::kOff, std::memory_order_relaxed);
    return;
  }
  // A call that was queued from inside of a subinterpreter may run there; the next one comes from
  // the helper thread, which is in none.
  if (!g_python.InMainInterpreter()) {
    g_state.store(State::kWaiting, std::memory_order_relaxed);
    return;
  }
  LetStacksReadPython(kPythonFrames);
  if (!TorchIsReady()) {
    g_state.store(State::kWaiting, std::memory_order_relaxed);
    return;
  }
  g_state.store(State::kInstalled, std::memory_order_relaxed);
  g_was_installed.store(true, std::memory_order_relaxed);
  if (g_python.Py_AtExit != nullptr) g_python.Py_AtExit(OnPythonEnd);
  FindTorchFunctions();
  if (!InstallShim()) EmitNote("backward", "not attributed: the Python shim failed");
  FollowModules();
}

int InstallPending(void*) {
  Install();
  ForgetPendingCall();
  return 0;
}

int UninstallPending(void*) {
  if (!g_python.InMainInterpreter()) {
    g_state.store(State::kInstalled, std::memory_order_relaxed);  // it only passes through
    return 0;
  }
  UninstallModuleHook();
  LetShimUninstall();
  // Another session may have begun meanwhile.
  const bool enabled = g_enabled.load(std::memory_order_relaxed);
  g_state.store(enabled ? State::kWaiting : State::kOff, std::memory_order_relaxed);
  return 0;
}

void TryToInstall() {
  if (!PythonIsRunning()) {
    State queued = State::kQueued;  // an embedded Python that ended without running the call
    g_state.compare_exchange_strong(queued, State::kWaiting);
    ForgetPendingCall();
    return;
  }
  if (!g_python_loaded.load(std::memory_order_acquire)) {
    const char* reason = g_python.Load();
    if (reason != nullptr) {
      g_state.store(State::kRefused, std::memory_order_relaxed);
      RefuseModules(reason);
      return;
    }
    g_python_loaded.store(true, std::memory_order_release);
  }
  State waiting = State::kWaiting;
  g_state.compare_exchange_strong(waiting, State::kQueued);
  if (g_call_is_queued.exchange(true)) return;
  uint64_t never = 0;
  g_asked_ns.compare_exchange_strong(never, MonoNs());
  if (g_python.Py_AddPendingCall(InstallPending, nullptr) != 0) {
    g_call_is_queued.store(false, std::memory_order_relaxed);  // full of others': next tick
  }
}

// On a thread of its own: Python's lock may be held for as long as the program likes.
void InstallOnOwnThread() {
  if (!g_session_ends.load(std::memory_order_acquire)) {
    const PythonLock lock;
    if (lock.taken() && g_state.load(std::memory_order_relaxed) == State::kQueued) {
      Install();
      if (g_state.load(std::memory_order_relaxed) == State::kInstalled) {
        EmitNote("modules_installed", "late: Python's main thread did nothing for a second");
      }
    }
  }
  g_own_thread_runs.store(false, std::memory_order_relaxed);
}

// The main thread has not come to the pending call.
bool IsOverdue() {
  const uint64_t asked_ns = g_asked_ns.load(std::memory_order_relaxed);
  return ScopesEnabled() && !g_session_ends.load(std::memory_order_acquire) &&
         g_state.load(std::memory_order_relaxed) == State::kQueued && asked_ns != 0 &&
         MonoNs() - asked_ns > kMainThreadNs && TorchPythonIsMapped();
}

}  // namespace

void SettleScopes() {
  g_session_ends.store(true, std::memory_order_release);
  const State state = g_state.load(std::memory_order_relaxed);
  const bool wanted = state == State::kQueued || state == State::kWaiting;
  if (!ScopesEnabled() || !wanted || g_was_installed.load(std::memory_order_relaxed)) return;
  if (!TorchPythonIsMapped()) return;
  const bool owed = state == State::kQueued || g_call_is_queued.load(std::memory_order_relaxed);
  RefuseModules(owed
                    ? "Python's main thread did nothing while the job ran, and it ran for too short"
                    : "torch was still being imported when it was last looked at, and the job "
                      "ended soon after");
}

bool ModulesRefused() { return g_modules_refused.load(std::memory_order_relaxed); }

bool ScopesEnabled() { return g_enabled.load(std::memory_order_relaxed); }

void RefuseModules(const char* reason) {
  char note[512];
  snprintf(note, sizeof(note), "none: %s", reason);
  g_modules_refused.store(true, std::memory_order_relaxed);
  CountLoss(shm::LossCounter::kModuleHookRefused);
  EmitNote("modules", note);
}

void BeginScopes() {
  g_enabled.store(true, std::memory_order_relaxed);
  g_modules_refused.store(false, std::memory_order_relaxed);
  FollowStepAt();
  FindTorchFunctions();
  ReturnToEngine();
  State off = State::kOff;
  g_state.compare_exchange_strong(off, State::kWaiting);
  TryToInstall();
}

void TickScopes() {
  const State state = g_state.load(std::memory_order_relaxed);
  if (IsOverdue() && !g_own_thread_runs.exchange(true) && !RunOnOwnThread(InstallOnOwnThread)) {
    g_own_thread_runs.store(false, std::memory_order_relaxed);
  }
  if (state == State::kWaiting || state == State::kQueued) TryToInstall();
  ReturnToEngine();
}

void EndScopes() {
  g_enabled.store(false, std::memory_order_relaxed);
  LeaveEngine();
  State installed = State::kInstalled;
  // A Python that ends takes no more calls; what is installed only passes through.
  if (PythonIsRunning() && g_state.compare_exchange_strong(installed, State::kQueued)) {
    if (g_python.Py_AddPendingCall(UninstallPending, nullptr) != 0) {
      g_state.store(State::kInstalled, std::memory_order_relaxed);  // it only passes through
    }
  }
}

void ForgetScopesInForkedChild() {
  g_enabled.store(false, std::memory_order_relaxed);
  // Other threads are gone, perhaps with our locks held: start from nothing, freeing nothing.
  ForgetSequenceLogs();
  ForgetScopeTable();
  ForgetSteps();
  ThisThread().Forget();
}

}  // namespace flopsprof::injector

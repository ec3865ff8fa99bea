// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/session/times.h"

#include <atomic>

#include "injector/base/loaded_objects.h"
#include "injector/base/mapped_objects.h"
#include "injector/base/platform.h"
#include "injector/cupti/cupti_session.h"
#include "injector/cupti/refusals.h"
#include "injector/transport/record_sink.h"
#include "injector/transport/segment.h"
#include "injector/transport/session_calls.h"
#include "injector/transport/thread_state.h"
#include "proto/shm/handshake.h"

namespace flopsprof::injector {
namespace {

// A program that nothing of ours sees use CUDA has come through cuInit by then. Not asked where
// CUPTI is ours, which tells.
constexpr uint64_t kInitializedNs = 30000000000u;

std::atomic<bool> foreign_cupti_client{false};
std::atomic<bool> cuda_is_up{false};
// CUPTI could not be started yet: the program was inside of cuInit, or had no libcupti.
std::atomic<bool> times_are_owed{false};
std::atomic<int> cuda_failure{0};  // newest status that told about the machine
std::atomic<uint64_t> begun_ns{0};
std::atomic<GraphTimes> graph_times{GraphTimes::kNodes};
bool clock_was_told = false;  // helper thread only
// What had been mapped when a libcupti was last looked for in vain; 0: it never was. Another one
// comes only with another object.
std::atomic<uint64_t> objects_without_cupti{0};

std::atomic<bool> driver_may_tell{false};

// Before cuInit has returned it answers with an error. Not asked where the program may be in its
// first cuInit because of us: there the driver's locks are held.
bool DriverIsUp() {
  const auto count_devices =
      reinterpret_cast<int (*)(int*)>(FindInLoadedLibrary("libcuda.so", "cuDeviceGetCount"));
  int count = 0;
  return count_devices != nullptr && count_devices(&count) == 0;
}

GraphTimes GraphTimesOf(uint32_t options) {
  const bool launches = (options & shm::kOptionGraphLaunches) != 0;
  if ((options & shm::kOptionGraphAuto) == 0) {
    return launches ? GraphTimes::kLaunches : GraphTimes::kNodes;
  }
  return GraphTimes::kAuto;
}

// The loader is asked for files in vain only where it has mapped something since, and never on the
// program's thread: that begins with a libcupti that is mapped, else the helper thread looks.
bool MayFindCupti(bool on_program_thread) {
  const uint64_t before = objects_without_cupti.load(std::memory_order_relaxed);
  if (before == 0) return true;
  if (CountObjectsEverMapped() == before) return false;
  LibraryPath path;
  return !on_program_thread || FindLoadedLibrary("libcupti.so", 0, &path);
}

}  // namespace

void SetTimesWanted(uint32_t welcome_options) {
  uint64_t never = 0;
  begun_ns.compare_exchange_strong(never, MonoNs(), std::memory_order_relaxed);
  graph_times.store(GraphTimesOf(welcome_options), std::memory_order_relaxed);
  clock_was_told = false;
}

void LetDriverTellThatItIsUp() { driver_may_tell.store(true, std::memory_order_relaxed); }

bool MayCallCuda() {
  if (cuda_is_up.load(std::memory_order_relaxed)) return true;
  if (driver_may_tell.load(std::memory_order_relaxed) && DriverIsUp()) NoteCudaIsUp();
  const bool is_up =
      Statistics()->launches.load(std::memory_order_relaxed) != 0 ||
      (!CuptiIsOurs() && MonoNs() - begun_ns.load(std::memory_order_relaxed) > kInitializedNs);
  if (is_up) NoteCudaIsUp();
  return is_up;
}

bool CudaHasFailed() { return cuda_failure.load(std::memory_order_relaxed) != 0; }

void StartTimesInInit() {
  if (!cuda_is_up.load(std::memory_order_relaxed)) CountContextsFromNow();
  StartTimes();
}

void TellClock() {
  EmitClockPair();
  clock_was_told = true;
}

bool ClockWasTold() { return clock_was_told; }

// Windows and calls that end may ask at once: one of them starts.
void StartTimes() {
  static std::atomic<bool> starting{false};
  if (starting.exchange(true, std::memory_order_acq_rel)) return;
  const uint64_t objects = CountObjectsEverMapped();
  const bool started = StartCupti(foreign_cupti_client.load(std::memory_order_relaxed),
                                  graph_times.load(std::memory_order_relaxed));
  objects_without_cupti.store(started ? 0 : objects, std::memory_order_relaxed);
  times_are_owed.store(!started, std::memory_order_release);
  starting.store(false, std::memory_order_release);
}

void OweTimes() { times_are_owed.store(true, std::memory_order_release); }

bool TimesAreOwed() { return times_are_owed.load(std::memory_order_acquire); }

void StartOwedTimes(bool on_program_thread) {
  if (!times_are_owed.load(std::memory_order_acquire) || !IsRecording()) return;
  if (!MayFindCupti(on_program_thread)) return;
  if (times_are_owed.exchange(false, std::memory_order_acq_rel)) StartTimes();
}

void NoteCudaFailure(int status) {
  const RefusalText why = WhyCudaFails(status);
  if (why.get()[0] == '\0' || cuda_failure.exchange(status, std::memory_order_relaxed) == status)
    return;
  const ErrnoKeeper keep;
  const ThreadState* thread = CurrentThread();
  if (thread == nullptr || thread->inside_injector) return;
  if (CurrentSessionState() == SessionState::kDormant) StartSession();
  EmitNote("CUDA", why.get());
}

void NoteCudaIsUp() { cuda_is_up.store(true, std::memory_order_relaxed); }

void OnCudaCallEnded() {
  NoteCudaIsUp();
  if (!times_are_owed.load(std::memory_order_relaxed)) return;
  const ErrnoKeeper keep;
  ThreadState* thread = CurrentThread();
  if (thread == nullptr || thread->inside_injector) return;
  thread->inside_injector = true;
  StartOwedTimes(true);
  thread->inside_injector = false;
}

void NoteForeignCuptiClient() { foreign_cupti_client.store(true, std::memory_order_relaxed); }

void NoteForeignCuptiClientGone() { foreign_cupti_client.store(false, std::memory_order_relaxed); }

}  // namespace flopsprof::injector

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/cupti/spared_callbacks.h"

#include <stddef.h>

#include "injector/base/mapped_objects.h"
#include "injector/base/text.h"
#include "injector/cupti/correlation_ids.h"
#include "injector/cupti/cupti_cbids.h"
#include "injector/graphs/capture_state.h"
#include "injector/transport/record_sink.h"

namespace flopsprof::injector {

std::atomic<bool> launches_are_sampled{false};
std::atomic<bool> runtime_launches_are_watched{false};

namespace {

constexpr uint32_t kCount = sizeof(kSparableCbids) / sizeof(kSparableCbids[0]);
constexpr uint32_t kAll = (1u << kCount) - 1;

constexpr uint32_t kLeastSamples = 16;
constexpr uint32_t kEnoughRecords = 256;
constexpr uint32_t kLeastPatienceTicks = 3;  // each thread's records come in a buffer of its own
constexpr uint32_t kPatienceTicks = 10;      // seconds for records of kernels that still run
constexpr uint32_t kMostTrials = 3;  // that may fail, as where kernels wait for another rank
constexpr uint32_t kRecheckTicks = 600;

struct Sample {
  std::atomic<uint32_t> correlation{0};
  std::atomic<bool> launched{false};  // the call has succeeded
  std::atomic<bool> recorded{false};
};

// Of the program's threads.
std::atomic<uint32_t> agreed[kCount];
std::atomic<uint32_t> disagreed{0};  // bits of kSparableCbids
std::atomic<bool> launch_was_missed{false};
std::atomic<bool> spares{false};
Sample samples[kSamples];
std::atomic<uint32_t> sample_count{0};
std::atomic<uint32_t> newest_sample{0};
std::atomic<uint32_t> later_records{0};  // of kernels that were launched after all samples
std::atomic<bool> records_are_awaited{false};

// Of the helper thread, and of the one that subscribes.
enum class Phase : uint32_t { kWatching, kTrial, kAwaiting };
Phase phase = Phase::kWatching;
bool record_ids_are_proved = false;
uint32_t failed_trials = 0;
uint32_t off = 0;   // bits: asked of CUPTI
uint32_t kept = 0;  // bits: for good
const char* why_kept = nullptr;
uint32_t ticks = 0;    // of the phase
uint64_t objects = 0;  // that were mapped when watching began

int IndexOf(uint32_t cbid) {
  for (uint32_t i = 0; i < kCount; ++i) {
    if (kSparableCbids[i] == cbid) return static_cast<int>(i);
  }
  return -1;
}

int StatusOf(const CuptiCallbackData& data) {
  return data.function_return_value == nullptr
             ? 0
             : *static_cast<const int*>(data.function_return_value);
}

void Judge(const WatchedCall& call, int status) {
  const uint32_t bit = 1u << call.index;
  if (!call.agrees || call.inside > 1 || (call.inside == 0 && status == 0)) {
    disagreed.fetch_or(bit, std::memory_order_relaxed);
  } else if (status == 0) {  // one that was refused shows nothing
    agreed[call.index].fetch_add(1, std::memory_order_relaxed);
  }
}

void Keep(uint32_t bits, const char* why) {
  if ((bits & ~kept) != 0) why_kept = why;
  kept |= bits;
}

void TurnOn(const CuptiApi& api, CuptiSubscriber subscriber, uint32_t bits) {
  for (uint32_t i = 0; i < kCount; ++i) {
    if ((bits & off & 1u << i) != 0)
      api.EnableCallback(1, subscriber, kCuptiRuntimeApi, kSparableCbids[i]);
  }
  off &= ~bits;
  spares.store(off != 0, std::memory_order_relaxed);
}

void TurnOff(const CuptiApi& api, CuptiSubscriber subscriber, uint32_t bits) {
  spares.store(true, std::memory_order_relaxed);  // before the first call that CUPTI does not tell
  for (uint32_t i = 0; i < kCount; ++i) {
    if ((bits & ~off & 1u << i) == 0) continue;
    if (api.EnableCallback(0, subscriber, kCuptiRuntimeApi, kSparableCbids[i]) == kCuptiSuccess) {
      off |= 1u << i;
    } else {
      Keep(1u << i, "CUPTI refused");
    }
  }
  spares.store(off != 0, std::memory_order_relaxed);
}

uint32_t Ready() {
  uint32_t ready = 0;
  for (uint32_t i = 0; i < kCount; ++i) {
    if (agreed[i].load(std::memory_order_relaxed) >= kEnoughCalls) ready |= 1u << i;
  }
  return ready & ~kept;
}

void WatchAnew() {
  for (auto& count : agreed) count.store(0, std::memory_order_relaxed);
  objects = CountObjectsEverMapped();
  ticks = 0;
  runtime_launches_are_watched.store(true, std::memory_order_relaxed);
}

void BeginTrial() {
  for (Sample& sample : samples) {
    sample.correlation.store(0, std::memory_order_relaxed);
    sample.launched.store(false, std::memory_order_relaxed);
    sample.recorded.store(false, std::memory_order_relaxed);
  }
  sample_count.store(0, std::memory_order_relaxed);
  newest_sample.store(0, std::memory_order_relaxed);
  later_records.store(0, std::memory_order_relaxed);
  records_are_awaited.store(true, std::memory_order_release);
  launches_are_sampled.store(true, std::memory_order_release);
  phase = Phase::kTrial;
}

// Launches that were noted and succeeded; of them, those whose records have come.
uint32_t CountSamples(bool recorded) {
  uint32_t count = 0;
  for (const Sample& sample : samples) {
    if (!sample.launched.load(std::memory_order_acquire)) continue;
    if (!recorded || sample.recorded.load(std::memory_order_relaxed)) ++count;
  }
  return count;
}

void EndAwaiting() {
  records_are_awaited.store(false, std::memory_order_relaxed);
  phase = Phase::kWatching;
}

void AddIds(Text<200>* text, uint32_t bits) {
  for (uint32_t i = 0; i < kCount; ++i) {
    if ((bits & 1u << i) != 0) text->Add(" ").AddNumber(kSparableCbids[i]);
  }
}

// What the report shows: which runtime callbacks are off, and which have to stay.
void Tell() {
  static uint32_t told_off = 0, told_kept = 0;
  const bool news = off != told_off || kept != told_kept;
  if (!news || phase != Phase::kWatching) return;
  Text<200> text;
  if (off != 0) {
    text.Add("of the driver alone for runtime ids");
    AddIds(&text, off);
  } else {
    text.Add("of runtime and driver");
  }
  if (kept != 0) {
    text.Add("; kept for");
    AddIds(&text, kept);
    text.Add(": ").Add(why_kept);
  }
  told_off = off;
  told_kept = kept;
  EmitNote("launch_callbacks", text.get());
}

void FollowPhase(const CuptiApi& api, CuptiSubscriber subscriber) {
  const uint32_t ready = Ready();
  switch (phase) {
    case Phase::kWatching:
      if ((ready & ~off) == 0) return;
      TurnOff(api, subscriber, ready);
      if (!record_ids_are_proved && off != 0) BeginTrial();
      return;
    case Phase::kTrial:
      launches_are_sampled.store(false, std::memory_order_relaxed);
      TurnOn(api, subscriber, kAll);
      ticks = 0;
      phase = Phase::kAwaiting;
      if (CountSamples(false) < kLeastSamples) EndAwaiting();  // another trial
      return;
    case Phase::kAwaiting:
      if (CountSamples(true) == CountSamples(false)) {
        record_ids_are_proved = true;
        EndAwaiting();  // they go when nothing was mapped meanwhile
      } else if (ticks >= kLeastPatienceTicks &&
                 later_records.load(std::memory_order_relaxed) >= kEnoughRecords &&
                 CountSamples(true) * 2 <= CountSamples(false)) {
        // Not that few kernels take long: launches of the driver's own may be among the samples.
        failed_trials = kMostTrials;
        EndAwaiting();
      } else if (ticks >= kPatienceTicks) {
        ++failed_trials;
        EndAwaiting();
      }
      if (failed_trials >= kMostTrials) {
        Keep(kAll, "records of kernels had other ids than the driver's callbacks");
      }
      return;
  }
}

}  // namespace

void BeginSparing(bool may_spare) {
  off = 0;
  phase = Phase::kWatching;
  record_ids_are_proved = false;
  failed_trials = 0;
  launches_are_sampled.store(false, std::memory_order_relaxed);
  records_are_awaited.store(false, std::memory_order_relaxed);
  spares.store(false, std::memory_order_relaxed);
  WatchAnew();
  runtime_launches_are_watched.store(may_spare, std::memory_order_relaxed);
}

void FollowSparing(const CuptiApi& api, CuptiSubscriber subscriber) {
  if (!runtime_launches_are_watched.load(std::memory_order_relaxed)) return;
  ++ticks;
  Keep(disagreed.load(std::memory_order_relaxed), "not one driver call inside, with the same id");
  if (launch_was_missed.load(std::memory_order_relaxed)) {
    Keep(kAll, "a captured launch had no callback of the driver");
  }
  TurnOn(api, subscriber, kept);
  const bool is_old = off != 0 && ticks >= kRecheckTicks;
  if (phase == Phase::kWatching && (is_old || CountObjectsEverMapped() != objects)) {
    TurnOn(api, subscriber, kAll);
    WatchAnew();
    if (kept != kAll) return;  // nothing new to tell
  }
  FollowPhase(api, subscriber);
  Tell();
  const bool nothing_is_left = kept == kAll && phase == Phase::kWatching;
  if (nothing_is_left) runtime_launches_are_watched.store(false, std::memory_order_relaxed);
}

void WatchRuntimeEntry(ThreadState* thread, uint32_t cbid, const CuptiCallbackData& data) {
  WatchedCall& call = thread->watched_call;
  const bool open = (thread->open_launch & kOpenWatched) != 0;
  if (open && call.correlation == data.correlation_id) {
    call.agrees = false;  // a runtime call inside of a runtime call
    return;
  }
  const int index = IndexOf(cbid);
  if (index < 0 || !runtime_launches_are_watched.load(std::memory_order_relaxed)) {
    thread->open_launch &= static_cast<uint8_t>(~kOpenWatched);  // its exit has not come
    return;
  }
  call = {data.correlation_id, data.context, static_cast<uint8_t>(index), 0, true};
  thread->open_launch |= kOpenWatched;
}

void WatchDriverEntry(ThreadState* thread, uint32_t cbid, const CuptiCallbackData& data) {
  WatchedCall& call = thread->watched_call;
  const bool same_id = data.correlation_id == call.correlation;
  if (!same_id && SparesCallbacks()) {
    // The callback went amid the call, so that its exit was not told: nothing is shown.
    thread->open_launch &= static_cast<uint8_t>(~kOpenWatched);
    return;
  }
  // A copy or set that the driver makes inside under the same id changes nothing.
  if (call.inside < 2 && HoldsCbid(kDriverKernelCbids, cbid)) ++call.inside;
  // A thread's first call may enter the runtime without a context.
  const bool other_context =
      data.context != call.context && data.context != nullptr && call.context != nullptr;
  if (!same_id || other_context) call.agrees = false;
}

void SampleDriverEntry(ThreadState* thread, uint32_t cbid, uint32_t correlation) {
  const bool inside = (thread->open_launch & kOpenWatched) != 0;
  if (inside || !HoldsCbid(kDriverKernelCbids, cbid) || AnyCaptureIsActive()) return;
  const uint32_t number = sample_count.fetch_add(1, std::memory_order_relaxed);
  if (number >= kSamples) {
    launches_are_sampled.store(false, std::memory_order_relaxed);
    return;
  }
  // Before the launch: its record may come before the exit of its call.
  samples[number].correlation.store(correlation, std::memory_order_release);
  newest_sample.store(correlation, std::memory_order_relaxed);
  thread->sample = static_cast<uint8_t>(number);
  thread->open_launch |= kOpenSampled;
}

void WatchExit(ThreadState* thread, int domain, uint32_t cbid, const CuptiCallbackData& data) {
  const int status = StatusOf(data);
  if (domain == kCuptiDriverApi && (thread->open_launch & kOpenSampled) != 0) {
    Sample& sample = samples[thread->sample];
    // A call may last beyond its trial.
    const bool still =
        sample.correlation.load(std::memory_order_relaxed) == OwnCorrelation(data.correlation_id);
    if (status == 0 && still) sample.launched.store(true, std::memory_order_release);
    thread->open_launch = 0;
    return;
  }
  const WatchedCall& call = thread->watched_call;
  const bool its_own = (thread->open_launch & kOpenWatched) != 0 && domain == kCuptiRuntimeApi &&
                       call.correlation == data.correlation_id &&
                       kSparableCbids[call.index] == cbid;
  if (!its_own) return;
  thread->open_launch = 0;
  // Where recording has ended amid the call, the driver's entry was not looked at.
  if (IsRecording()) Judge(call, status);
}

void NoteLaunchWithoutCallback() { launch_was_missed.store(true, std::memory_order_relaxed); }

bool SparesCallbacks() { return spares.load(std::memory_order_relaxed); }

bool RecordsAreAwaited() { return records_are_awaited.load(std::memory_order_acquire); }

void NoteKernelRecord(uint32_t correlation) {
  if (correlation == 0) return;
  const uint32_t newest = newest_sample.load(std::memory_order_relaxed);
  if (newest != 0 && static_cast<int32_t>(correlation - newest) > 0) {
    later_records.fetch_add(1, std::memory_order_relaxed);
  }
  for (Sample& sample : samples) {
    if (sample.correlation.load(std::memory_order_acquire) == correlation) {
      sample.recorded.store(true, std::memory_order_relaxed);
    }
  }
}

void ResetSparingForTesting() {
  disagreed.store(0, std::memory_order_relaxed);
  launch_was_missed.store(false, std::memory_order_relaxed);
  kept = 0;
  why_kept = nullptr;
  BeginSparing(true);
}

}  // namespace flopsprof::injector

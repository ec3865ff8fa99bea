// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Spares CUPTI's callbacks for runtime launches. The runtime launches by the driver, so that CUPTI
// calls four times for one launch, where the two calls for the driver tell all that a launch record
// has. No document promises this, so it is proved in the process, by calls of the program:
//
// - Watched: the first kEnoughCalls calls of each runtime id must each have had one driver call
//   inside, of an id that we enable, with the same correlation id and context.
// - Tried, once a window: the ids that agreed are off for a second, and up to kSamples launches are
//   noted. They are on again until CUPTI's records of these kernels have come, which must have the
//   ids of the driver's callbacks.
// - Spared: the ids that agreed are off. Where the program maps another object (which may hold a
//   cudart of its own), and every ten minutes, they are watched again.
//
// One disagreement keeps the callbacks of its id for as long as the process lives. Copies, sets,
// graph launches and launches on several devices keep theirs always. A thread that is amid a call
// when its callbacks go or come has one record of it: what makes a record is the first callback of
// a correlation id.
//
// Threads: Watch..., Note... on the program's and CUPTI's; the rest on the helper thread.

#include <stdint.h>

#include <atomic>

#include "injector/base/platform.h"
#include "injector/cupti/cupti_api.h"
#include "injector/transport/thread_state.h"

namespace flopsprof::injector {

constexpr uint32_t kEnoughCalls = 256;
constexpr uint32_t kSamples = 64;

// The subscription has just begun: all callbacks are on. `may_spare`: false where a callback has to
// come from the outermost call.
void BeginSparing(bool may_spare);

// Once a second, while CUPTI is ours.
void FollowSparing(const CuptiApi& api, CuptiSubscriber subscriber);

// What watches a call has to be told of it, in ThreadState::open_launch.
constexpr uint8_t kOpenWatched = 0x10;  // a runtime call
constexpr uint8_t kOpenSampled = 0x20;  // a driver call
constexpr uint8_t kOpenAny = kOpenWatched | kOpenSampled;

extern std::atomic<bool> runtime_launches_are_watched;
extern std::atomic<bool> launches_are_sampled;

// The entry of a runtime call.
FLOPSPROF_APART void WatchRuntimeEntry(ThreadState* thread, uint32_t cbid,
                                       const CuptiCallbackData& data);
// That of a driver call while a watched call is open.
FLOPSPROF_APART void WatchDriverEntry(ThreadState* thread, uint32_t cbid,
                                      const CuptiCallbackData& data);
// That of a driver call that is a launch of its own, while launches are sampled.
FLOPSPROF_APART void SampleDriverEntry(ThreadState* thread, uint32_t cbid, uint32_t correlation);
// The exit of a call while a watched or sampled one is open.
FLOPSPROF_APART void WatchExit(ThreadState* thread, int domain, uint32_t cbid,
                               const CuptiCallbackData& data);

// A captured launch has made a node, and no callback has told of it.
void NoteLaunchWithoutCallback();
bool SparesCallbacks();

// CUPTI's record of a kernel; asked for while RecordsAreAwaited().
bool RecordsAreAwaited();
void NoteKernelRecord(uint32_t correlation);

void ResetSparingForTesting();

}  // namespace flopsprof::injector

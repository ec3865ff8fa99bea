// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Between the windows of --max-overhead nobody asks whose work is whose: modules that are called by
// modules, and backward nodes, only pass through. Outermost calls are followed, because they begin
// steps. In a call that has begun in a rest the modules are followed again that begin after it: a
// window may begin inside of a call that holds the whole loop. Those passed by until then are not
// on the stack, and work that is theirs alone is in the call around them.

#include <atomic>

#include "injector/base/platform.h"
#include "injector/scopes/scope_stack.h"
#include "injector/scopes/steps.h"

namespace flopsprof::injector {

extern std::atomic<bool> g_scopes_rest;

// Is this call of a module inside of one that has begun in this rest?
inline bool PassesModuleBy(const ThreadScopes& thread) {
  if (!FLOPSPROF_UNLIKELY(thread.rests)) return false;
  if (!g_scopes_rest.load(std::memory_order_relaxed)) return false;
  const Frame* below = thread.NearestModuleOrNode();
  return below != nullptr && below->kind == FrameKind::kModule;
}

// A module is entered below that frame: it decides about the calls inside of it.
inline void RestInside(ThreadScopes* thread, const Frame* below) {
  if (below == nullptr || below->kind != FrameKind::kModule) {
    thread->rests = g_scopes_rest.load(std::memory_order_relaxed);
  }
}

// Passes that begin steps are followed.
inline bool NodesRest() {
  return FLOPSPROF_UNLIKELY(g_scopes_rest.load(std::memory_order_relaxed)) &&
         !g_wants_backward.load(std::memory_order_relaxed);
}

// Called by the session in its helper thread: nobody asks for attributions for a while, or does so
// again soon. True: all that costs rests; else some of it is followed as before.
bool LetScopesRest(bool rest);

}  // namespace flopsprof::injector

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/python/rest.h"

#include "injector/base/env_config.h"
#include "injector/python/engine_hook.h"
#include "injector/python/module_hook.h"

namespace flopsprof::injector {

std::atomic<bool> g_scopes_rest{false};

bool LetScopesRest(bool rest) {
  const bool may = rest && StepAtName() == nullptr;
  g_scopes_rest.store(may, std::memory_order_relaxed);
  return may && ModuleHookIsInstalled() && EngineIsFollowed() &&
         !g_wants_backward.load(std::memory_order_relaxed);
}

}  // namespace flopsprof::injector

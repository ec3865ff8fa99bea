// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What CUPTI tells at the entry of a call that puts work on the GPU: one kLaunch record joins
// the correlation id of the coming kernel record to the scope, phase and library call of the
// launching thread.

#include <stdint.h>

#include "injector/cupti/cupti_api.h"

namespace flopsprof::injector {

void OnCuptiCallback(void* user_data, int domain, uint32_t cbid, const void* data);
// The same, with sampled stacks.
void OnCuptiCallbackWithStacks(void* user_data, int domain, uint32_t cbid, const void* data);

// Asks for the callbacks of kRuntimeCbids and kDriverCbids. Returns how many were granted.
uint32_t EnableLaunchCallbacks(const CuptiApi& api, CuptiSubscriber subscriber);

// A replay of an executable graph (correlation 0: CUPTI did not tell); `order`: NewestGraphEvent()
// before it.
void EmitGraphLaunch(uint32_t correlation, const void* executable, uint64_t order,
                     uint32_t inner_correlation = 0);

}  // namespace flopsprof::injector

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What CUPTI tells of the nodes of CUDA graphs: each kernel, copy and set that becomes a node gives
// one kGraphNode record, by which the reader knows its module and call at every replay. Copies of
// nodes (instantiation, clones) only where their id does not follow from the graphs' ids. Nothing
// happens at a replay.

#include <stdint.h>

#include "injector/cupti/cupti_api.h"

namespace flopsprof::injector {

void EnableGraphCallbacks(const CuptiApi& api, CuptiSubscriber subscriber);

// A callback of the resource domain.
void OnGraphResource(uint32_t cbid, const void* data);

}  // namespace flopsprof::injector

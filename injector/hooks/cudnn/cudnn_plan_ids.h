// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdint.h>

#include "injector/hooks/cudnn/cudnn_overrides.h"

namespace flopsprof::injector {

// Id under which the reader knows what `plan` computes, with these sizes in place of its own
// (nullptr: none); 0: it does not; cudnn_plan_unknown counts such plans. The first
// sight of a plan sends its description, later ones look into a table.
uint32_t IdOfCudnnPlan(const void* caller, void* plan, const CudnnOverrides* overrides);

// The descriptor is destroyed: its address may become another plan.
void ForgetCudnnPlan(const void* descriptor);

}  // namespace flopsprof::injector

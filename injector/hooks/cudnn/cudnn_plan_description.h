// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Asks a plan what it computes and sends it to the reader: operation graph, the engine's
// numerical notes, sizes given at execution.

#include <stddef.h>
#include <stdint.h>

#include "injector/hooks/cudnn/cudnn_overrides.h"

namespace flopsprof::injector {

enum class PlanAnswer {
  kSent,     // now or before: `*id`
  kFull,     // the reader holds no more descriptions
  kRefused,  // the library gives no description, now or ever
  kUnsent,   // there is one, but it could not be sent: ask again
};

// `overrides`: nullptr if the execution changes no sizes. Not cheap (20 to 300 us). What computes
// the same in the same way has one id.
PlanAnswer SendPlanDescription(const void* caller, void* plan, const CudnnOverrides* overrides,
                               uint32_t* id);

// Text of `overrides` as a member: ,"overrides":[{"uid":1,"dim":[2,3]}]. Bytes without the
// closing zero; 0: not enough room.
size_t WriteOverrides(const CudnnOverrides& overrides, char* room, size_t bytes);

}  // namespace flopsprof::injector

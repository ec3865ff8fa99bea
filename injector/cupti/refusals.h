// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// One sentence for each way in which CUPTI or CUDA says that this process gets nothing, and what to
// do. They begin with "not ", as all notes that say that something is missing.

#include "injector/base/text.h"
#include "injector/cupti/cupti_types.h"

namespace flopsprof::injector {

using RefusalText = Text<400>;

// Stands between the sentence and what to do; the collector looks for it.
constexpr char kToMend[] = "; to mend: ";

// Why CUPTI refused a call (cupti_result.h). `extent`: "not recorded", or "not complete" where
// other times are.
RefusalText WhyNoTimes(const char* extent, const char* function, CuptiResult result);

// What a status of the CUDA runtime (driver_types.h) says about the machine; "": that the program
// asked for something wrong, or nothing that is worth a word.
RefusalText WhyCudaFails(int status);

}  // namespace flopsprof::injector

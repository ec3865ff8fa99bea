// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// One sentence for each way in which CUPTI or CUDA says that this process gets nothing. They begin
// with "not ", so that the report has them among what is missing.

#include "injector/cupti/cupti_types.h"

namespace flopsprof::injector {

// Why CUPTI refused a call (cupti_result.h).
const char* WhyNoTimes(CuptiResult result);

// What a status of the CUDA runtime (driver_types.h) says about the machine; nullptr: that the
// program asked for something wrong, or nothing that is worth a word.
const char* WhyCudaFails(int status);

}  // namespace flopsprof::injector

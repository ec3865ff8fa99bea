// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// The records that the CUPTI of the wheel writes: its newest of each kind.
#include <cupti.h>

namespace simgpu {

#if CUPTI_API_VERSION >= 130000
using KernelRecord = CUpti_ActivityKernel10;
static_assert(sizeof(KernelRecord) == 216);
#else
using KernelRecord = CUpti_ActivityKernel9;
static_assert(sizeof(KernelRecord) == 208);
#endif

#if CUPTI_API_VERSION >= 26  // CUDA 12.8
using MemcpyRecord = CUpti_ActivityMemcpy6;
using SynchronizationRecord = CUpti_ActivitySynchronization2;
#else
using MemcpyRecord = CUpti_ActivityMemcpy5;
using SynchronizationRecord = CUpti_ActivitySynchronization;
#endif

#if CUPTI_API_VERSION >= 21  // CUDA 12.3
using GraphTraceRecord = CUpti_ActivityGraphTrace2;
#else
using GraphTraceRecord = CUpti_ActivityGraphTrace;
#endif

#if CUPTI_API_VERSION >= 22  // CUDA 12.4
using OverheadRecord = CUpti_ActivityOverhead3;
#elif CUPTI_API_VERSION >= 21
using OverheadRecord = CUpti_ActivityOverhead2;
#else
using OverheadRecord = CUpti_ActivityOverhead;
#endif

using MemsetRecord = CUpti_ActivityMemset4;

}  // namespace simgpu

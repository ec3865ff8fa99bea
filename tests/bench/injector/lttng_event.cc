// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "lttng_event.h"

#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "lttng_provider.h"

void EmitLttngEvent() {
  static uint64_t call = 0;
  lttng_ust_tracepoint(flopsprof_bench, gemm, 7, ++call, 128, 64, 32, 1);
}

bool LttngEventIsEnabled() { return lttng_ust_tracepoint_enabled(flopsprof_bench, gemm); }

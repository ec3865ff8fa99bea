// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Tracepoint provider of the peer: one event of six 64-bit fields, 48 bytes.
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER flopsprof_bench

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./lttng_provider.h"

#if !defined(FLOPSPROF_BENCH_LTTNG_PROVIDER_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define FLOPSPROF_BENCH_LTTNG_PROVIDER_H

#include <lttng/tracepoint.h>
#include <stdint.h>

LTTNG_UST_TRACEPOINT_EVENT(
    flopsprof_bench, gemm,
    LTTNG_UST_TP_ARGS(uint64_t, scope, uint64_t, call, uint64_t, m, uint64_t, n, uint64_t, k,
                      uint64_t, batch),
    LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint64_t, scope, scope)
                            lttng_ust_field_integer(uint64_t, call, call)
                                lttng_ust_field_integer(uint64_t, m, m)
                                    lttng_ust_field_integer(uint64_t, n, n)
                                        lttng_ust_field_integer(uint64_t, k, k)
                                            lttng_ust_field_integer(uint64_t, batch, batch)))

#endif

#include <lttng/tracepoint-event.h>

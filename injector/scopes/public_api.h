// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The functions that programs, flopsprof.h and the Python package call in the injector. Plain C,
// exported, stable. A program finds them with dlsym(RTLD_DEFAULT, ...): absent = not profiled.
// Cheap, safe on any thread at any time; without a session they keep the stack and send nothing.

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Opens a range named by UTF-8 text on the calling thread, below what is open there. The text is
// copied. Ranges nest; flopsprof_pop closes the newest one of this kind.
void flopsprof_push(const char* name);
void flopsprof_pop(void);

// The same with a number, whose sum, least and greatest are kept.
void flopsprof_push_value(const char* name, int64_t value);

// Counts `name` in what is open now.
void flopsprof_mark(const char* name);

// A step begins now. From the first call on only these calls begin steps.
void flopsprof_step(void);

// 1 while records are taken.
int flopsprof_active(void);

// Entry points that NVTX looks for in NVTX_INJECTION64_PATH. 1 = keep this library.
int InitializeInjectionNvtx2(const void* (*get_export_table)(uint32_t));
int InitializeInjectionNvtxExtension(void* module_info);

#ifdef __cplusplus
}
#endif

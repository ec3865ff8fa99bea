// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// hook_prototypes.cc, made from the hooks' table, is the test: it is compiled into this program.

#include <gtest/gtest.h>

#include "prototype_check.h"

TEST(HookPrototypesTest, AreThoseOfTheRealHeaders) {
#if defined(FLOPSPROF_CHECK_CUBLAS) && defined(FLOPSPROF_CHECK_CUBLASLT) && \
    defined(FLOPSPROF_CHECK_CUDNN) && defined(FLOPSPROF_CHECK_NCCL) &&      \
    defined(FLOPSPROF_CHECK_CUDART) && defined(FLOPSPROF_CHECK_CUPTI)
  SUCCEED() << "checked by the compiler";
#else
  GTEST_SKIP() << "headers are missing: see FLOPSPROF_NVIDIA_INCLUDES";
#endif
}

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// A plugin with a libcublas of its own.
#include <stddef.h>

int cublasDgemm_v2(void*, int, int, int, int, int, const double*, const double*, int, const double*,
                   int, const double*, double*, int);

int call(void) {
  return cublasDgemm_v2(NULL, 0, 0, 1, 1, 1, NULL, NULL, 1, NULL, 1, NULL, NULL, 1);
}

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// As much of libnvidia-ml as JAX looks at. What is not here it takes for not supported.
#include <stdio.h>

int nvmlInit_v2(void) { return 0; }
int nvmlShutdown(void) { return 0; }
const char* nvmlErrorString(int status) { return status == 0 ? "success" : "not supported"; }

int nvmlSystemGetDriverVersion(char* text, unsigned bytes) {
  snprintf(text, bytes, "580.82.07");
  return 0;
}

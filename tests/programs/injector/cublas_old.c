// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// A libcublas of another version: its calls return that version.
int cublasDgemm_v2(void* handle, int transa, int transb, int m, int n, int k, const double* alpha,
                   const double* A, int lda, const double* B, int ldb, const double* beta,
                   double* C, int ldc) {
  return VERSION;
}

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// What the linker needs to see of libcublas and libcudart; the real ones are found when it runs.
#ifdef FLOPSPROF_STUB_CUBLAS
void cublasCreate_v2(void) {}
void cublasDestroy_v2(void) {}
void cublasSgemm_v2(void) {}
#else
void cudaMalloc(void) {}
void cudaMemset(void) {}
void cudaDeviceSynchronize(void) {}
#endif

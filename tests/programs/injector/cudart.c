// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// As much of libcudart as shows that CUDA is there.
int cudaGetDevice(int* device) {
  *device = 0;
  return 0;
}
int cudaGetDeviceCount(int* count) {
  *count = 1;
  return 0;
}

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// What tensor_reader_test maps in the place of PyTorch: a tensor is its device type.
int aoti_torch_get_device_type(const int* tensor, int* type) {
  *type = *tensor;
  return 0;
}

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What PyTorch's attention functions are given, in the terms that the sizes are worked out from
// (operation_sizes.h). Their conventions are here, and nowhere else: what a mask's number means,
// whether a window holds the query's own key, how many sequences are packed.

#include <stdint.h>

#include "injector/operations/operation_sizes.h"
#include "injector/operations/tensor_reader.h"

namespace flopsprof::injector {

// at::native::_flash_attention_forward and _backward.
struct FlashArguments {
  TensorRef query, key, value;
  TensorRef bounds;  // where each packed sequence begins; null: not packed
  int64_t longest_query, longest_key;
  bool causal;
  int64_t window_left, window_right;  // < 0: none
  bool lengths_on_device;
};
AttentionArguments AttentionOfFlash(const FlashArguments& flash);

// at::native::_efficient_attention_forward and _backward.
struct EfficientArguments {
  TensorRef query, key, value;
  OptionalTensorRef bounds;
  int64_t longest_query, longest_key;
  int64_t mask;    // sdp::CustomMaskType
  int64_t window;  // keys that a query sees, its own included; <= 0: all
  bool lengths_on_device;
};
AttentionArguments AttentionOfEfficient(const EfficientArguments& efficient);

// Backward functions are given an empty tensor where forward functions are given none. True also
// when that cannot be read.
bool IsEmptyTensor(TensorRef tensor);

}  // namespace flopsprof::injector

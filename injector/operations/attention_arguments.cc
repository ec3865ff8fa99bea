// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/operations/attention_arguments.h"

namespace flopsprof::injector {
namespace {

// Of packed tokens: `bounds` has one entry more. 0: not known.
int64_t CountSequences(TensorRef bounds) {
  TensorSizes sizes;
  const bool known = TensorReader::Get().Sizes(bounds, &sizes) && sizes.rank == 1;
  return known ? sizes.size[0] - 1 : 0;
}

// sdp::CustomMaskType: 0 none, 1 causal from top left, 2 from bottom right.
uint8_t MaskOfEfficient(int64_t mask) {
  if (mask == 1) return shm::kMaskCausalTopLeft;
  return mask == 2 ? shm::kMaskCausalBottomRight : shm::kMaskNone;
}

}  // namespace

AttentionArguments AttentionOfFlash(const FlashArguments& flash) {
  AttentionArguments arguments = {};
  arguments.query = flash.query;
  arguments.key = flash.key;
  arguments.value = flash.value;
  arguments.packed = flash.bounds != nullptr;
  arguments.longest_query = flash.longest_query;
  arguments.longest_key = flash.longest_key;
  arguments.sequence_count = arguments.packed ? CountSequences(flash.bounds) : 0;
  // The kernels align the mask with the last query and the last key.
  arguments.mask = flash.causal ? shm::kMaskCausalBottomRight : shm::kMaskNone;
  arguments.window_left = flash.window_left;
  arguments.window_right = flash.window_right;
  arguments.lengths_on_device = flash.lengths_on_device;
  return arguments;
}

AttentionArguments AttentionOfEfficient(const EfficientArguments& efficient) {
  AttentionArguments arguments = {};
  arguments.query = efficient.query;
  arguments.key = efficient.key;
  arguments.value = efficient.value;
  arguments.packed = HasTensor(efficient.bounds);
  arguments.longest_query = efficient.longest_query;
  arguments.longest_key = efficient.longest_key;
  arguments.sequence_count = arguments.packed ? CountSequences(efficient.bounds) : 0;
  arguments.mask = MaskOfEfficient(efficient.mask);
  arguments.window_left = efficient.window > 0 ? efficient.window - 1 : -1;
  arguments.window_right = -1;
  arguments.lengths_on_device = efficient.lengths_on_device;
  return arguments;
}

bool IsEmptyTensor(TensorRef tensor) {
  TensorSizes sizes;
  return !TensorReader::Get().Sizes(tensor, &sizes) || sizes.rank != 1 || sizes.size[0] == 0;
}

}  // namespace flopsprof::injector

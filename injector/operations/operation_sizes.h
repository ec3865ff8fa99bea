// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// From the arguments of an operation to the sizes in its record (proto/shm/operations.h). What
// cannot be read becomes a reason.

#include <stdint.h>

#include "injector/operations/tensor_reader.h"
#include "proto/shm/operations.h"
#include "proto/shm/records.h"

namespace flopsprof::injector {

// c10::ArrayRef<long>, by value.
struct IntList {
  const int64_t* data;
  uint64_t count;
};

struct AttentionArguments {
  TensorRef query;  // [batch, length, heads, dim]; packed: [tokens, heads, dim]
  TensorRef key;
  TensorRef value;
  bool packed;  // sequences of several lengths, one after the other
  // Packed: length of the longest sequence, and of how many (0: not known).
  int64_t longest_query;
  int64_t longest_key;
  int64_t sequence_count;
  uint8_t mask;         // shm::AttentionMask
  int64_t window_left;  // < 0: no bound
  int64_t window_right;
  bool lengths_on_device = false;  // of keys that are used, or where their blocks are
};
void DescribeAttention(const AttentionArguments& arguments, shm::OperationCall* call);

// input [N, C, ...], weight [out, in of a group, ...], as many spatial dimensions as `kernel`.
struct ConvolutionArguments {
  TensorRef input;
  TensorRef weight;
  TensorRef output_gradient;  // backward: gives the output's sizes; else null
  IntList kernel;
  IntList stride;
  IntList padding;
  IntList dilation;
  uint8_t gradients;  // backward: kConvInputGradient, kConvWeightGradient
};
void DescribeConvolution(const ConvolutionArguments& arguments, shm::OperationCall* call);

// a: [rows, k] or [groups, rows, k]; b: [k, columns] or [groups, k, columns].
void DescribeGroupedProduct(TensorRef a, TensorRef b, shm::OperationCall* call);

}  // namespace flopsprof::injector

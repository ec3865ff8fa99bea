// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/operations/operation_sizes.h"

namespace flopsprof::injector {
namespace {

void Refuse(shm::OperationReason reason, shm::OperationCall* call) {
  call->reason = static_cast<uint8_t>(reason);
}

// Writes sizes one after the other; one that does not fit refuses the call.
class SizeWriter {
 public:
  explicit SizeWriter(shm::OperationCall* call) : call_(call) {}
  void Add(int64_t size) {
    if (size < 0 || size > INT64_C(0xffffffff)) {
      return Refuse(shm::OperationReason::kTooLarge, call_);
    }
    if (next_ < shm::kOperationSizes) call_->sizes[next_++] = static_cast<uint32_t>(size);
  }

 private:
  shm::OperationCall* const call_;
  int next_ = 0;
};

int64_t Window(int64_t bound) { return bound < 0 ? 0 : bound + 1; }

// Output size along one dimension, as every framework defines it.
int64_t OutputSize(int64_t input, int64_t kernel, int64_t stride, int64_t padding,
                   int64_t dilation) {
  if (stride <= 0) return -1;
  const int64_t last = input + 2 * padding - dilation * (kernel - 1) - 1;
  return last < 0 ? 0 : last / stride + 1;
}

// PyTorch lets a list of one element stand for all dimensions.
int64_t At(const IntList& list, uint64_t index) {
  if (list.data == nullptr || list.count == 0) return 0;
  return list.data[list.count == 1 ? 0 : index];
}

}  // namespace

void DescribeAttention(const AttentionArguments& arguments, shm::OperationCall* call) {
  const TensorReader& reader = TensorReader::Get();
  TensorSizes query, key, value;
  call->type = reader.Type(arguments.query);
  call->variant = arguments.mask;
  if (!reader.Sizes(arguments.query, &query) || !reader.Sizes(arguments.key, &key) ||
      !reader.Sizes(arguments.value, &value) || query.rank < 3 || key.rank != query.rank ||
      value.rank != query.rank) {
    return Refuse(shm::OperationReason::kNotReadable, call);
  }
  if (arguments.lengths_on_device) return Refuse(shm::OperationReason::kLengthsOnDevice, call);
  const int64_t rank = query.rank;
  int64_t batch = rank == 4 ? query.size[0] : 1;
  int64_t query_length = query.size[rank - 3];
  int64_t key_length = key.size[rank - 3];
  if (arguments.packed) {
    // The lengths are on the GPU. Only when all tokens together are as many as sequences of the
    // longest length would have do we know them: all are the longest.
    const int64_t count = arguments.sequence_count;
    if (count <= 0 || query_length != count * arguments.longest_query ||
        key_length != count * arguments.longest_key) {
      return Refuse(shm::OperationReason::kLengthsOnDevice, call);
    }
    batch = count;
    query_length = arguments.longest_query;
    key_length = arguments.longest_key;
  }
  SizeWriter write(call);
  write.Add(batch);
  write.Add(query.size[rank - 2]);
  write.Add(key.size[rank - 2]);
  write.Add(query_length);
  write.Add(key_length);
  write.Add(query.size[rank - 1]);
  write.Add(value.size[rank - 1]);
  write.Add(Window(arguments.window_left));
  write.Add(Window(arguments.window_right));
}

void DescribeConvolution(const ConvolutionArguments& arguments, shm::OperationCall* call) {
  const TensorReader& reader = TensorReader::Get();
  TensorSizes input, weight, gradient;
  call->type = reader.Type(arguments.input);
  call->variant = arguments.gradients;
  const bool backward = arguments.output_gradient != nullptr;
  const auto dimensions = static_cast<int64_t>(arguments.kernel.count);
  if (!reader.Sizes(arguments.input, &input) || !reader.Sizes(arguments.weight, &weight) ||
      (backward && !reader.Sizes(arguments.output_gradient, &gradient)) || dimensions < 1 ||
      dimensions > 3 || input.rank < dimensions + 1 || input.rank > dimensions + 2 ||
      weight.rank != dimensions + 2 || (backward && gradient.rank != input.rank)) {
    return Refuse(shm::OperationReason::kNotReadable, call);
  }
  const bool batched = input.rank == dimensions + 2;
  const int64_t channels = input.size[batched ? 1 : 0];
  SizeWriter write(call);
  write.Add(batched ? input.size[0] : 1);
  write.Add(weight.size[0]);
  write.Add(weight.size[1]);
  for (int64_t i = 0; i < 3; ++i) {
    const int64_t axis = i - (3 - dimensions);
    if (axis < 0) {
      write.Add(1);
    } else if (backward) {
      write.Add(gradient.size[gradient.rank - dimensions + axis]);
    } else {
      const auto at = static_cast<uint64_t>(axis);
      write.Add(OutputSize(input.size[input.rank - dimensions + axis], weight.size[2 + axis],
                           At(arguments.stride, at), At(arguments.padding, at),
                           At(arguments.dilation, at)));
    }
  }
  for (int64_t i = 0; i < 3; ++i) {
    const int64_t axis = i - (3 - dimensions);
    write.Add(axis < 0 ? 1 : weight.size[2 + axis]);
  }
  write.Add(weight.size[1] > 0 ? channels / weight.size[1] : 0);
}

void DescribeGroupedProduct(TensorRef a, TensorRef b, shm::OperationCall* call) {
  const TensorReader& reader = TensorReader::Get();
  TensorSizes left, right;
  call->type = reader.Type(a);
  if (!reader.Sizes(a, &left) || !reader.Sizes(b, &right) || left.rank < 2 || left.rank > 3 ||
      right.rank < 2 || right.rank > 3) {
    return Refuse(shm::OperationReason::kNotReadable, call);
  }
  // Which rows, columns or parts of k belong to which group is on the GPU, but every one belongs
  // to exactly one: the sum is that of one product over all of them.
  const bool both = left.rank == 3 && right.rank == 3;
  SizeWriter write(call);
  write.Add(left.size[left.rank - 2]);
  write.Add(right.size[right.rank - 1]);
  write.Add(left.size[left.rank - 1]);
  write.Add(both ? left.size[0] : 1);
  write.Add(left.rank == 3 ? left.size[0] : right.rank == 3 ? right.size[0] : 0);
}

}  // namespace flopsprof::injector

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// cudnnRNN*: one call covers all layers, directions and time steps. Sizes come from the network's
// descriptor, the number of tokens from the lengths in the descriptor of x, which the host knows
// (packed sequences have fewer than steps * batch).

#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#include "injector/base/platform.h"
#include "injector/hooks/cudnn/cudnn_call.h"
#include "injector/hooks/cudnn/cudnn_rnn.h"
#include "proto/shm/cudnn_variants.h"

namespace flopsprof::injector {
namespace {

// cudnnDirectionMode_t, cudnnRNNInputMode_t (cudnn_adv.h).
constexpr int kBidirectional = 1;
constexpr int kSkipInput = 1;

bool ReadNetwork(const void* caller, void* descriptor, CudnnNetwork* network) {
  static RealFunction real("cudnnGetRNNDescriptor_v8", kCudnn);
  using Getter = int (*)(void*, int*, int*, int*, int*, int*, int*, int*, int*, int32_t*, int32_t*,
                         int32_t*, int32_t*, void**, uint32_t*);
  auto* const get = reinterpret_cast<Getter>(real.Find(caller));
  int algorithm = 0, bias = 0, precision = 0;
  void* dropout = nullptr;
  uint32_t flags = 0;
  return get != nullptr && descriptor != nullptr &&
         get(descriptor, &algorithm, &network->cell, &bias, &network->direction,
             &network->input_mode, &network->data_type, &precision, &network->math, &network->input,
             &network->hidden, &network->projection, &network->layers, &dropout, &flags) == 0;
}

using DataGetter = int (*)(void* descriptor, int* data_type, int* layout, int* max_length,
                           int* batch, int* vector, int room, int* lengths, void* padding_fill);

// Sum of the lengths of all sequences; -1: not readable, or no room for all lengths.
int64_t SumLengths(DataGetter get, void* descriptor, int room, int* lengths, int* type,
                   int* width) {
  int layout = 0, max_length = 0, batch = 0;
  double padding = 0;  // room for an element of any type
  if (get(descriptor, type, &layout, &max_length, &batch, width, room, lengths, &padding) != 0) {
    return -1;
  }
  int64_t sum = 0;
  for (int i = 0; i < batch && i < room; ++i) {
    if (lengths[i] < 0) return -1;
    sum += lengths[i];
  }
  return batch <= room ? sum : -1;
}

// `data`: the descriptor of x or dx.
void EmitRnn(const CallScope& call, const void* caller, void* descriptor, void* data) {
  CudnnNetwork network{};
  int64_t tokens = 0;
  int type = 0, width = 0;
  if (!ReadNetwork(caller, descriptor, &network) ||
      !ReadCudnnSequences(caller, data, &tokens, &type, &width)) {
    return EmitUnknownCudnnCall(call, shm::UnknownReason::kGetterFailed);
  }
  EmitCudnnNetwork(call, network, tokens);
}

}  // namespace

bool ReadCudnnSequences(const void* caller, void* descriptor, int64_t* tokens, int* type,
                        int* width) {
  static RealFunction real("cudnnGetRNNDataDescriptor", kCudnn);
  auto* const get = reinterpret_cast<DataGetter>(real.Find(caller));
  if (get == nullptr || descriptor == nullptr) return false;
  constexpr int kUsualBatch = 1024;  // 4 KiB of stack
  int usual[kUsualBatch];
  *tokens = SumLengths(get, descriptor, kUsualBatch, usual, type, width);
  if (*tokens >= 0) return true;
  constexpr int kMaxBatch = 1 << 20;
  ErrnoKeeper keep;
  const size_t bytes = kMaxBatch * sizeof(int);
  auto* lengths = static_cast<int*>(MapPages(bytes));  // only the pages in use become memory
  if (lengths == nullptr) return false;
  *tokens = SumLengths(get, descriptor, kMaxBatch, lengths, type, width);
  munmap(lengths, bytes);
  return *tokens >= 0;
}

void EmitCudnnNetwork(const CallScope& call, const CudnnNetwork& network, int64_t tokens) {
  shm::LibraryCall record = CudnnLibraryRecord(call);
  record.type = CudaTypeOfCudnn(network.data_type);
  record.math_mode = static_cast<uint8_t>(network.math);
  record.variant = static_cast<uint8_t>(network.cell & shm::kRnnCellMask);
  if (network.direction == kBidirectional) record.variant |= shm::kRnnBidirectional;
  if (network.input_mode == kSkipInput) record.variant |= shm::kRnnSkipsInput;
  record.sizes[0] = tokens;
  record.sizes[1] = network.input;
  record.sizes[2] = network.hidden;
  record.sizes[3] = network.projection == network.hidden ? 0 : network.projection;
  record.sizes[4] = network.layers;
  EmitCall(&record);
}

}  // namespace flopsprof::injector

using namespace flopsprof::injector;  // NOLINT: the hooks below are C functions
namespace shm = flopsprof::shm;

FLOPSPROF_EXPORT int cudnnRNNForward(void* handle, void* network, int mode, void* lengths,
                                     void* x_desc, void* x, void* y_desc, void* y, void* h_desc,
                                     void* hx, void* hy, void* c_desc, void* cx, void* cy,
                                     size_t weight_bytes, void* weights, size_t work_bytes,
                                     void* work, size_t reserve_bytes, void* reserve) {
  static RealFunction real("cudnnRNNForward", kCudnn);
  return CountCudnnCall(
      &real, shm::ApiId::cudnnRNNForward, __builtin_return_address(0),
      [=](const CallScope& call, const void* caller) { EmitRnn(call, caller, network, x_desc); },
      handle, network, mode, lengths, x_desc, x, y_desc, y, h_desc, hx, hy, c_desc, cx, cy,
      weight_bytes, weights, work_bytes, work, reserve_bytes, reserve);
}

FLOPSPROF_EXPORT int cudnnRNNBackwardData_v8(void* handle, void* network, void* lengths,
                                             void* y_desc, void* y, void* dy, void* x_desc,
                                             void* dx, void* h_desc, void* hx, void* dhy, void* dhx,
                                             void* c_desc, void* cx, void* dcy, void* dcx,
                                             size_t weight_bytes, void* weights, size_t work_bytes,
                                             void* work, size_t reserve_bytes, void* reserve) {
  static RealFunction real("cudnnRNNBackwardData_v8", kCudnn);
  return CountCudnnCall(
      &real, shm::ApiId::cudnnRNNBackwardData_v8, __builtin_return_address(0),
      [=](const CallScope& call, const void* caller) { EmitRnn(call, caller, network, x_desc); },
      handle, network, lengths, y_desc, y, dy, x_desc, dx, h_desc, hx, dhy, dhx, c_desc, cx, dcy,
      dcx, weight_bytes, weights, work_bytes, work, reserve_bytes, reserve);
}

FLOPSPROF_EXPORT int cudnnRNNBackwardWeights_v8(void* handle, void* network, int add_gradient,
                                                void* lengths, void* x_desc, void* x, void* h_desc,
                                                void* hx, void* y_desc, void* y,
                                                size_t weight_bytes, void* gradients,
                                                size_t work_bytes, void* work, size_t reserve_bytes,
                                                void* reserve) {
  static RealFunction real("cudnnRNNBackwardWeights_v8", kCudnn);
  return CountCudnnCall(
      &real, shm::ApiId::cudnnRNNBackwardWeights_v8, __builtin_return_address(0),
      [=](const CallScope& call, const void* caller) { EmitRnn(call, caller, network, x_desc); },
      handle, network, add_gradient, lengths, x_desc, x, h_desc, hx, y_desc, y, weight_bytes,
      gradients, work_bytes, work, reserve_bytes, reserve);
}

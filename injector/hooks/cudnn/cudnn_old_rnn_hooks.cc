// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// cudnnRNNForwardTraining and its like, which cuDNN 9 removed: one tensor descriptor for each time
// step, or (Ex) sequences of one descriptor. Prototypes of cuDNN 8 (table/signatures/cudnn.txt).

#include <stddef.h>
#include <stdint.h>

#include "injector/base/platform.h"
#include "injector/hooks/cudnn/cudnn_call.h"
#include "injector/hooks/cudnn/cudnn_rnn.h"

namespace flopsprof::injector {
namespace {

// cudnnGetRNNDescriptor_v6: of a network that was described without the size of its input.
bool ReadNetwork(const void* caller, void* handle, void* descriptor, CudnnNetwork* network) {
  static RealFunction real("cudnnGetRNNDescriptor_v6", kCudnn);
  static RealFunction real_projection("cudnnGetRNNProjectionLayers", kCudnn);
  static RealFunction real_math("cudnnGetRNNMatrixMathType", kCudnn);
  using Getter = int (*)(void*, void*, int*, int*, void**, int*, int*, int*, int*, int*);
  auto* const get = reinterpret_cast<Getter>(real.Find(caller));
  auto* const get_projection =
      reinterpret_cast<int (*)(void*, void*, int*, int*)>(real_projection.Find(caller));
  auto* const get_math = reinterpret_cast<int (*)(void*, int*)>(real_math.Find(caller));
  void* dropout = nullptr;
  int algorithm = 0, precision = 0, recurrent = 0, output = 0;
  if (get == nullptr || get_projection == nullptr || descriptor == nullptr ||
      get(handle, descriptor, &network->hidden, &network->layers, &dropout, &network->input_mode,
          &network->direction, &network->cell, &algorithm, &precision) != 0 ||
      get_projection(handle, descriptor, &recurrent, &output) != 0) {
    return false;
  }
  // The library takes no other output projection than none.
  network->projection = recurrent;
  if (get_math == nullptr || get_math(descriptor, &network->math) != 0) network->math = 0;
  return output == 0 || output == network->hidden;
}

// Of one time step: sequences that are still going on, size of the input.
bool ReadStep(const void* caller, void* descriptor, int* type, int* sequences, int* input) {
  static RealFunction real("cudnnGetTensorNdDescriptor", kCudnn);
  using Getter = int (*)(void*, int, int*, int*, int*, int*);
  auto* const get = reinterpret_cast<Getter>(real.Find(caller));
  constexpr int kMaxRank = 8;
  int rank = 0, sizes[kMaxRank] = {}, strides[kMaxRank] = {};
  if (get == nullptr || descriptor == nullptr ||
      get(descriptor, kMaxRank, type, &rank, sizes, strides) != 0 || rank < 2 || sizes[0] < 0) {
    return false;
  }
  *sequences = sizes[0];
  *input = sizes[1];
  return true;
}

void EmitOldRnnOfSteps(const CallScope& call, const void* caller, void* handle, void* descriptor,
                       int steps, void** x) {
  CudnnNetwork network{};
  bool readable = ReadNetwork(caller, handle, descriptor, &network) && steps > 0 && x != nullptr;
  int64_t tokens = 0;
  for (int i = 0; readable && i < steps; ++i) {
    int sequences = 0;
    readable = ReadStep(caller, x[i], &network.data_type, &sequences, &network.input);
    tokens += sequences;
  }
  if (!readable) return EmitUnknownCudnnCall(call, shm::UnknownReason::kGetterFailed);
  EmitCudnnNetwork(call, network, tokens);
}

void EmitOldRnnOfData(const CallScope& call, const void* caller, void* handle, void* descriptor,
                      void* x) {
  CudnnNetwork network{};
  int64_t tokens = 0;
  if (!ReadNetwork(caller, handle, descriptor, &network) ||
      !ReadCudnnSequences(caller, x, &tokens, &network.data_type, &network.input)) {
    return EmitUnknownCudnnCall(call, shm::UnknownReason::kGetterFailed);
  }
  EmitCudnnNetwork(call, network, tokens);
}

}  // namespace
}  // namespace flopsprof::injector

using namespace flopsprof::injector;  // NOLINT: the hooks below are C functions
namespace shm = flopsprof::shm;

FLOPSPROF_EXPORT int cudnnRNNForwardTraining(void* handle, void* rnnDesc, int seqLength,
                                             void* xDesc, void* x, void* hxDesc, void* hx,
                                             void* cxDesc, void* cx, void* wDesc, void* w,
                                             void* yDesc, void* y, void* hyDesc, void* hy,
                                             void* cyDesc, void* cy, void* workSpace,
                                             size_t workSpaceSizeInBytes, void* reserveSpace,
                                             size_t reserveSpaceSizeInBytes) {
  static RealFunction real("cudnnRNNForwardTraining", kCudnn);
  return CountCudnnCall(
      &real, shm::ApiId::cudnnRNNForwardTraining, __builtin_return_address(0),
      [=](const CallScope& call, const void* caller) {
        EmitOldRnnOfSteps(call, caller, handle, rnnDesc, seqLength, static_cast<void**>(xDesc));
      },
      handle, rnnDesc, seqLength, xDesc, x, hxDesc, hx, cxDesc, cx, wDesc, w, yDesc, y, hyDesc, hy,
      cyDesc, cy, workSpace, workSpaceSizeInBytes, reserveSpace, reserveSpaceSizeInBytes);
}

FLOPSPROF_EXPORT int cudnnRNNForwardInference(void* handle, void* rnnDesc, int seqLength,
                                              void* xDesc, void* x, void* hxDesc, void* hx,
                                              void* cxDesc, void* cx, void* wDesc, void* w,
                                              void* yDesc, void* y, void* hyDesc, void* hy,
                                              void* cyDesc, void* cy, void* workSpace,
                                              size_t workSpaceSizeInBytes) {
  static RealFunction real("cudnnRNNForwardInference", kCudnn);
  return CountCudnnCall(
      &real, shm::ApiId::cudnnRNNForwardInference, __builtin_return_address(0),
      [=](const CallScope& call, const void* caller) {
        EmitOldRnnOfSteps(call, caller, handle, rnnDesc, seqLength, static_cast<void**>(xDesc));
      },
      handle, rnnDesc, seqLength, xDesc, x, hxDesc, hx, cxDesc, cx, wDesc, w, yDesc, y, hyDesc, hy,
      cyDesc, cy, workSpace, workSpaceSizeInBytes);
}

FLOPSPROF_EXPORT int cudnnRNNBackwardData(void* handle, void* rnnDesc, int seqLength, void* yDesc,
                                          void* y, void* dyDesc, void* dy, void* dhyDesc, void* dhy,
                                          void* dcyDesc, void* dcy, void* wDesc, void* w,
                                          void* hxDesc, void* hx, void* cxDesc, void* cx,
                                          void* dxDesc, void* dx, void* dhxDesc, void* dhx,
                                          void* dcxDesc, void* dcx, void* workSpace,
                                          size_t workSpaceSizeInBytes, void* reserveSpace,
                                          size_t reserveSpaceSizeInBytes) {
  static RealFunction real("cudnnRNNBackwardData", kCudnn);
  return CountCudnnCall(
      &real, shm::ApiId::cudnnRNNBackwardData, __builtin_return_address(0),
      [=](const CallScope& call, const void* caller) {
        EmitOldRnnOfSteps(call, caller, handle, rnnDesc, seqLength, static_cast<void**>(dxDesc));
      },
      handle, rnnDesc, seqLength, yDesc, y, dyDesc, dy, dhyDesc, dhy, dcyDesc, dcy, wDesc, w,
      hxDesc, hx, cxDesc, cx, dxDesc, dx, dhxDesc, dhx, dcxDesc, dcx, workSpace,
      workSpaceSizeInBytes, reserveSpace, reserveSpaceSizeInBytes);
}

FLOPSPROF_EXPORT int cudnnRNNBackwardWeights(void* handle, void* rnnDesc, int seqLength,
                                             void* xDesc, void* x, void* hxDesc, void* hx,
                                             void* yDesc, void* y, void* workSpace,
                                             size_t workSpaceSizeInBytes, void* dwDesc, void* dw,
                                             void* reserveSpace, size_t reserveSpaceSizeInBytes) {
  static RealFunction real("cudnnRNNBackwardWeights", kCudnn);
  return CountCudnnCall(
      &real, shm::ApiId::cudnnRNNBackwardWeights, __builtin_return_address(0),
      [=](const CallScope& call, const void* caller) {
        EmitOldRnnOfSteps(call, caller, handle, rnnDesc, seqLength, static_cast<void**>(xDesc));
      },
      handle, rnnDesc, seqLength, xDesc, x, hxDesc, hx, yDesc, y, workSpace, workSpaceSizeInBytes,
      dwDesc, dw, reserveSpace, reserveSpaceSizeInBytes);
}

FLOPSPROF_EXPORT int cudnnRNNForwardTrainingEx(void* handle, void* rnnDesc, void* xDesc, void* x,
                                               void* hxDesc, void* hx, void* cxDesc, void* cx,
                                               void* wDesc, void* w, void* yDesc, void* y,
                                               void* hyDesc, void* hy, void* cyDesc, void* cy,
                                               void* kDesc, void* keys, void* cDesc, void* cAttn,
                                               void* iDesc, void* iAttn, void* qDesc, void* queries,
                                               void* workSpace, size_t workSpaceSizeInBytes,
                                               void* reserveSpace, size_t reserveSpaceSizeInBytes) {
  static RealFunction real("cudnnRNNForwardTrainingEx", kCudnn);
  return CountCudnnCall(
      &real, shm::ApiId::cudnnRNNForwardTrainingEx, __builtin_return_address(0),
      [=](const CallScope& call, const void* caller) {
        EmitOldRnnOfData(call, caller, handle, rnnDesc, xDesc);
      },
      handle, rnnDesc, xDesc, x, hxDesc, hx, cxDesc, cx, wDesc, w, yDesc, y, hyDesc, hy, cyDesc, cy,
      kDesc, keys, cDesc, cAttn, iDesc, iAttn, qDesc, queries, workSpace, workSpaceSizeInBytes,
      reserveSpace, reserveSpaceSizeInBytes);
}

FLOPSPROF_EXPORT int cudnnRNNForwardInferenceEx(
    void* handle, void* rnnDesc, void* xDesc, void* x, void* hxDesc, void* hx, void* cxDesc,
    void* cx, void* wDesc, void* w, void* yDesc, void* y, void* hyDesc, void* hy, void* cyDesc,
    void* cy, void* kDesc, void* keys, void* cDesc, void* cAttn, void* iDesc, void* iAttn,
    void* qDesc, void* queries, void* workSpace, size_t workSpaceSizeInBytes) {
  static RealFunction real("cudnnRNNForwardInferenceEx", kCudnn);
  return CountCudnnCall(
      &real, shm::ApiId::cudnnRNNForwardInferenceEx, __builtin_return_address(0),
      [=](const CallScope& call, const void* caller) {
        EmitOldRnnOfData(call, caller, handle, rnnDesc, xDesc);
      },
      handle, rnnDesc, xDesc, x, hxDesc, hx, cxDesc, cx, wDesc, w, yDesc, y, hyDesc, hy, cyDesc, cy,
      kDesc, keys, cDesc, cAttn, iDesc, iAttn, qDesc, queries, workSpace, workSpaceSizeInBytes);
}

FLOPSPROF_EXPORT int cudnnRNNBackwardDataEx(
    void* handle, void* rnnDesc, void* yDesc, void* y, void* dyDesc, void* dy, void* dcDesc,
    void* dcAttn, void* dhyDesc, void* dhy, void* dcyDesc, void* dcy, void* wDesc, void* w,
    void* hxDesc, void* hx, void* cxDesc, void* cx, void* dxDesc, void* dx, void* dhxDesc,
    void* dhx, void* dcxDesc, void* dcx, void* dkDesc, void* dkeys, void* workSpace,
    size_t workSpaceSizeInBytes, void* reserveSpace, size_t reserveSpaceSizeInBytes) {
  static RealFunction real("cudnnRNNBackwardDataEx", kCudnn);
  return CountCudnnCall(
      &real, shm::ApiId::cudnnRNNBackwardDataEx, __builtin_return_address(0),
      [=](const CallScope& call, const void* caller) {
        EmitOldRnnOfData(call, caller, handle, rnnDesc, dxDesc);
      },
      handle, rnnDesc, yDesc, y, dyDesc, dy, dcDesc, dcAttn, dhyDesc, dhy, dcyDesc, dcy, wDesc, w,
      hxDesc, hx, cxDesc, cx, dxDesc, dx, dhxDesc, dhx, dcxDesc, dcx, dkDesc, dkeys, workSpace,
      workSpaceSizeInBytes, reserveSpace, reserveSpaceSizeInBytes);
}

FLOPSPROF_EXPORT int cudnnRNNBackwardWeightsEx(void* handle, void* rnnDesc, void* xDesc, void* x,
                                               void* hxDesc, void* hx, void* yDesc, void* y,
                                               void* workSpace, size_t workSpaceSizeInBytes,
                                               void* dwDesc, void* dw, void* reserveSpace,
                                               size_t reserveSpaceSizeInBytes) {
  static RealFunction real("cudnnRNNBackwardWeightsEx", kCudnn);
  return CountCudnnCall(
      &real, shm::ApiId::cudnnRNNBackwardWeightsEx, __builtin_return_address(0),
      [=](const CallScope& call, const void* caller) {
        EmitOldRnnOfData(call, caller, handle, rnnDesc, xDesc);
      },
      handle, rnnDesc, xDesc, x, hxDesc, hx, yDesc, y, workSpace, workSpaceSizeInBytes, dwDesc, dw,
      reserveSpace, reserveSpaceSizeInBytes);
}

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// cudnnConvolution*, the calls from before the graph API: sizes by the descriptors' getters. The
// filter's descriptor holds the channels of one group, so groups and any rank are in its sizes.

#include <stddef.h>
#include <stdint.h>

#include "injector/base/platform.h"
#include "injector/hooks/cudnn/cudnn_call.h"

namespace flopsprof::injector {
namespace {

constexpr int kMaxRank = 8;  // CUDNN_DIM_MAX

struct Shape {
  int type = 0;
  int rank = 0;
  int sizes[kMaxRank] = {};
};

bool ReadTensor(const void* caller, void* descriptor, Shape* shape) {
  static RealFunction real("cudnnGetTensorNdDescriptor", kCudnn);
  using Getter = int (*)(void*, int, int*, int*, int*, int*);
  auto* const get = reinterpret_cast<Getter>(real.Find(caller));
  int strides[kMaxRank];
  return get != nullptr && descriptor != nullptr &&
         get(descriptor, kMaxRank, &shape->type, &shape->rank, shape->sizes, strides) == 0 &&
         shape->rank >= 3 && shape->rank <= kMaxRank;
}

bool ReadFilter(const void* caller, void* descriptor, Shape* shape) {
  static RealFunction real("cudnnGetFilterNdDescriptor", kCudnn);
  using Getter = int (*)(void*, int, int*, int*, int*, int*);
  auto* const get = reinterpret_cast<Getter>(real.Find(caller));
  int format = 0;
  return get != nullptr && descriptor != nullptr &&
         get(descriptor, kMaxRank, &shape->type, &format, &shape->rank, shape->sizes) == 0 &&
         shape->rank >= 3 && shape->rank <= kMaxRank;
}

// Not told: 1 and 0, their defaults.
void ReadConvolution(const void* caller, void* descriptor, int* groups, int* math) {
  static RealFunction real_groups("cudnnGetConvolutionGroupCount", kCudnn);
  static RealFunction real_math("cudnnGetConvolutionMathType", kCudnn);
  using Getter = int (*)(void*, int*);
  auto* const get_groups = reinterpret_cast<Getter>(real_groups.Find(caller));
  auto* const get_math = reinterpret_cast<Getter>(real_math.Find(caller));
  if (get_groups == nullptr || get_groups(descriptor, groups) != 0) *groups = 1;
  if (get_math == nullptr || get_math(descriptor, math) != 0) *math = 0;
}

// -1: a negative size, or more than 64 bits.
int64_t Product(const Shape& shape, int from) {
  int64_t product = 1;
  for (int i = from; i < shape.rank; ++i) {
    if (shape.sizes[i] < 0 || __builtin_mul_overflow(product, int64_t{shape.sizes[i]}, &product)) {
      return -1;
    }
  }
  return product;
}

// `output`: of the forward convolution, so for the gradients the tensor dy.
void EmitConvolution(const CallScope& call, const void* caller, void* convolution, void* filter,
                     void* output) {
  Shape w, y;
  if (convolution == nullptr || !ReadFilter(caller, filter, &w) ||
      !ReadTensor(caller, output, &y)) {
    return EmitUnknownCudnnCall(call, shm::UnknownReason::kGetterFailed);
  }
  int groups = 1, math = 0;
  ReadConvolution(caller, convolution, &groups, &math);
  shm::LibraryCall record = CudnnLibraryRecord(call);
  record.type = CudaTypeOfCudnn(w.type);
  record.math_mode = static_cast<uint8_t>(math);
  record.sizes[0] = Product(y, 0);
  record.sizes[1] = Product(w, 1);
  record.sizes[2] = y.sizes[0];
  record.sizes[3] = y.sizes[1];
  record.sizes[4] = groups;
  EmitCall(&record);
}

}  // namespace
}  // namespace flopsprof::injector

using namespace flopsprof::injector;  // NOLINT: the hooks below are C functions
namespace shm = flopsprof::shm;

FLOPSPROF_EXPORT int cudnnConvolutionForward(void* handle, void* alpha, void* x_desc, void* x,
                                             void* w_desc, void* w, void* convolution,
                                             int algorithm, void* work, size_t work_bytes,
                                             void* beta, void* y_desc, void* y) {
  static RealFunction real("cudnnConvolutionForward", kCudnn);
  return CountCudnnCall(
      &real, shm::ApiId::cudnnConvolutionForward, __builtin_return_address(0),
      [=](const CallScope& call, const void* caller) {
        EmitConvolution(call, caller, convolution, w_desc, y_desc);
      },
      handle, alpha, x_desc, x, w_desc, w, convolution, algorithm, work, work_bytes, beta, y_desc,
      y);
}

FLOPSPROF_EXPORT int cudnnConvolutionBiasActivationForward(
    void* handle, void* alpha1, void* x_desc, void* x, void* w_desc, void* w, void* convolution,
    int algorithm, void* work, size_t work_bytes, void* alpha2, void* z_desc, void* z,
    void* bias_desc, void* bias, void* activation, void* y_desc, void* y) {
  static RealFunction real("cudnnConvolutionBiasActivationForward", kCudnn);
  return CountCudnnCall(
      &real, shm::ApiId::cudnnConvolutionBiasActivationForward, __builtin_return_address(0),
      [=](const CallScope& call, const void* caller) {
        EmitConvolution(call, caller, convolution, w_desc, y_desc);
      },
      handle, alpha1, x_desc, x, w_desc, w, convolution, algorithm, work, work_bytes, alpha2,
      z_desc, z, bias_desc, bias, activation, y_desc, y);
}

FLOPSPROF_EXPORT int cudnnConvolutionBackwardData(void* handle, void* alpha, void* w_desc, void* w,
                                                  void* dy_desc, void* dy, void* convolution,
                                                  int algorithm, void* work, size_t work_bytes,
                                                  void* beta, void* dx_desc, void* dx) {
  static RealFunction real("cudnnConvolutionBackwardData", kCudnn);
  return CountCudnnCall(
      &real, shm::ApiId::cudnnConvolutionBackwardData, __builtin_return_address(0),
      [=](const CallScope& call, const void* caller) {
        EmitConvolution(call, caller, convolution, w_desc, dy_desc);
      },
      handle, alpha, w_desc, w, dy_desc, dy, convolution, algorithm, work, work_bytes, beta,
      dx_desc, dx);
}

FLOPSPROF_EXPORT int cudnnConvolutionBackwardFilter(void* handle, void* alpha, void* x_desc,
                                                    void* x, void* dy_desc, void* dy,
                                                    void* convolution, int algorithm, void* work,
                                                    size_t work_bytes, void* beta, void* dw_desc,
                                                    void* dw) {
  static RealFunction real("cudnnConvolutionBackwardFilter", kCudnn);
  return CountCudnnCall(
      &real, shm::ApiId::cudnnConvolutionBackwardFilter, __builtin_return_address(0),
      [=](const CallScope& call, const void* caller) {
        EmitConvolution(call, caller, convolution, dw_desc, dy_desc);
      },
      handle, alpha, x_desc, x, dy_desc, dy, convolution, algorithm, work, work_bytes, beta,
      dw_desc, dw);
}

// Plans of fused operations say nothing about their sizes.
FLOPSPROF_EXPORT int cudnnFusedOpsExecute(void* handle, void* plan, void* parameters) {
  static RealFunction real("cudnnFusedOpsExecute", kCudnn);
  return CountCudnnCall(
      &real, shm::ApiId::cudnnFusedOpsExecute, __builtin_return_address(0),
      [](const CallScope& call, const void*) {
        EmitUnknownCudnnCall(call, shm::UnknownReason::kPlanNotSeen);
      },
      handle, plan, parameters);
}

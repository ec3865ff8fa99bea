// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// CHECK_PROTOTYPE((&f), int(void*, int)): does the real function f take its arguments in the same
// registers and places as a hook of that type? Pointers match pointers; integers and enums match
// by size; floating point matches itself.

#include <stddef.h>
#include <stdint.h>

#include <type_traits>

#if __has_include(<cublas_v2.h>)
#include <cublas_v2.h>
#define FLOPSPROF_CHECK_CUBLAS 1
#endif
#if __has_include(<cublasLt.h>)
#include <cublasLt.h>
#define FLOPSPROF_CHECK_CUBLASLT 1
#endif
#if __has_include(<cusolverDn.h>)
#include <cusolverDn.h>
#include <cusolverRf.h>
#include <cusolverSp.h>
#include <cusolverSp_LOWLEVEL_PREVIEW.h>
#define FLOPSPROF_CHECK_CUSOLVER 1
#endif
#if __has_include(<cusolverMg.h>)
#include <cusolverMg.h>
#define FLOPSPROF_CHECK_CUSOLVERMG 1
#endif
#if __has_include(<cublasXt.h>)
#include <cublasXt.h>
#endif
#if __has_include(<cusparse.h>)
#include <cusparse.h>
#define FLOPSPROF_CHECK_CUSPARSE 1
#endif
#if __has_include(<cusparseLt.h>)
#include <cusparseLt.h>
#define FLOPSPROF_CHECK_CUSPARSELT 1
#endif
#if __has_include(<cufftXt.h>)
#include <cufft.h>
#include <cufftXt.h>
#define FLOPSPROF_CHECK_CUFFT 1
#endif
#if __has_include(<cudnn.h>)
#include <cudnn.h>
#define FLOPSPROF_CHECK_CUDNN 1
#endif
#if __has_include(<cudnn_subquadratic_ops.h>)
#include <cudnn_subquadratic_ops.h>
#define FLOPSPROF_CHECK_CUDNN_SUBQUADRATIC 1
#endif
#if __has_include(<nccl.h>)
#include <nccl.h>
#define FLOPSPROF_CHECK_NCCL 1
#endif
#if __has_include(<cuda_runtime_api.h>)
#include <cuda_runtime_api.h>
#define FLOPSPROF_CHECK_CUDART 1
#endif
#if __has_include(<cuda.h>)
#include <cuda.h>
#define FLOPSPROF_CHECK_CUDA 1
#endif
#if __has_include(<cupti.h>)
#include <cupti.h>
#define FLOPSPROF_CHECK_CUPTI 1
#endif

// Complex numbers by value, as the hooks take them.
struct ComplexFloat {
  float x, y;
};
struct alignas(16) ComplexDouble {
  double x, y;
};
// ncclUniqueId by value.
struct UniqueId {
  char bytes[128];
};

namespace flopsprof::test {

template <class A, class B>
constexpr bool kSamePlace = std::is_pointer_v<A>          ? std::is_pointer_v<B>
                            : std::is_floating_point_v<A> ? std::is_same_v<A, B>
                            : std::is_class_v<A> ? std::is_class_v<B> && sizeof(A) == sizeof(B)
                                                 : !std::is_pointer_v<B> &&
                                                       !std::is_floating_point_v<B> &&
                                                       sizeof(A) == sizeof(B) &&
                                                       (std::is_integral_v<A> || std::is_enum_v<A>);

template <class Theirs, class Ours>
struct SameConvention : std::false_type {};

template <class R, class... A, class S, class... B>
struct SameConvention<R(A...), S(B...)> {
  static constexpr bool value = [] {
    if constexpr (sizeof...(A) != sizeof...(B)) {
      return false;
    } else {
      return kSamePlace<R, S> && (kSamePlace<A, B> && ...);
    }
  }();
};

static_assert(SameConvention<int(float*, long), int(void*, int64_t)>::value);
static_assert(!SameConvention<int(float*, int), int(void*, int64_t)>::value);
static_assert(!SameConvention<int(float), int(int)>::value);
static_assert(!SameConvention<int(int, int), int(int)>::value);

}  // namespace flopsprof::test

#define CHECK_PROTOTYPE(function, type)                                                       \
  static_assert(                                                                              \
      flopsprof::test::SameConvention<std::remove_pointer_t<decltype function>, type>::value, \
      #function " is declared otherwise in the real header")

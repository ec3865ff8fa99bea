// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// The libraries as programs meet them: names, versions, refusals, the marker.
#include <cuda.h>
#include <dlfcn.h>

#include "client.h"

namespace simgpu_test {
namespace {

SIM_TEST(Api, EveryLibraryIsMarkedAsSimulated) {
  for (const char* name : {"libcuda.so.1", "libcudart.so.13", "libcublas.so.13",
                           "libcublasLt.so.13", "libcudnn.so.9", "libnccl.so.2", "libcupti.so.13",
                           "libcusolver.so.12", "libcusparse.so.12", "libcufft.so.12"}) {
    void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << dlerror();
    EXPECT_NE(dlsym(library, "flopsprof_simulated_gpu"), nullptr) << name;
  }
}

SIM_TEST(Api, SymbolsHaveTheVersionsOfTheRealLibraries) {
  void* library = dlopen("libcublasLt.so.13", RTLD_NOW);
  EXPECT_NE(dlvsym(library, "cublasLtMatmul", "libcublasLt.so.13"), nullptr);
}

SIM_TEST(Api, LegacyDriverNamesExist) {
  void* library = dlopen("libcuda.so.1", RTLD_NOW);
  for (const char* name :
       {"cuCtxPushCurrent", "cuCtxPopCurrent", "cuCtxPushCurrent_v2", "cuDevicePrimaryCtxRelease",
        "cuStreamDestroy", "cuMemAlloc", "cuGetProcAddress", "cuLaunchKernel_ptsz"}) {
    EXPECT_NE(dlsym(library, name), nullptr) << name;
  }
}

SIM_TEST(Api, DefaultsAreTwoH100) {
  int count = 0;
  cudaDeviceProp properties;
  ASSERT_EQ(cudaGetDeviceCount(&count), cudaSuccess);
  EXPECT_EQ(count, 2);
  ASSERT_EQ(cudaGetDeviceProperties(&properties, 1), cudaSuccess);
  EXPECT_NE(strstr(properties.name, "H100"), nullptr);
  EXPECT_EQ(properties.multiProcessorCount, 132);
  EXPECT_EQ(cudaSetDevice(2), cudaErrorInvalidDevice);
}

SIM_TEST(Api, TheCardCanBeChosen, "SIMGPU_CARD=a100", "SIM_DEVICES=1") {
  int count = 0;
  cudaDeviceProp properties;
  cudaGetDeviceCount(&count);
  EXPECT_EQ(count, 1);
  cudaGetDeviceProperties(&properties, 0);
  EXPECT_EQ(properties.major, 8);
  EXPECT_EQ(properties.multiProcessorCount, 108);
}

SIM_TEST(Api, VisibleDevicesHideOthers, "CUDA_VISIBLE_DEVICES=1", "SIM_DEVICES=4") {
  int count = 0;
  char bus[32] = "";
  EXPECT_EQ(cudaGetDeviceCount(&count), cudaSuccess);
  EXPECT_EQ(count, 1);
  EXPECT_EQ(cudaDeviceGetPCIBusId(bus, sizeof bus, 0), cudaSuccess);
  EXPECT_STREQ(bus, "0000:02:00.0");
}

SIM_TEST(Api, NoVisibleDeviceIsNoDevice, "CUDA_VISIBLE_DEVICES=") {
  int count = 1;
  EXPECT_EQ(cudaGetDeviceCount(&count), cudaErrorNoDevice);
  EXPECT_EQ(count, 0);
  EXPECT_EQ(cuInit(0), CUDA_ERROR_NO_DEVICE);
}

SIM_TEST(Api, WrongArgumentsAreRefusedAndEmptyProductsLaunchNothing, "SIMGPU_LEDGER={folder}") {
  Gemms gemms;
  const float one = 1;
  float* memory;
  cudaMalloc(reinterpret_cast<void**>(&memory), 4096);
  const auto gemm = [&](cublasHandle_t handle, int m, int lda) {
    return cublasSgemm_v2(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, 4, 4, &one, memory, lda, memory, 4,
                          &one, memory, 8);
  };
  EXPECT_EQ(gemm(nullptr, 4, 4), CUBLAS_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(gemm(gemms.handle(), -1, 4), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(gemm(gemms.handle(), 4, 3), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(gemm(gemms.handle(), 0, 4), CUBLAS_STATUS_SUCCESS);
  EXPECT_TRUE(Ledger().empty());
  EXPECT_EQ(gemm(gemms.handle(), 4, 4), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(Ledger().size(), 1u);
}

SIM_TEST(Api, WaitingWaits, "SIMGPU_FAULTS={\"durations\": 30000000}") {
  Gemms gemms;
  gemms.One();
  EXPECT_EQ(cudaStreamQuery(nullptr), cudaErrorNotReady);
  timespec before, after;
  clock_gettime(CLOCK_MONOTONIC, &before);
  cudaDeviceSynchronize();
  clock_gettime(CLOCK_MONOTONIC, &after);
  const int64_t waited =
      (after.tv_sec - before.tv_sec) * 1000000000ll + after.tv_nsec - before.tv_nsec;
  EXPECT_GT(waited, 20000000);
  EXPECT_EQ(cudaStreamQuery(nullptr), cudaSuccess);
}

SIM_TEST(Api, PrivateTablesAreNotImitated) {
  const void* table;
  CUuuid id = {};
  EXPECT_EQ(cuGetExportTable(&table, &id), CUDA_ERROR_NOT_FOUND);
}

}  // namespace
}  // namespace simgpu_test

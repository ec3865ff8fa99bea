// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Products by every way that the stand-in's fault script can change, each in a range of its own
// that the stand-in knows as the tag of its ledger. What libraries refuse is no failure.
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

extern "C" int cusolverDnSpotrf(void* handle, int uplo, int n, float* a, int lda, float* workspace,
                                int lwork, int* info);

namespace {

cublasHandle_t handle;
cublasLtHandle_t lt_handle;
cudaStream_t stream;
float* memory;

void Must(int status, const char* what) {
  if (status == 0) return;
  std::fprintf(stderr, "%s: status %d\n", what, status);
  std::exit(1);
}
#define MUST(call) Must(static_cast<int>(call), #call)

template <class Function>
Function Find(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
}

void In(const std::string& path, const std::function<void()>& work) {
  static auto* const push = Find<void (*)(const char*)>("flopsprof_push");
  static auto* const pop = Find<void (*)()>("flopsprof_pop");
  static auto* const tag = Find<void (*)(const char*)>("simgpu_tag");
  if (push != nullptr) push(path.c_str());
  tag(path.c_str());
  work();
  tag("");
  if (pop != nullptr) pop();
}

void Product(int m, const float* a = memory) {
  const float one = 1, zero = 0;
  cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_T, m, 20, 30, &one, a, m, memory, 20, &zero, memory,
              m);
}

void Others() {
  const float one = 1, zero = 0;
  cublasGemmEx(handle, CUBLAS_OP_T, CUBLAS_OP_N, 16, 32, 48, &one, memory, CUDA_R_16BF, 48, memory,
               CUDA_R_16BF, 48, &zero, memory, CUDA_R_16BF, 16, CUBLAS_COMPUTE_32F,
               CUBLAS_GEMM_DEFAULT);
  cublasSgemmStridedBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, 8, 9, 10, &one, memory, 8, 80, memory,
                            10, 90, &zero, memory, 8, 72, 5);
}

void ByLt(int m) {
  const float one = 1, zero = 0;
  cublasLtMatmulDesc_t desc;
  cublasLtMatrixLayout_t a, b, c;
  MUST(cublasLtMatmulDescCreate(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F));
  MUST(cublasLtMatrixLayoutCreate(&a, CUDA_R_32F, m, 12, m));
  MUST(cublasLtMatrixLayoutCreate(&b, CUDA_R_32F, 12, 13, 12));
  MUST(cublasLtMatrixLayoutCreate(&c, CUDA_R_32F, m, 13, m));
  cublasLtMatmul(lt_handle, desc, &one, memory, a, memory, b, &zero, memory, c, memory, c, nullptr,
                 nullptr, 0, stream);
  MUST(cublasLtMatrixLayoutDestroy(a));
  MUST(cublasLtMatrixLayoutDestroy(b));
  MUST(cublasLtMatrixLayoutDestroy(c));
  MUST(cublasLtMatmulDescDestroy(desc));
}

void CopiesAndSets() {
  static float host[64];
  MUST(cudaMemcpyAsync(memory, host, sizeof host, cudaMemcpyHostToDevice, stream));
  MUST(cudaMemcpyAsync(memory + 64, memory, sizeof host, cudaMemcpyDeviceToDevice, stream));
  MUST(cudaMemsetAsync(memory, 0, 256, stream));
}

cudaGraph_t Captured(const std::string& path, int m) {
  cudaGraph_t graph;
  MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  In(path, [m] { Product(m); });
  MUST(cudaStreamEndCapture(stream, &graph));
  return graph;
}

// A child in a child, each twice.
cudaGraphExec_t Nested() {
  cudaGraphNode_t node;
  const cudaGraph_t child = Captured("child", 10);
  const cudaGraph_t middle = Captured("middle", 20);
  MUST(cudaGraphAddChildGraphNode(&node, middle, nullptr, 0, child));
  MUST(cudaGraphAddChildGraphNode(&node, middle, nullptr, 0, child));
  const cudaGraph_t graph = Captured("outer", 30);
  MUST(cudaGraphAddChildGraphNode(&node, graph, nullptr, 0, middle));
  cudaGraphExec_t executable;
  MUST(cudaGraphInstantiate(&executable, graph, 0));
  return executable;
}

}  // namespace

int main() {
  MUST(cudaMalloc(reinterpret_cast<void**>(&memory), 1 << 20));
  MUST(cudaStreamCreate(&stream));
  MUST(cublasCreate(&handle));
  MUST(cublasLtCreate(&lt_handle));
  MUST(cublasSetStream(handle, stream));
  cudaGraphExec_t executable = nullptr;
  In("captures", [&] { executable = Nested(); });
  for (int i = 1; i <= 5; i++) {
    In("products", [i] {
      Product(i);
      Others();
    });
    In("lt", [i] { ByLt(i); });
    In("copies", CopiesAndSets);
    In("null operand", [] { Product(7, nullptr); });
    In("solver", [] {
      static int info;
      cusolverDnSpotrf(nullptr, 0, 32, memory, 32, memory, 1024, &info);
    });
    In("replays", [&] { MUST(cudaGraphLaunch(executable, stream)); });
  }
  MUST(cudaDeviceSynchronize());
  std::printf("done\n");
}

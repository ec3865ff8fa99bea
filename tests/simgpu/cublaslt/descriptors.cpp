// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Layout and operation descriptors, preferences, handles.
#include "descriptors.h"

#include <algorithm>
#include <atomic>

#include "faults.h"

namespace simgpu {
namespace {

std::atomic<uint64_t> g_matmuls{0};

struct Field {
  void* value;
  size_t size;
};

Field LayoutField(MatrixLayout* layout, int attribute) {
  switch (attribute) {
    case CUBLASLT_MATRIX_LAYOUT_TYPE:
      return {&layout->type, 4};
    case CUBLASLT_MATRIX_LAYOUT_ORDER:
      return {&layout->order, 4};
    case CUBLASLT_MATRIX_LAYOUT_ROWS:
      return {&layout->rows, 8};
    case CUBLASLT_MATRIX_LAYOUT_COLS:
      return {&layout->cols, 8};
    case CUBLASLT_MATRIX_LAYOUT_LD:
      return {&layout->ld, 8};
    case CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT:
      return {&layout->batch_count, 4};
    case CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET:
      return {&layout->batch_stride, 8};
    case 8:  // CUBLASLT_MATRIX_LAYOUT_BATCH_MODE, from CUDA 13 on
      return {&layout->batch_mode, 4};
    default:
      return {nullptr, 0};
  }
}

void InitDescriptor(cublasLtMatmulDesc_t opaque, int compute_type, int scale_type) {
  auto* descriptor = new MatmulDescriptor{};
  *reinterpret_cast<MatmulDescriptor**>(opaque) = descriptor;
  const auto set = [descriptor](int attribute, int value) {
    descriptor->values[attribute] = static_cast<uint64_t>(value);
    descriptor->sizes[attribute] = 4;
  };
  set(CUBLASLT_MATMUL_DESC_COMPUTE_TYPE, compute_type);
  set(CUBLASLT_MATMUL_DESC_SCALE_TYPE, scale_type);
  set(CUBLASLT_MATMUL_DESC_POINTER_MODE, 0);
  set(CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_N);
  set(CUBLASLT_MATMUL_DESC_TRANSB, CUBLAS_OP_N);
  set(CUBLASLT_MATMUL_DESC_TRANSC, CUBLAS_OP_N);
  set(CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_DEFAULT);
}

// As the library's getters have it: with size 0 only the needed size is told.
cublasStatus_t CopyOut(const void* value, size_t value_size, void* out, size_t size,
                       size_t* written) {
  if (written) *written = value_size;
  if (size == 0) return written ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
  if (!out || size < value_size) return CUBLAS_STATUS_INVALID_VALUE;
  memcpy(out, value, value_size);
  return CUBLAS_STATUS_SUCCESS;
}

}  // namespace

bool LayoutLies() { return GetFaults().falsify_layout.Hits(g_matmuls + 1); }
void CountMatmul() { ++g_matmuls; }

}  // namespace simgpu

using simgpu::MatrixLayout;
using simgpu::ToLayout;

API cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  *handle = static_cast<cublasLtHandle_t>(calloc(1, 64));
  return CUBLAS_STATUS_SUCCESS;
}
API cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  free(handle);
  return CUBLAS_STATUS_SUCCESS;
}
API size_t cublasLtGetVersion(void) { return CUBLAS_VERSION; }
API size_t cublasLtGetCudartVersion(void) { return 13000; }

API cublasStatus_t cublasLtMatrixLayoutInit_internal(cublasLtMatrixLayout_t layout, size_t,
                                                     cudaDataType type, uint64_t rows,
                                                     uint64_t cols, int64_t ld) {
  *ToLayout(layout) = {static_cast<uint32_t>(type), CUBLASLT_ORDER_COL, rows, cols, ld, 0, 1, 0};
  return CUBLAS_STATUS_SUCCESS;
}

API cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* layout, cudaDataType type,
                                              uint64_t rows, uint64_t cols, int64_t ld) {
  *layout = new cublasLtMatrixLayoutOpaque_t{};
  return cublasLtMatrixLayoutInit_internal(*layout, 0, type, rows, cols, ld);
}

API cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  delete layout;
  return CUBLAS_STATUS_SUCCESS;
}

API cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout,
                                                    cublasLtMatrixLayoutAttribute_t attribute,
                                                    const void* value, size_t size) {
  const simgpu::Field field = simgpu::LayoutField(ToLayout(layout), attribute);
  if (field.value) memcpy(field.value, value, std::min(size, field.size));
  return CUBLAS_STATUS_SUCCESS;
}

API cublasStatus_t cublasLtMatrixLayoutGetAttribute(cublasLtMatrixLayout_t layout,
                                                    cublasLtMatrixLayoutAttribute_t attribute,
                                                    void* value, size_t size, size_t* written) {
  MatrixLayout copy = *ToLayout(layout);
  if (simgpu::LayoutLies()) ++copy.rows;
  const simgpu::Field field = simgpu::LayoutField(&copy, attribute);
  if (!field.value) return CUBLAS_STATUS_INVALID_VALUE;
  return simgpu::CopyOut(field.value, field.size, value, size, written);
}

API cublasStatus_t cublasLtMatmulDescInit_internal(cublasLtMatmulDesc_t descriptor, size_t,
                                                   cublasComputeType_t compute,
                                                   cudaDataType_t scale) {
  simgpu::InitDescriptor(descriptor, compute, scale);
  return CUBLAS_STATUS_SUCCESS;
}

API cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* descriptor,
                                            cublasComputeType_t compute, cudaDataType_t scale) {
  *descriptor = new cublasLtMatmulDescOpaque_t{};
  simgpu::InitDescriptor(*descriptor, compute, scale);
  return CUBLAS_STATUS_SUCCESS;
}

API cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t descriptor) {
  delete simgpu::ToDescriptor(descriptor);
  delete descriptor;
  return CUBLAS_STATUS_SUCCESS;
}

API cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t opaque,
                                                  cublasLtMatmulDescAttributes_t attribute,
                                                  const void* value, size_t size) {
  if (attribute < 0 || attribute >= simgpu::kDescriptorAttributes || size > 8) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  simgpu::MatmulDescriptor* descriptor = simgpu::ToDescriptor(opaque);
  descriptor->values[attribute] = 0;
  memcpy(&descriptor->values[attribute], value, size);
  descriptor->sizes[attribute] = static_cast<uint8_t>(size);
  return CUBLAS_STATUS_SUCCESS;
}

API cublasStatus_t cublasLtMatmulDescGetAttribute(cublasLtMatmulDesc_t opaque,
                                                  cublasLtMatmulDescAttributes_t attribute,
                                                  void* value, size_t size, size_t* written) {
  if (attribute < 0 || attribute >= simgpu::kDescriptorAttributes) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  const simgpu::MatmulDescriptor* descriptor = simgpu::ToDescriptor(opaque);
  const size_t known = descriptor->sizes[attribute];
  return simgpu::CopyOut(&descriptor->values[attribute], known ? known : std::min<size_t>(size, 8),
                         value, size, written);
}

API cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* preference) {
  *preference = new cublasLtMatmulPreferenceOpaque_t{};
  return CUBLAS_STATUS_SUCCESS;
}
API cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
  delete preference;
  return CUBLAS_STATUS_SUCCESS;
}

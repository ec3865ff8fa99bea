// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What lies inside cuBLASLt's opaque descriptors here.
#include <cublasLt.h>

#include "simcore.h"

namespace simgpu {

struct MatrixLayout {
  uint32_t type;   // cudaDataType
  uint32_t order;  // cublasLtOrder_t
  uint64_t rows, cols;
  int64_t ld, batch_stride;
  int32_t batch_count;
  int32_t batch_mode;
};
static_assert(sizeof(MatrixLayout) <= sizeof(cublasLtMatrixLayoutOpaque_t));

inline constexpr int kDescriptorAttributes = 64;

struct MatmulDescriptor {
  uint64_t values[kDescriptorAttributes];
  uint8_t sizes[kDescriptorAttributes];  // bytes; 0: never set
};

inline MatrixLayout* ToLayout(cublasLtMatrixLayout_t layout) {
  return reinterpret_cast<MatrixLayout*>(layout);
}

// The opaque struct holds a pointer to the descriptor.
inline MatmulDescriptor* ToDescriptor(cublasLtMatmulDesc_t descriptor) {
  return *reinterpret_cast<MatmulDescriptor**>(descriptor);
}

// Whether the fault script makes this layout query lie: rows one too many while the n-th
// product is being prepared ("falsify_layout").
bool LayoutLies();
// Counts a product.
void CountMatmul();

}  // namespace simgpu

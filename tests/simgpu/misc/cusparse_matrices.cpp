// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// cuSPARSE: descriptors of the generic interface, as far as they can be read back.
#include <cusparse.h>

#include "simcore.h"

namespace {

struct SparseMatrix {
  int64_t rows, cols, nonzeros;
  cusparseFormat_t format;
};
struct DenseMatrix {
  int64_t rows, cols, leading, stride;
  void* values;
  cudaDataType type;
  cusparseOrder_t order;
  int batch;
};

template <class Descriptor>
const SparseMatrix* Sparse(Descriptor descriptor) {
  return reinterpret_cast<const SparseMatrix*>(descriptor);
}

}  // namespace

API cusparseStatus_t cusparseCreateCsr(cusparseSpMatDescr_t* descriptor, int64_t rows, int64_t cols,
                                       int64_t nonzeros, void*, void*, void*, cusparseIndexType_t,
                                       cusparseIndexType_t, cusparseIndexBase_t, cudaDataType) {
  if (rows < 0 || cols < 0 || nonzeros < 0) return CUSPARSE_STATUS_INVALID_VALUE;
  *descriptor = reinterpret_cast<cusparseSpMatDescr_t>(
      new SparseMatrix{rows, cols, nonzeros, CUSPARSE_FORMAT_CSR});
  return CUSPARSE_STATUS_SUCCESS;
}

API cusparseStatus_t cusparseCreateBsr(cusparseSpMatDescr_t* descriptor, int64_t rows, int64_t cols,
                                       int64_t blocks, int64_t, int64_t, void*, void*, void*,
                                       cusparseIndexType_t, cusparseIndexType_t,
                                       cusparseIndexBase_t, cudaDataType, cusparseOrder_t) {
  *descriptor = reinterpret_cast<cusparseSpMatDescr_t>(
      new SparseMatrix{rows, cols, blocks, CUSPARSE_FORMAT_BSR});
  return CUSPARSE_STATUS_SUCCESS;
}

API cusparseStatus_t cusparseDestroySpMat(cusparseConstSpMatDescr_t descriptor) {
  delete Sparse(descriptor);
  return CUSPARSE_STATUS_SUCCESS;
}

API cusparseStatus_t cusparseSpMatGetSize(cusparseConstSpMatDescr_t descriptor, int64_t* rows,
                                          int64_t* cols, int64_t* nonzeros) {
  if (descriptor == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  *rows = Sparse(descriptor)->rows;
  *cols = Sparse(descriptor)->cols;
  *nonzeros = Sparse(descriptor)->nonzeros;
  return CUSPARSE_STATUS_SUCCESS;
}

API cusparseStatus_t cusparseSpMatGetFormat(cusparseConstSpMatDescr_t descriptor,
                                            cusparseFormat_t* format) {
  if (descriptor == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  *format = Sparse(descriptor)->format;
  return CUSPARSE_STATUS_SUCCESS;
}

API cusparseStatus_t cusparseCreateDnMat(cusparseDnMatDescr_t* descriptor, int64_t rows,
                                         int64_t cols, int64_t leading, void* values,
                                         cudaDataType type, cusparseOrder_t order) {
  if (rows < 0 || cols < 0) return CUSPARSE_STATUS_INVALID_VALUE;
  *descriptor = reinterpret_cast<cusparseDnMatDescr_t>(
      new DenseMatrix{rows, cols, leading, 0, values, type, order, 1});
  return CUSPARSE_STATUS_SUCCESS;
}

API cusparseStatus_t cusparseDestroyDnMat(cusparseConstDnMatDescr_t descriptor) {
  delete reinterpret_cast<const DenseMatrix*>(descriptor);
  return CUSPARSE_STATUS_SUCCESS;
}

API cusparseStatus_t cusparseDnMatGet(cusparseDnMatDescr_t descriptor, int64_t* rows, int64_t* cols,
                                      int64_t* leading, void** values, cudaDataType* type,
                                      cusparseOrder_t* order) {
  if (descriptor == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  const auto* matrix = reinterpret_cast<const DenseMatrix*>(descriptor);
  *rows = matrix->rows;
  *cols = matrix->cols;
  *leading = matrix->leading;
  *values = matrix->values;
  *type = matrix->type;
  *order = matrix->order;
  return CUSPARSE_STATUS_SUCCESS;
}

API cusparseStatus_t cusparseDnMatSetStridedBatch(cusparseDnMatDescr_t descriptor, int batch,
                                                  int64_t stride) {
  if (batch < 1) return CUSPARSE_STATUS_INVALID_VALUE;
  auto* matrix = reinterpret_cast<DenseMatrix*>(descriptor);
  matrix->batch = batch;
  matrix->stride = stride;
  return CUSPARSE_STATUS_SUCCESS;
}

API cusparseStatus_t cusparseDnMatGetStridedBatch(cusparseConstDnMatDescr_t descriptor, int* batch,
                                                  int64_t* stride) {
  if (descriptor == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  const auto* matrix = reinterpret_cast<const DenseMatrix*>(descriptor);
  *batch = matrix->batch;
  *stride = matrix->stride;
  return CUSPARSE_STATUS_SUCCESS;
}

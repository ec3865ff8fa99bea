// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Scopes without injector/operations: no operation is ever counted.

#include "injector/operations/operation_scope.h"
#include "injector/operations/tensor_reader.h"

namespace flopsprof::injector {

uint32_t BeginNamedOperation() { return shm::kNoCall; }
void EndNamedOperation(const NamedOperation&) {}
void AbandonOperation() {}

const TensorReader& TensorReader::Get() {
  static const TensorReader nothing;
  return nothing;
}
bool TensorReader::Sizes(TensorRef, TensorSizes*) const { return false; }
int8_t TensorReader::Type(TensorRef) const { return -1; }
bool TensorReader::IsOnGpu(TensorRef) const { return false; }

}  // namespace flopsprof::injector

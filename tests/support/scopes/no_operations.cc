// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Scopes without injector/operations: no operation is ever counted.

#include "injector/operations/operation_scope.h"

namespace flopsprof::injector {

uint32_t BeginNamedOperation() { return shm::kNoCall; }
void EndNamedOperation(const NamedOperation&) {}
void AbandonOperation() {}

}  // namespace flopsprof::injector

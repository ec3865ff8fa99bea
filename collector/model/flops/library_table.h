// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "collector/model/flops/flops_library.h"
#include "collector/model/flops/library_formulas.h"

namespace flopsprof::model {

// A function of injector/hooks/table/api_rules.toml.
struct LibraryFunction {
  uint16_t api;
  formulas::Formula formula;  // nullptr: nothing that counts
  const char* sizes;          // names of `sizes` in order, "-" for one that says nothing
  const char* variant;        // name of `variant`, or nullptr
};

// nullptr: no such function, or one whose work is never known.
const LibraryFunction* FindLibraryFunction(uint16_t api);

LibraryWork WorkOf(const LibraryFunction& function, const shm::LibraryCall& call);
// "m=120 n=8 side=left type=f32 math=3"
std::string ShapeOf(const LibraryFunction& function, const shm::LibraryCall& call);

}  // namespace flopsprof::model

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reads the sizes and types of a product of cublasLt from its opaque descriptors. Descriptors are
// mutable and often on the stack, so nothing is remembered by address. The library's getters take 6
// to 8 ns a value, and eleven values are needed. So a probe checks whether the library keeps these
// values unchanged in the words of the descriptor. If it does, the words are read.

#include <stddef.h>
#include <stdint.h>

#include "injector/hooks/cublas/cublas_call.h"

namespace flopsprof::injector {

struct LtDescriptors {
  const void* desc;
  const void *a, *b, *d;  // matrix layouts
};

// cublasLt's own functions.
struct LtFunctions {
  using GetAttribute = int (*)(const void* object, int attribute, void* value, size_t bytes,
                               size_t* written);
  using SetAttribute = int (*)(void* object, int attribute, const void* value, size_t bytes);
  using InitLayout = int (*)(void* layout, size_t bytes, int type, uint64_t rows, uint64_t columns,
                             int64_t ld);
  using InitDesc = int (*)(void* desc, size_t bytes, int compute_type, int scale_type);

  GetAttribute get_layout, get_desc;
  SetAttribute set_layout, set_desc;
  InitLayout init_layout;
  InitDesc init_desc;
};

// False: a size is not known; `m` has the reason then. `epilogue` stays where it is not known.
bool ReadByGetters(const LtFunctions& library, const LtDescriptors& from, Product* product,
                   uint32_t* epilogue);

// How a library keeps its descriptors.
struct LtWords {
  bool plain = false;
  bool has_batch_mode = false;
};

// Makes descriptors of its own with the library's functions and looks into them.
LtWords ProbeWords(const LtFunctions& library);

// As ReadByGetters, of a library with plain words.
bool ReadWords(const LtWords& words, const LtDescriptors& from, Product* product,
               uint32_t* epilogue);

// By the way that is right for the library of this caller.
bool ReadLtProduct(const void* caller, const LtDescriptors& from, Product* product,
                   uint32_t* epilogue);

}  // namespace flopsprof::injector

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Kernels that hold no products by their nature, told by their names alone. What is not clearly
// one of them is kUnknown: a name that may hide a product never gets another class.

#include <string_view>

namespace flopsprof::model {

enum class KernelClass {
  kUnknown,
  kElementwise,
  kNormalisation,  // of a batch, layer, group or weight
  kSoftmax,
  kReduction,  // sums, means, extremes, scans, losses
  kIndexing,   // gather, scatter, embedding, padding
  kSorting,    // sort, top-k, select, unique, histogram
  kPooling,    // and resampling
  kCopy,       // concatenation, layout, fill
  kRandom,
  kOptimizer,      // lists of tensors in one kernel
  kFused,          // several of these in one generated kernel
  kCommunication,  // between devices
  kOther,          // waits, assertions
};

// `name` as CUPTI gives it, mangled or not.
KernelClass ClassOfKernel(std::string_view name);

// "elementwise", "normalisation", ...; "" for kUnknown.
std::string_view KernelClassName(KernelClass kernel_class);

}  // namespace flopsprof::model

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "collector/model/kernels/kernel_classes.h"

namespace flopsprof::model {

// A kernel function by its name without namespaces and template arguments.
struct KernelNameRow {
  std::string_view name;
  KernelClass kernel_class;
};

// Functions of PyTorch, below at::native or at::cuda; kUnknown where there is none.
KernelClass ClassOfTorchFunction(std::string_view function);
// Of PyTorch, in an anonymous namespace and no other.
KernelClass ClassOfTorchAnonymous(std::string_view function);
// The same for functions whose last part says too little: `qualified` has the namespaces.
KernelClass ClassOfTorchQualified(std::string_view qualified);
// Of torchvision, below vision::ops.
KernelClass ClassOfVisionFunction(std::string_view function);
// Of cuSPARSE, with its namespace where it has one.
KernelClass ClassOfCusparseFunction(std::string_view qualified);
// `functor` is the text of a template argument and what follows, without inline namespaces.
bool IsFunctorWithoutProducts(std::string_view functor);
// `function`: as jiterator names its kernels, without "_kernel" or "_vectorized4_kernel".
bool IsJiteratorFunction(std::string_view function);
// Of "reduction_" and "_kernel".
bool IsJiteratorReduction(std::string_view function);
// Of CUB, in any of the namespaces that it is compiled into.
KernelClass ClassOfCubFunction(std::string_view function);
// Of cuDNN.
KernelClass ClassOfCudnnFunction(std::string_view function);
// Functors of Apex's and TransformerEngine's multi_tensor_apply_kernel, which alone say what it
// does.
KernelClass ClassOfMultiTensorFunctor(std::string_view functor);

}  // namespace flopsprof::model

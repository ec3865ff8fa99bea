// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Kernels that torch.compile (Inductor) generates carry the operations that were fused in their
// name: "triton_per_fused_add_native_layer_norm_3".

#include <string_view>

namespace flopsprof::model {

// True when all operations of the name are known to hold no products. False for any other name:
// one with a product, an operation that is not in the table, a name that may be cut off or that
// lists none, a template.
bool IsFusionWithoutProducts(std::string_view name);

}  // namespace flopsprof::model

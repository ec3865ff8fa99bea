// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Work of the framework's operations that make no library call, from their sizes: pure functions.
// Conventions as in flops.h, and: attention counts every pair of query and key (dense) whatever
// the mask; a backward of the flash kind makes QK^T again, which is recompute.

#include <optional>
#include <string>
#include <string_view>

#include "collector/model/flops/flop_count.h"
#include "proto/shm/records.h"

namespace flopsprof::model {

struct OperationWork {
  bool products = true;  // false: nothing that the convention counts
  // nullopt: the sizes are not known, absurd, or the operation is of a newer injector.
  std::optional<FlopCount> flops;  // recompute included
  FlopCount recompute_flops = 0;   // QK^T made again by an attention backward
};
OperationWork WorkOf(const shm::OperationCall& call);

// Name as the framework registers it: "aten::_flash_attention_forward".
std::string OperationText(const shm::OperationCall& call);

// Canonical text of sizes and type: "batch=2 q=8x1024x64 kv=2x1024x64 v=64 causal bf16".
std::string OperationShape(const shm::OperationCall& call);

// Type that decides which peak applies; "" = none.
std::string OperationComputeType(const shm::OperationCall& call);

// Text beside the count: why there is no count, or how many pairs a mask leaves ("masked: 524,800
// of 1,048,576 pairs").
std::string OperationDetail(const shm::OperationCall& call);

// A size by the name that a user's formula gives it (docs/formulas.md); nullopt: no such.
std::optional<int64_t> OperationSize(const shm::OperationCall& call, std::string_view name);

// Pairs of query and key that mask and windows leave, of one head of one sequence.
FlopCount MaskedPairs(const shm::OperationCall& call);

}  // namespace flopsprof::model

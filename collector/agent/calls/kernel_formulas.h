// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "collector/agent/calls/modelled_works.h"
#include "collector/model/flops/formula_registry.h"
#include "proto/shm/records.h"

namespace flopsprof::agent {

// Work of kernels that nothing owns, by their names: formulas of the user, and what the process
// itself declares. One thread; does not own the registry.
class KernelFormulas {
 public:
  static constexpr size_t kMaxDeclared = 1 << 16;

  explicit KernelFormulas(const model::FormulaRegistry* formulas) : formulas_(formulas) {}

  // Each launch of a kernel of that name holds so many. The newest declaration counts.
  void Declare(const std::string& name, model::FlopCount flops, std::string compute_type);

  // Declarations that were not kept: too many, too large, or without a name.
  uint64_t refused_count() const { return refused_count_; }

  // False: no kernel has a formula, so that nothing need be looked for.
  bool any() const {
    return !declared_.empty() || (formulas_ != nullptr && formulas_->has_kernel_formulas());
  }

  // `id` of the name, which the process never uses for another. nullopt: no formula.
  std::optional<ModelledWork> WorkOf(uint32_t id, const std::string& name, uint64_t grid);

 private:
  struct Declared {
    model::FlopCount flops;
    std::string compute_type;
  };
  const model::FormulaRegistry* const formulas_;
  absl::flat_hash_map<std::string, Declared> declared_;
  uint64_t refused_count_ = 0;
  absl::flat_hash_map<uint32_t, const model::UserFormula*> found_;  // by id of the name
};

// The same for an operation that the user has a formula for. nullopt: none.
std::optional<ModelledWork> UserWorkOf(const model::FormulaRegistry* formulas,
                                       const shm::OperationCall& call);

// Work of an operation that the program has described in words: by its own formula, or by one of
// the user for its name. nullopt: none.
ModelledWork NamedWorkOf(const model::FormulaRegistry* formulas, const shm::NamedWork& work,
                         const std::string& name, const std::string& shape,
                         const std::string& reason);

}  // namespace flopsprof::agent

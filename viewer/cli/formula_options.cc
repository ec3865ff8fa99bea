// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "viewer/cli/formula_options.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "collector/model/flops/formula_registry.h"
#include "proto/shm/operations.h"

namespace flopsprof::viewer {
namespace {

// Work that the shim names (injector/shims/python/embedded).
constexpr std::string_view kNamedWork[] = {
    "inductor::mm",    "inductor::convolution", "flex_attention",         "flex_attention_backward",
    "flash_attn::fwd", "flash_attn::bwd",       "flash_attn::varlen_fwd", "flash_attn::varlen_bwd"};
// Namespaces in which no program has formulas of its own.
constexpr std::string_view kOurSpaces[] = {"aten", "inductor", "flash_attn"};

template <size_t kCount>
bool IsOneOf(std::string_view name, const std::string_view (&names)[kCount]) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

bool IsHooked(std::string_view name) {
  for (uint16_t id = 1; shm::OperationName(id) != nullptr; ++id) {
    if (name == shm::OperationName(id)) return true;
  }
  return false;
}

// Whether work of this name may have a formula: operations that we know, what the files name, and
// operations of other namespaces, for which the program itself may bring one.
bool MayHaveFormula(const std::string& name, const model::FormulaRegistry& files) {
  if (IsHooked(name) || IsOneOf(name, kNamedWork)) return true;
  if (files.OfOperation(name) != nullptr || files.OfKernel(name) != nullptr) return true;
  const size_t colons = name.find("::");
  return colons != std::string::npos && colons > 0 && colons + 2 < name.size() &&
         !IsOneOf(name.substr(0, colons), kOurSpaces);
}

// A file that has vanished since it was checked is one without formulas.
std::shared_ptr<model::FormulaRegistry> WithFiles(const RunOptions& options) {
  auto registry = std::make_shared<model::FormulaRegistry>();
  for (const std::string& file : options.formula_files) registry->AddFile(file).IgnoreError();
  return registry;
}

}  // namespace

std::string ErrorInFormulaFile(const std::string& path) {
  return std::string(model::FormulaRegistry().AddFile(path).message());
}

std::string ErrorInFormulasOff(const RunOptions& options) {
  const std::shared_ptr<model::FormulaRegistry> registry = WithFiles(options);
  for (const std::string& name : options.formulas_off) {
    if (!MayHaveFormula(name, *registry)) {
      return "\"" + name + "\" is no operation with a formula; see docs/formulas.md";
    }
  }
  return "";
}

std::shared_ptr<const model::FormulaRegistry> FormulasOf(const RunOptions& options) {
  const std::shared_ptr<model::FormulaRegistry> registry = WithFiles(options);
  if (!options.formulas) registry->TurnOffAll();
  for (const std::string& name : options.formulas_off) registry->TurnOff(name);
  return registry;
}

}  // namespace flopsprof::viewer

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "viewer/cli/formula_options.h"

#include "collector/model/formula_registry.h"

namespace flopsprof::viewer {

std::string ErrorInFormulaFile(const std::string& path) {
  return std::string(model::FormulaRegistry().AddFile(path).message());
}

std::shared_ptr<const model::FormulaRegistry> FormulasOf(const RunOptions& options) {
  auto registry = std::make_shared<model::FormulaRegistry>();
  // A file that has vanished since is one without formulas.
  for (const std::string& file : options.formula_files) registry->AddFile(file).IgnoreError();
  if (!options.formulas) registry->TurnOffAll();
  for (const std::string& name : options.formulas_off) registry->TurnOff(name);
  return registry;
}

}  // namespace flopsprof::viewer

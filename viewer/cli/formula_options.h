// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "viewer/cli/command_line.h"

namespace flopsprof::model {
class FormulaRegistry;
}

namespace flopsprof::viewer {

// "" when the file can be read and all of it is understood; else what is wrong, with its line.
std::string ErrorInFormulaFile(const std::string& path);

// "" when each name of --formula-off may be that of work with a formula; else which one is not.
std::string ErrorInFormulasOff(const RunOptions& options);

// The formulas that the options ask for, of files that were found good.
std::shared_ptr<const model::FormulaRegistry> FormulasOf(const RunOptions& options);

}  // namespace flopsprof::viewer

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "collector/model/flops/formula_expression.h"

namespace flopsprof::model {

// A formula of the user: for an operation by its name, or for kernels by a pattern of their names.
struct UserFormula {
  std::string target;  // "mylib::my_op"; kernels: with * and ?
  bool of_kernel = false;
  FormulaExpression flops;
  std::string compute_type;  // "" = as the operands, or not known
};

// Which formulas the user has, and wants. Built once, then read by any thread.
class FormulaRegistry {
 public:
  // Reads a TOML file (docs/formulas.md). The error begins with "PATH:LINE: ".
  absl::Status AddFile(const std::string& path);
  absl::Status AddText(std::string_view toml, const std::string& path);

  // From now on modelled work is unknown: all of it, or that of one name ("aten::_grouped_mm", a
  // kernel).
  void TurnOffAll() { all_off_ = true; }
  void TurnOff(std::string name) { off_.insert(std::move(name)); }
  bool IsOff(std::string_view name) const { return all_off_ || off_.count(std::string(name)) > 0; }

  // nullptr: the user has none. Of several formulas for one name, the last one in the file is used.
  const UserFormula* OfOperation(std::string_view name) const;
  // `name` as CUPTI gives it; a mangled one is also compared as C++ writes it. Not cheap.
  const UserFormula* OfKernel(const std::string& name) const;

  bool has_kernel_formulas() const { return has_kernel_formulas_; }
  // Names for the profiled processes, which follow only these operations.
  std::vector<std::string> Operations() const;

 private:
  bool all_off_ = false;
  bool has_kernel_formulas_ = false;
  std::set<std::string> off_;
  std::vector<UserFormula> formulas_;
};

// True when `name` matches `pattern`, in which * stands for any text and ? for one character.
bool MatchesPattern(std::string_view pattern, std::string_view name);

}  // namespace flopsprof::model

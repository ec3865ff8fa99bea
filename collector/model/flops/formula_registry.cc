// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/flops/formula_registry.h"

#include <fstream>
#include <sstream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "collector/model/kernels/demangle.h"

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

namespace flopsprof::model {
namespace {

constexpr size_t kMaxFileBytes = 1 << 20;
const std::set<std::string, std::less<>> kKeys = {"operation", "kernel", "flops", "compute_type"};

absl::Status At(const std::string& path, const toml::source_region& where,
                const std::string& what) {
  return absl::InvalidArgumentError(absl::StrCat(path, ":", where.begin.line, ": ", what));
}

// One [[formula]] table.
absl::Status ReadFormula(const toml::table& table, const std::string& path, UserFormula* formula) {
  for (const auto& [key, value] : table) {
    if (kKeys.count(key.str()) == 0) {
      return At(path, key.source(),
                absl::StrCat("unknown key \"", std::string(key.str()), "\": expected ",
                             absl::StrJoin(kKeys, ", ")));
    }
    if (!value.is_string()) {
      return At(path, value.source(),
                absl::StrCat("\"", std::string(key.str()), "\": expected a text in quotes"));
    }
  }
  const auto* operation = table.get_as<std::string>("operation");
  const auto* kernel = table.get_as<std::string>("kernel");
  const auto* flops = table.get_as<std::string>("flops");
  if ((operation == nullptr) == (kernel == nullptr)) {
    return At(path, table.source(), "expected one of \"operation\" and \"kernel\"");
  }
  if (flops == nullptr) return At(path, table.source(), "expected \"flops\" = \"...\"");
  formula->of_kernel = kernel != nullptr;
  formula->target = formula->of_kernel ? kernel->get() : operation->get();
  if (!formula->of_kernel && formula->target.find("::") == std::string::npos) {
    return At(
        path, operation->source(),
        absl::StrCat("\"operation\": expected namespace::name, found \"", formula->target, "\""));
  }
  if (formula->target.empty()) return At(path, table.source(), "expected a name, found \"\"");
  absl::StatusOr<FormulaExpression> expression = FormulaExpression::Parse(flops->get());
  if (!expression.ok()) {
    return At(path, flops->source(),
              absl::StrCat("\"flops\": ", std::string(expression.status().message())));
  }
  formula->flops = *std::move(expression);
  if (const auto* type = table.get_as<std::string>("compute_type"); type != nullptr) {
    formula->compute_type = type->get();
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status FormulaRegistry::AddFile(const std::string& path) {
  std::ifstream file(path);
  if (!file) return absl::NotFoundError(absl::StrCat(path, ": cannot be read"));
  std::string text(kMaxFileBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(file.gcount()));
  if (text.size() > kMaxFileBytes) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": more than 1 MiB"));
  }
  return AddText(text, path);
}

absl::Status FormulaRegistry::AddText(std::string_view text, const std::string& path) {
  const toml::parse_result parsed = toml::parse(text);
  if (!parsed) {
    return At(path, parsed.error().source(), std::string(parsed.error().description()));
  }
  const toml::table& root = parsed.table();
  for (const auto& [key, value] : root) {
    if (key.str() != "formula") {
      return At(path, key.source(),
                absl::StrCat("unknown key \"", std::string(key.str()),
                             "\": expected [[formula]] tables only"));
    }
  }
  const toml::node* list = root.get("formula");
  if (list == nullptr) return absl::OkStatus();
  const toml::array* array = list->as_array();
  if (array == nullptr) return At(path, list->source(), "expected [[formula]], in two brackets");
  for (const toml::node& node : *array) {
    const toml::table* table = node.as_table();
    if (table == nullptr) return At(path, node.source(), "expected a [[formula]] table");
    UserFormula formula;
    if (absl::Status status = ReadFormula(*table, path, &formula); !status.ok()) return status;
    has_kernel_formulas_ |= formula.of_kernel;
    formulas_.push_back(std::move(formula));
  }
  return absl::OkStatus();
}

const UserFormula* FormulaRegistry::OfOperation(std::string_view name) const {
  for (auto formula = formulas_.rbegin(); formula != formulas_.rend(); ++formula) {
    if (!formula->of_kernel && formula->target == name) return &*formula;
  }
  return nullptr;
}

const UserFormula* FormulaRegistry::OfKernel(const std::string& name) const {
  if (!has_kernel_formulas_) return nullptr;
  const std::string readable = Demangle(name);
  for (auto formula = formulas_.rbegin(); formula != formulas_.rend(); ++formula) {
    if (!formula->of_kernel) continue;
    if (MatchesPattern(formula->target, name) ||
        (!readable.empty() && MatchesPattern(formula->target, readable))) {
      return &*formula;
    }
  }
  return nullptr;
}

std::vector<std::string> FormulaRegistry::Operations() const {
  std::vector<std::string> names;
  for (const UserFormula& formula : formulas_) {
    if (!formula.of_kernel) names.push_back(formula.target);
  }
  return names;
}

bool MatchesPattern(std::string_view pattern, std::string_view name) {
  size_t p = 0, n = 0;
  size_t star = std::string_view::npos, resume = 0;
  while (n < name.size()) {
    if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n]) && pattern[p] != '*') {
      p++;
      n++;
    } else if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = n;
    } else if (star != std::string_view::npos) {  // let the last star take one more
      p = star + 1;
      n = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') p++;
  return p == pattern.size();
}

}  // namespace flopsprof::model

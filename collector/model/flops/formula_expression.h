// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "collector/model/flops/flop_count.h"

namespace flopsprof::model {

// Whole-number arithmetic of a user's formula: + - * / (rounded down) and brackets over numbers
// and names, and min(a, b), max(a, b), cdiv(a, b) (division rounded up). Parsed once, evaluated
// often; 128 bits, and what does not fit is an error, not a wrong number.
class FormulaExpression {
 public:
  // Value of a name, nullopt: there is none of that name.
  using Lookup = std::function<std::optional<int64_t>(std::string_view)>;

  // The error says at which column what was expected.
  static absl::StatusOr<FormulaExpression> Parse(std::string_view text);

  // Error: a name that has no value, division by 0, a result that is negative or absurd.
  absl::StatusOr<FlopCount> Evaluate(const Lookup& lookup) const;

  const std::string& text() const { return text_; }

 private:
  friend class FormulaParser;
  enum class Action { kNumber, kName, kAdd, kSubtract, kMultiply, kDivide, kMin, kMax, kCdiv };
  struct Step {
    Action action;
    int64_t number = 0;
    std::string name;
  };

  std::string text_;
  std::vector<Step> steps_;  // postfix
};

}  // namespace flopsprof::model

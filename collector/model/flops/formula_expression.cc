// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/flops/formula_expression.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace flopsprof::model {

using Wide = __int128;

// Recursive descent over the text; the first error stops it.
class FormulaParser {
 public:
  FormulaParser(std::string_view text, FormulaExpression* result) : text_(text), result_(result) {}

  absl::Status Parse() {
    Sum(0);
    Skip();
    if (error_.empty() && at_ < text_.size()) Expect("an operator or the end");
    if (error_.empty()) return absl::OkStatus();
    return absl::InvalidArgumentError(error_);
  }

 private:
  using Action = FormulaExpression::Action;
  static constexpr int kMaxDepth = 64;
  static constexpr size_t kMaxSteps = 1024;

  void Skip() {
    while (at_ < text_.size() && absl::ascii_isspace(static_cast<unsigned char>(text_[at_]))) at_++;
  }
  bool Take(char wanted) {
    Skip();
    if (!error_.empty() || at_ >= text_.size() || text_[at_] != wanted) return false;
    at_++;
    return true;
  }
  void Expect(const std::string& what) {
    if (!error_.empty()) return;
    const std::string found = at_ < text_.size()
                                  ? absl::StrCat("\"", std::string(text_.substr(at_, 1)), "\"")
                                  : "the end";
    error_ = absl::StrCat("column ", at_ + 1, ": expected ", what, ", found ", found);
  }
  void Add(Action action, int64_t number = 0, std::string name = "") {
    if (result_->steps_.size() >= kMaxSteps) return Fail("the formula is too long");
    result_->steps_.push_back({action, number, std::move(name)});
  }
  void Fail(const std::string& what) {
    if (error_.empty()) error_ = absl::StrCat("column ", at_ + 1, ": ", what);
  }

  void Sum(int depth) {
    if (depth > kMaxDepth) return Fail("too many brackets");
    Term(depth);
    while (error_.empty()) {
      if (Take('+')) {
        Term(depth);
        Add(Action::kAdd);
      } else if (Take('-')) {
        Term(depth);
        Add(Action::kSubtract);
      } else {
        return;
      }
    }
  }
  void Term(int depth) {
    Factor(depth);
    while (error_.empty()) {
      if (Take('*')) {
        Factor(depth);
        Add(Action::kMultiply);
      } else if (Take('/')) {
        Factor(depth);
        Add(Action::kDivide);
      } else {
        return;
      }
    }
  }
  void Factor(int depth) {
    if (Take('(')) {
      Sum(depth + 1);
      if (error_.empty() && !Take(')')) Expect("\")\"");
      return;
    }
    Skip();
    const size_t begin = at_;
    const auto part = [&](size_t i) {
      const auto c = static_cast<unsigned char>(text_[i]);
      return absl::ascii_isalnum(c) || c == '_' || c == '.';
    };
    while (at_ < text_.size() && part(at_)) at_++;
    const std::string word(text_.substr(begin, at_ - begin));
    if (word.empty()) return Expect("a number, a name or \"(\"");
    if (absl::ascii_isdigit(static_cast<unsigned char>(word[0]))) {
      int64_t number = 0;
      if (absl::SimpleAtoi(word, &number)) return Add(Action::kNumber, number);
      at_ = begin;
      return Fail(absl::StrCat("\"", word, "\" is no whole number"));
    }
    if (Take('(')) return Function(word, begin, depth);
    Add(Action::kName, 0, word);
  }
  void Function(const std::string& name, size_t begin, int depth) {
    Action action = Action::kMin;
    if (name == "max") {
      action = Action::kMax;
    } else if (name == "cdiv") {
      action = Action::kCdiv;
    } else if (name != "min") {
      at_ = begin;
      return Fail(absl::StrCat("no function \"", name, "\": there are min, max and cdiv"));
    }
    Sum(depth + 1);
    if (error_.empty() && !Take(',')) return Expect("\",\"");
    Sum(depth + 1);
    if (error_.empty() && !Take(')')) return Expect("\")\"");
    Add(action);
  }

  const std::string_view text_;
  FormulaExpression* const result_;
  size_t at_ = 0;
  std::string error_;
};

absl::StatusOr<FormulaExpression> FormulaExpression::Parse(std::string_view text) {
  FormulaExpression result;
  result.text_ = std::string(text);
  FormulaParser parser(result.text_, &result);
  if (absl::Status status = parser.Parse(); !status.ok()) return status;
  return result;
}

absl::StatusOr<FlopCount> FormulaExpression::Evaluate(const Lookup& lookup) const {
  std::vector<Wide> stack;
  for (const Step& step : steps_) {
    if (step.action == Action::kNumber) {
      stack.push_back(step.number);
      continue;
    }
    if (step.action == Action::kName) {
      const std::optional<int64_t> value = lookup(step.name);
      if (!value.has_value()) {
        return absl::NotFoundError(absl::StrCat("\"", step.name, "\" has no value here"));
      }
      stack.push_back(*value);
      continue;
    }
    const Wide right = stack.back();
    stack.pop_back();
    Wide& left = stack.back();
    bool overflow = false;
    switch (step.action) {
      case Action::kAdd:
        overflow = __builtin_add_overflow(left, right, &left);
        break;
      case Action::kSubtract:
        overflow = __builtin_sub_overflow(left, right, &left);
        break;
      case Action::kMultiply:
        overflow = __builtin_mul_overflow(left, right, &left);
        break;
      case Action::kMin:
        left = std::min(left, right);
        break;
      case Action::kMax:
        left = std::max(left, right);
        break;
      default: {
        if (right <= 0 || left < 0) {
          return absl::InvalidArgumentError("division by 0 or of a negative number");
        }
        const bool up = step.action == Action::kCdiv && left % right != 0;
        left = left / right + (up ? 1 : 0);
      }
    }
    if (overflow) return absl::OutOfRangeError("the result is too large");
  }
  const Wide result = stack.back();
  if (result < 0) return absl::OutOfRangeError("the result is negative");
  if (static_cast<FlopCount>(result) > kMaxCallFlops) {
    return absl::OutOfRangeError("the result is too large");
  }
  return static_cast<FlopCount>(result);
}

}  // namespace flopsprof::model

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/calls/kernel_formulas.h"

#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "collector/agent/tables/name_table.h"
#include "collector/model/flops/operation_flops.h"
#include "proto/shm/operations.h"

namespace flopsprof::agent {
namespace {

constexpr size_t kMaxNameBytes = 1024;

void Evaluate(const model::UserFormula& formula, const model::FormulaExpression::Lookup& lookup,
              ModelledWork* work) {
  absl::StatusOr<model::FlopCount> flops = formula.flops.Evaluate(lookup);
  if (flops.ok()) {
    work->flops = *flops;
    work->detail = absl::StrCat("formula: ", formula.flops.text());
  } else {
    work->detail = absl::StrCat("formula \"", formula.flops.text(),
                                "\": ", std::string(flops.status().message()));
    work->failed = true;
  }
  if (!formula.compute_type.empty()) work->compute_type = formula.compute_type;
}

std::optional<int64_t> GridSize(std::string_view name, uint64_t grid) {
  if (grid == 0) return std::nullopt;
  if (name == "grid.x") return shm::GridX(grid);
  if (name == "grid.y") return shm::GridY(grid);
  if (name == "grid.z") return shm::GridZ(grid);
  return std::nullopt;
}

// The size `name` = "in0.1" in "in0=[8,128] in1=[128,64] arg2=5"; "in0.numel" is their product,
// "arg2" a number.
std::optional<int64_t> SizeInText(std::string_view name, const std::string& shape) {
  const size_t dot = name.find('.');
  const std::string key = absl::StrCat(" ", std::string(name.substr(0, dot)), "=");
  const std::string text = absl::StrCat(" ", shape, " ");
  size_t at = text.find(key);
  if (at == std::string::npos) return std::nullopt;
  at += key.size();
  int64_t value = 0;
  if (dot == std::string_view::npos) {
    const std::string word = text.substr(at, text.find(' ', at) - at);
    return absl::SimpleAtoi(word, &value) ? std::optional<int64_t>(value) : std::nullopt;
  }
  const size_t end = text.find(']', at);
  if (text[at] != '[' || end == std::string::npos) return std::nullopt;
  const std::string_view which = name.substr(dot + 1);
  int64_t product = 1;
  int64_t wanted = -1;
  if (which != "numel" && !absl::SimpleAtoi(std::string(which), &wanted)) return std::nullopt;
  int64_t index = 0;
  for (size_t begin = at + 1; begin < end; index++) {
    const size_t comma = std::min(text.find(',', begin), end);
    if (!absl::SimpleAtoi(text.substr(begin, comma - begin), &value)) return std::nullopt;
    if (index == wanted) return value;
    if (__builtin_mul_overflow(product, value, &product)) return std::nullopt;
    begin = comma + 1;
  }
  return which == "numel" ? std::optional<int64_t>(product) : std::nullopt;
}

}  // namespace

void KernelFormulas::Declare(const std::string& name, model::FlopCount flops,
                             std::string compute_type) {
  const bool full = declared_.size() >= kMaxDeclared && !declared_.contains(name);
  if (name.empty() || flops > model::kMaxCallFlops || full) {
    refused_count_++;
    return;
  }
  declared_[name] = {flops, std::move(compute_type)};
}

std::optional<ModelledWork> KernelFormulas::WorkOf(uint32_t id, const std::string& name,
                                                   uint64_t grid) {
  if (formulas_ != nullptr && formulas_->IsOff(name)) return std::nullopt;
  ModelledWork work;
  work.api = BoundedUtf8(name, kMaxNameBytes);
  if (grid != 0) {
    work.shape =
        absl::StrCat("grid=", shm::GridX(grid), "x", shm::GridY(grid), "x", shm::GridZ(grid));
  }
  const model::UserFormula* formula = nullptr;
  if (formulas_ != nullptr && formulas_->has_kernel_formulas()) {
    const auto [entry, added] = found_.try_emplace(id, nullptr);
    if (added) entry->second = formulas_->OfKernel(name);
    formula = entry->second;
  }
  if (formula != nullptr) {
    Evaluate(
        *formula, [grid](std::string_view size) { return GridSize(size, grid); }, &work);
    return work;
  }
  const auto declared = declared_.find(name);
  if (declared == declared_.end()) return std::nullopt;
  work.flops = declared->second.flops;
  work.compute_type = declared->second.compute_type;
  work.detail = "declared by the program";
  return work;
}

std::optional<ModelledWork> UserWorkOf(const model::FormulaRegistry* formulas,
                                       const shm::OperationCall& call) {
  if (formulas == nullptr) return std::nullopt;
  const model::UserFormula* formula = formulas->OfOperation(model::OperationText(call));
  if (formula == nullptr) return std::nullopt;
  ModelledWork work;
  work.api = model::OperationText(call);
  work.shape = model::OperationShape(call);
  work.compute_type = model::OperationComputeType(call);
  if (call.reason != 0) {
    work.detail = model::OperationDetail(call);
    return work;
  }
  Evaluate(
      *formula, [&](std::string_view name) { return model::OperationSize(call, name); }, &work);
  return work;
}

ModelledWork NamedWorkOf(const model::FormulaRegistry* formulas, const shm::NamedWork& record,
                         const std::string& name, const std::string& shape,
                         const std::string& reason) {
  ModelledWork work;
  work.api = BoundedUtf8(name, kMaxNameBytes);
  work.shape = BoundedUtf8(shape, kMaxNameBytes);
  shm::OperationCall typed = {};
  typed.type = record.type;
  work.compute_type = model::OperationComputeType(typed);
  if (formulas != nullptr && formulas->IsOff(name)) {
    work.detail = "formula off";
    return work;
  }
  const model::UserFormula* formula = formulas == nullptr ? nullptr : formulas->OfOperation(name);
  if (formula != nullptr) {
    Evaluate(
        *formula, [&](std::string_view size) { return SizeInText(size, shape); }, &work);
  } else if (record.known != 0) {
    work.flops = record.flops;
    work.recompute_flops = record.recompute_flops;
    work.detail = "formula of the program";
  } else {
    work.detail = reason.empty() ? "no formula" : BoundedUtf8(reason, kMaxNameBytes);
    work.failed = true;
  }
  return work;
}

}  // namespace flopsprof::agent

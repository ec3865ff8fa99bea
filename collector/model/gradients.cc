// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/gradients.h"

#include <absl/strings/match.h>
#include <absl/strings/str_split.h>
#include <absl/strings/string_view.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>

#include "collector/model/module_placement.h"
#include "collector/model/tally.h"

namespace flopsprof::model {
namespace {

constexpr size_t kMaxScopeDepth = 4096;

Gradient GradientOfOperation(const v1::CallRow& row) {
  static const auto* const kAttention = new std::set<std::string>{
      "aten::_flash_attention_backward", "aten::_efficient_attention_backward", "flash_attn::bwd",
      "flash_attn::varlen_bwd", "flex_attention_backward"};
  if (kAttention->count(row.api()) != 0) return Gradient::kData;
  const bool depthwise = row.api() == "aten::_conv_depthwise2d_backward" ||
                         row.api() == "aten::conv_depthwise3d_backward";
  if (!depthwise) return Gradient::kNotTold;
  // One call may make both.
  const bool data = absl::StrContains(row.shape(), " dgrad");
  const bool weight = absl::StrContains(row.shape(), " wgrad");
  if (data == weight) return Gradient::kNotTold;
  return data ? Gradient::kData : Gradient::kWeight;
}

Gradient GradientOfApi(const std::string& api) {
  if (!absl::StartsWith(api, "cudnn")) return Gradient::kNotTold;
  for (const char* made_for : {"BackwardWeights", "ConvolutionBackwardFilter"}) {
    if (absl::StrContains(api, made_for)) return Gradient::kWeight;
  }
  return absl::StrContains(api, "BackwardData") ? Gradient::kData : Gradient::kNotTold;
}

// "conv_dgrad" of "conv_dgrad dx=8x3x32x32 w=6x3x5x5 dy=8x6x28x28 ... f32".
std::string KindOf(absl::string_view operation) {
  return std::string(operation.substr(0, operation.find(' ')));
}

// The filter's sizes, "" = none.
std::string FilterOf(absl::string_view operation) {
  for (const absl::string_view word : absl::StrSplit(operation, ' ')) {
    if (absl::StartsWith(word, "w=")) return std::string(word);
  }
  return "";
}

std::vector<std::string> OperationsOf(const v1::CallRow& row) {
  return absl::StrSplit(row.shape(), "; ");
}

class Gradients {
 public:
  explicit Gradients(const v1::ProcessProfile& process) : process_(process) {
    for (const v1::Scope& scope : process.scopes()) scopes_[scope.id()] = &scope;
    ReadWeights();
    for (const v1::CallRow& row : process.calls()) ReadProducts(row);
  }

  Gradient Of(const v1::CallRow& row) const {
    if (row.phase() != v1::PHASE_BACKWARD) return Gradient::kNotTold;
    switch (row.kind()) {
      case v1::CALL_KIND_GEMM:
        return OfProduct(row);
      case v1::CALL_KIND_CUDNN: {
        const Gradient gradient = GradientOfApi(row.api());
        return gradient != Gradient::kNotTold ? gradient : OfPlan(row);
      }
      case v1::CALL_KIND_LIBRARY:
        return GradientOfApi(row.api());
      case v1::CALL_KIND_MODELLED:
        return GradientOfOperation(row);
      default:
        return Gradient::kNotTold;
    }
  }

 private:
  // Of one module; a module has one address.
  void ReadWeights() {
    std::map<std::pair<uint32_t, std::string>, const v1::ModuleWeights*> texts;
    for (const v1::ModuleWeights& weights : process_.module_weights()) {
      texts[{weights.root_scope(), weights.path()}] = &weights;
    }
    std::set<std::pair<uint32_t, std::string>> described;
    for (const v1::ModuleSizes& sizes : process_.module_sizes()) {
      described.insert({sizes.root_scope(), sizes.path()});
    }
    for (const v1::Module& module : process_.modules()) {
      if (described.count({module.root_scope(), module.path()}) == 0) continue;
      const auto found = texts.find({module.root_scope(), module.path()});
      const std::string text = found == texts.end() ? "" : ShapesOf(found->second->weights());
      const auto [entry, added] = texts_.try_emplace(module.object(), text);
      // An address that was used again: nothing is sure.
      if (!added && entry->second != text) entry->second.assign(1, '?');
      all_.Add(text);
    }
    for (const auto& [object, text] : texts_) {
      Weights weights;
      if (weights.Add(text)) weights_[object] = weights;
    }
  }

  // Weights of the module that a scope is, or is a range of; null: not known.
  const Weights* WeightsOf(uint32_t id) const {
    for (size_t hops = 0; hops < kMaxScopeDepth; ++hops) {
      const auto scope = scopes_.find(id);
      if (scope == scopes_.end()) return nullptr;
      if (scope->second->kind() == v1::SCOPE_KIND_MODULE) {
        const auto found = weights_.find(scope->second->object());
        return found == weights_.end() ? nullptr : &found->second;
      }
      id = scope->second->parent();
    }
    return nullptr;
  }

  void ReadProducts(const v1::CallRow& row) {
    const bool forward = row.phase() == v1::PHASE_FORWARD || row.phase() == v1::PHASE_RECOMPUTE;
    if (row.kind() == v1::CALL_KIND_CUDNN && forward) {
      for (const std::string& operation : OperationsOf(row)) {
        if (KindOf(operation) == "conv_dgrad") transposed_[row.scope()].insert(FilterOf(operation));
      }
    }
    if (row.kind() != v1::CALL_KIND_GEMM || (!forward && row.phase() != v1::PHASE_BACKWARD)) return;
    const std::optional<ProductSizes> product = ReadProductSizes(row.shape());
    if (!product.has_value()) return;
    auto& rule = rules_[row.scope()];
    if (rule == nullptr) {
      const Weights* own = WeightsOf(row.scope());
      if (own == nullptr) return;
      rule = std::make_unique<GradientRule>(own, &all_);
    }
    // A forward that is repeated is one forward.
    const bool counts = IsExecutedProduct(row) && row.phase() != v1::PHASE_RECOMPUTE;
    const uint64_t calls = counts ? row.calls() : 0;
    if (forward) {
      rule->AddForward(*product, calls);
    } else {
      rule->AddBackward(*product, calls);
    }
  }

  Gradient OfProduct(const v1::CallRow& row) const {
    const auto rule = rules_.find(row.scope());
    const std::optional<ProductSizes> product = ReadProductSizes(row.shape());
    if (rule == rules_.end() || rule->second == nullptr || !product.has_value()) {
      return Gradient::kNotTold;
    }
    return rule->second->Of(*product);
  }

  Gradient OfPlan(const v1::CallRow& row) const {
    std::set<Gradient> told;
    for (const std::string& operation : OperationsOf(row)) {
      const std::string kind = KindOf(operation);
      if (kind == "conv_wgrad" || kind == "moe_grouped_matmul_bwd") {
        told.insert(Gradient::kWeight);
      } else if (kind == "conv_dgrad" || absl::StartsWith(kind, "sdpa_bwd")) {
        told.insert(Gradient::kData);
      } else if (kind == "conv_fwd") {
        // The gradient of a transposed convolution's input; elsewhere a double backward.
        const auto found = transposed_.find(row.scope());
        const bool transposed =
            found != transposed_.end() && found->second.count(FilterOf(operation)) != 0;
        told.insert(transposed ? Gradient::kData : Gradient::kNotTold);
      } else if (kind == "matmul" || kind == "moe_grouped_matmul") {
        told.insert(Gradient::kNotTold);
      }
    }
    return told.size() == 1 ? *told.begin() : Gradient::kNotTold;
  }

  const v1::ProcessProfile& process_;
  std::unordered_map<uint32_t, const v1::Scope*> scopes_;
  std::unordered_map<uint64_t, std::string> texts_;  // by the module's address
  std::unordered_map<uint64_t, Weights> weights_;
  Weights all_;
  std::unordered_map<uint32_t, std::unique_ptr<GradientRule>> rules_;  // by scope
  std::unordered_map<uint32_t, std::set<std::string>> transposed_;     // filters, by scope
};

}  // namespace

std::vector<Gradient> GradientsOf(const v1::ProcessProfile& process) {
  const Gradients gradients(process);
  std::vector<Gradient> result;
  result.reserve(static_cast<size_t>(process.calls_size()));
  for (const v1::CallRow& row : process.calls()) result.push_back(gradients.Of(row));
  return result;
}

std::vector<v1::ProcessProfile> CallGradients(const RunProfile& run) {
  std::vector<v1::ProcessProfile> profiles;
  for (const v1::ProcessProfile& process : run.processes) {
    const std::vector<Gradient> gradients = GradientsOf(process);
    v1::ProcessProfile told;
    for (int i = 0; i < process.calls_size(); ++i) {
      const Gradient gradient = gradients[static_cast<size_t>(i)];
      if (gradient == Gradient::kNotTold) continue;
      const v1::CallRow& row = process.calls(i);
      v1::CallGradient& out = *told.add_call_gradients();
      out.set_scope(row.scope());
      out.set_phase(row.phase());
      out.set_kind(row.kind());
      out.set_api(row.api());
      out.set_shape(row.shape());
      out.set_compute_type(row.compute_type());
      out.set_captured(row.captured());
      out.set_in_step(row.in_step());
      out.set_gradient(gradient == Gradient::kData ? v1::GRADIENT_DATA : v1::GRADIENT_WEIGHT);
    }
    if (told.call_gradients_size() == 0) continue;
    *told.mutable_key() = process.key();
    profiles.push_back(std::move(told));
  }
  return profiles;
}

}  // namespace flopsprof::model

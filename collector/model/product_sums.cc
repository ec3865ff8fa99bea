// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/product_sums.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "collector/model/tally.h"
#include "collector/model/work.h"

namespace flopsprof::model {
namespace {

constexpr double kShortNs = 1e4;
constexpr double kSlow = 0.5;         // of the roofline
constexpr double kAlignedBytes = 16;  // of the tensor cores: cuBLAS manual, "Tensor Core Usage"

// Bytes of an element; 0: not known, or smaller than a byte.
double BytesOf(std::string_view type) {
  constexpr std::pair<std::string_view, double> kBytes[] = {
      {"f64", 8}, {"f32", 4}, {"f16", 2}, {"bf16", 2}, {"e4m3", 1}, {"e5m2", 1},
      {"i8", 1},  {"u8", 1},  {"i32", 4}, {"c32", 8},  {"c64", 16}};
  for (const auto& [name, bytes] : kBytes) {
    if (name == type) return bytes;
  }
  return 0;
}

bool IsOnTensorCores(std::string_view type) {
  return type == "tf32" || type == "fp16" || type == "bf16" || type == "fp8" || type == "int8";
}

bool IsMultiple(double size, double bytes) { return std::fmod(size * bytes, kAlignedBytes) == 0; }

// The rank's only kind of card.
const DevicePeaks* CardOf(const RankSummary& rank) {
  if (rank.devices.empty()) return nullptr;
  const std::optional<DevicePeaks>& first = rank.devices.front().peaks;
  for (const DeviceSummary& device : rank.devices) {
    if (!device.peaks.has_value() || device.peaks->card != first->card) return nullptr;
  }
  return &*first;
}

void AddLost(const std::tuple<std::string, std::string, std::string>& key, uint64_t time_ns,
             double best_ns, double flops, LostProducts* lost) {
  const double before =
      static_cast<double>(lost->worst_ns) *
      (1 - (lost->worst_best_flop_per_s > 0 ? lost->worst_flop_per_s / lost->worst_best_flop_per_s
                                            : 0));
  lost->gpu_time_ns += time_ns;
  lost->best_ns += best_ns;
  if (static_cast<double>(time_ns) - best_ns <= before) return;
  const auto& [api, shape, type] = key;
  lost->worst = absl::StrCat(api, " ", shape);
  lost->worst_ns = time_ns;
  lost->worst_flop_per_s = flops / static_cast<double>(time_ns) * 1e9;
  lost->worst_best_flop_per_s = flops / best_ns * 1e9;
}

}  // namespace

std::optional<ProductShape> ReadProductShape(std::string_view text) {
  ProductShape shape;
  double bytes_a = 0, bytes_b = 0, bytes_c = 0;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(' ', begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    begin = end + 1;
    const size_t equals = word.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view name = word.substr(0, equals);
    const std::string value(word.substr(equals + 1));
    double number = 0;
    if (!absl::SimpleAtod(value, &number)) number = 0;
    if (name == "m") shape.m = number;
    if (name == "n") shape.n = number;
    if (name == "k") shape.k = number;
    if (name == "batch") shape.batch = number;
    if (name == "a") bytes_a = BytesOf(value);
    if (name == "b") bytes_b = BytesOf(value);
    if (name == "c") bytes_c = BytesOf(value);
  }
  const bool sized = shape.m > 0 && shape.n > 0 && shape.k > 0 && shape.batch > 0;
  if (!sized || bytes_a == 0 || bytes_b == 0 || bytes_c == 0) return std::nullopt;
  shape.bytes = shape.batch * (shape.m * shape.k * bytes_a + shape.k * shape.n * bytes_b +
                               shape.m * shape.n * bytes_c);
  shape.is_aligned = IsMultiple(shape.m, bytes_a) && IsMultiple(shape.n, bytes_b) &&
                     IsMultiple(shape.k, bytes_a) && IsMultiple(shape.k, bytes_b);
  return shape;
}

const std::optional<ProductShape>& ProductSums::ShapeOf(const std::string& text) {
  const auto found = shapes_.find(text);
  if (found != shapes_.end()) return found->second;
  return shapes_.emplace(text, ReadProductShape(text)).first->second;
}

void ProductSums::Add(const v1::RunInfo& run, const v1::ProcessProfile& process,
                      const RankSummary& rank) {
  const DevicePeaks* card = CardOf(rank);
  for (const v1::CallRow& row : process.calls()) {
    if (!IsExecutedProduct(row) || !row.flops_known() || !InWindow(run, row)) continue;
    gpu_time_ns_ += row.gpu_time_ns();
    // A rate needs the times of all calls.
    if (row.kind() != v1::CALL_KIND_GEMM || row.calls() == 0 || row.gpu_time_ns() == 0 ||
        row.kernels() < row.calls() || row.phase() == v1::PHASE_RECOMPUTE) {
      continue;
    }
    if (card == nullptr || !card->memory_byte_per_s.has_value()) continue;
    const std::optional<double> peak = card->For(row.compute_type());
    const std::optional<ProductShape>& shape = ShapeOf(row.shape());
    if (!peak.has_value() || !shape.has_value()) continue;
    const double flops = static_cast<double>(ToFlopCount(row.flops()));
    const double memory_ns =
        1e9 * shape->bytes * static_cast<double>(row.calls()) / *card->memory_byte_per_s;
    const double compute_ns = 1e9 * flops / *peak;
    Product& product = products_[{row.api(), row.shape(), row.compute_type()}];
    product.calls += row.calls();
    product.gpu_time_ns += row.gpu_time_ns();
    product.flops += flops;
    product.best_ns += std::max(compute_ns, memory_ns);
    product.memory_bound = memory_ns > compute_ns;
    product.aligned = shape->is_aligned;
    const double tf32 = card->For("tf32").value_or(0);
    if (row.compute_type() == "fp32" && tf32 > *peak) {
      product.tf32_ns += std::max(1e9 * flops / tf32, memory_ns);
    }
  }
}

ProductsSummary ProductSums::Finish() const {
  ProductsSummary summary;
  summary.gpu_time_ns = gpu_time_ns_;
  for (const auto& [key, product] : products_) {
    const auto time_ns = static_cast<double>(product.gpu_time_ns);
    summary.compared_ns += product.gpu_time_ns;
    if (product.memory_bound) summary.memory_bound_ns += product.gpu_time_ns;
    if (product.tf32_ns > 0 && !product.memory_bound) {
      AddLost(key, product.gpu_time_ns, std::min(product.tf32_ns, time_ns), product.flops,
              &summary.plain_fp32);
      continue;
    }
    if (product.best_ns >= kSlow * time_ns) continue;
    LostProducts* lost = &summary.slow;
    if (time_ns < kShortNs * static_cast<double>(product.calls)) {
      lost = &summary.small;
    } else if (!product.aligned && IsOnTensorCores(std::get<2>(key))) {
      lost = &summary.misaligned;
    }
    AddLost(key, product.gpu_time_ns, product.best_ns, product.flops, lost);
  }
  return summary;
}

}  // namespace flopsprof::model

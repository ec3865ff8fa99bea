// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "collector/model/rank_figures.h"
#include "collector/model/row_figures.h"
#include "collector/model/run_profile.h"

namespace flopsprof::model {

// Sizes and types of a plain product, read from CallRow.shape.
struct ProductShape {
  double m = 0, n = 0, k = 0, batch = 0;
  double bytes = 0;         // of both operands and the result, each once
  bool is_aligned = false;  // all of m, n and k are multiples of 16 bytes of their operands' type
};
// Absent: sizes or types are not told, or it is no plain product.
std::optional<ProductShape> ReadProductShape(std::string_view shape);

// Matrix products of all ranks by function, shape and type, each compared with the roofline of its
// card: the longer one of the time that the flops take at the peak of their type and the time that
// the operands take at the bandwidth of the memory. A product that reaches less than half of it
// loses time, in one of four ways (ProductsSummary), each product in one only:
// - plain_fp32: on a card whose tf32 is faster; compared as if it were tf32
// - small: a call takes less than 10 us, so that its begin and end count more than its work
// - misaligned: in a type of the tensor cores, with a size that is no multiple of 16 bytes
// - slow: none of these
// Repeated forwards are in none: they are lost as a whole.
class ProductSums {
 public:
  // `rank`: with its devices.
  void Add(const v1::RunInfo& run, const v1::ProcessProfile& process, const RankSummary& rank);
  ProductsSummary Finish() const;

 private:
  struct Product {
    uint64_t calls = 0;
    uint64_t gpu_time_ns = 0;
    double flops = 0;
    double best_ns = 0;
    double tf32_ns = 0;  // 0: tf32 is no faster
    bool memory_bound = false;
    bool aligned = true;
  };
  // A run has few shapes and many calls of each.
  const std::optional<ProductShape>& ShapeOf(const std::string& text);

  using Key = std::tuple<std::string, std::string, std::string>;  // function, shape, type

  uint64_t gpu_time_ns_ = 0;
  std::map<Key, Product> products_;
  std::unordered_map<std::string, std::optional<ProductShape>> shapes_;
};

}  // namespace flopsprof::model

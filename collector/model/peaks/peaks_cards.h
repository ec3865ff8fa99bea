// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

namespace flopsprof::model {

// What one multiprocessor does, of one type of product.
struct SmRate {
  std::string_view type;        // as CallRow.compute_type
  std::string_view accumulate;  // "fp64", "fp32", "fp16", "int32"
  int flop_per_clock;           // dense; a fused multiply-add is 2
  bool tensor;                  // on the matrix units, at the card's tensor clock
  bool sparse;                  // 2:4 sparsity doubles it
};

// A figure of the maker's, dense.
struct Published {
  std::string_view type;
  std::string_view accumulate;
  double tera;
};

struct Card {
  std::string_view name;
  std::string_view architecture;
  const std::vector<SmRate>* rates;  // nullptr: only what is published
  int sm_count;
  int boost_mhz;
  int tensor_mhz;  // 0: the boost clock
  std::vector<Published> published;
  std::string_view source;  // title and URL of the maker's document
  std::string_view remark;  // what is not in that document, ""
};

// The data of peaks.cc. `published` wins over the product of the parts, from which it may
// differ by rounding only: a test recomputes each.
const std::vector<Card>& AllCards();

}  // namespace flopsprof::model

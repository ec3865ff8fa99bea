// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/gradient_shapes.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_split.h>
#include <absl/strings/string_view.h>

#include <algorithm>

namespace flopsprof::model {
namespace {

Sides Ordered(Sides sides) {
  return {std::min(sides.first, sides.second), std::max(sides.first, sides.second)};
}

}  // namespace

bool ProductSizes::SameAs(const ProductSizes& other) const {
  return Ordered(result()) == Ordered(other.result()) && k == other.k && batch == other.batch;
}

std::optional<ProductSizes> ReadProductSizes(std::string_view shape) {
  ProductSizes sizes;
  int found = 0;
  for (const absl::string_view word :
       absl::StrSplit(absl::string_view(shape.data(), shape.size()), ' ')) {
    const std::pair<absl::string_view, absl::string_view> part =
        absl::StrSplit(word, absl::MaxSplits('=', 1));
    int64_t* size = part.first == "m"       ? &sizes.m
                    : part.first == "n"     ? &sizes.n
                    : part.first == "k"     ? &sizes.k
                    : part.first == "batch" ? &sizes.batch
                                            : nullptr;
    if (size == nullptr) continue;
    if (!absl::SimpleAtoi(part.second, size) || *size <= 0) return std::nullopt;
    ++found;
  }
  return found == 4 ? std::optional<ProductSizes>(sizes) : std::nullopt;
}

bool Weights::Add(std::string_view text) {
  for (const absl::string_view shape :
       absl::StrSplit(absl::string_view(text.data(), text.size()), ' ', absl::SkipEmpty())) {
    std::vector<int64_t> sizes;
    int64_t count = 1;
    for (const absl::string_view side : absl::StrSplit(shape, 'x')) {
      int64_t size = 0;
      if (!absl::SimpleAtoi(side, &size) || size < 0) return false;
      if (__builtin_mul_overflow(count, size, &count)) return false;
      sizes.push_back(size);
    }
    if (sizes.size() < 2) return false;
    if (count == 0) continue;  // a placeholder: no product has it
    views_.insert(Ordered({sizes.front(), count / sizes.front()}));
    views_.insert(Ordered({sizes.back(), count / sizes.back()}));
    if (sizes.size() != 3) continue;
    views_.insert(Ordered({sizes[1], sizes[2]}));
    batched_.insert({sizes[0], Ordered({sizes[1], sizes[2]})});
  }
  return true;
}

bool Weights::Fits(Sides sides, int64_t batch) const {
  if (batch == 1) return HasSides(sides);
  return batched_.count({batch, Ordered(sides)}) != 0;
}

bool Weights::HasSides(Sides sides) const { return views_.count(Ordered(sides)) != 0; }

bool Weights::MayHoldPart(Sides sides) const {
  const auto part = [](int64_t same, int64_t whole, int64_t some, int64_t of) {
    return same == whole && some <= of;
  };
  const auto [a, b] = sides;
  return std::any_of(views_.begin(), views_.end(), [&, a = a, b = b](const Sides& view) {
    const auto [x, y] = view;
    return part(a, x, b, y) || part(b, x, a, y) || part(a, y, b, x) || part(b, y, a, x);
  });
}

GradientRule::Operands GradientRule::OperandsOf(const ProductSizes& product) const {
  const Sides first = {product.m, product.k};
  const Sides second = {product.k, product.n};
  const bool first_fits = own_.Fits(first, product.batch);
  const bool second_fits = own_.Fits(second, product.batch);
  if (first_fits != second_fits) {
    return first_fits ? Operands::kWeightFirst : Operands::kWeightSecond;
  }
  if (first_fits) return Operands::kUnclear;
  const auto may_be_weight = [&](Sides sides) {
    if (own_.MayHoldPart(sides) || all_.HasSides(sides)) return true;
    return product.batch == 1 && all_.MayHoldPart(sides);
  };
  return may_be_weight(first) || may_be_weight(second) ? Operands::kUnclear : Operands::kBothData;
}

void GradientRule::AddForward(const ProductSizes& product, uint64_t calls) {
  const Operands operands = OperandsOf(product);
  forward_.push_back({product, calls, operands});
  const bool weight = operands == Operands::kWeightFirst || operands == Operands::kWeightSecond;
  if (!weight && product.batch == 1) other_products_ = true;
}

void GradientRule::AddBackward(const ProductSizes& product, uint64_t calls) {
  backward_.push_back({product, calls, Operands::kUnclear});
}

bool GradientRule::Explain(const Product& product, const ProductSizes& backward,
                           std::vector<Gradient>* told) {
  const ProductSizes& f = product.sizes;
  if (f.batch != backward.batch) return true;
  const Sides result = Ordered(backward.result());
  const bool of_first = backward.k == f.n && result == Ordered({f.m, f.k});
  const bool of_second = backward.k == f.m && result == Ordered({f.k, f.n});
  if (!of_first && !of_second) return true;
  if (product.operands == Operands::kUnclear) return false;
  const auto side = [&](Operands weight) {
    return product.operands == weight ? Gradient::kWeight : Gradient::kData;
  };
  if (of_first) told->push_back(side(Operands::kWeightFirst));
  if (of_second) told->push_back(side(Operands::kWeightSecond));
  return true;
}

Gradient GradientRule::Of(const ProductSizes& backward) const {
  std::vector<Gradient> told;
  uint64_t explained_calls = 0;
  bool looks_like_forward = false;
  for (const Product& product : forward_) {
    const size_t before = told.size();
    if (!Explain(product, backward, &told)) return Gradient::kNotTold;
    explained_calls += product.calls * (told.size() - before);  // once for each side
    looks_like_forward = looks_like_forward || backward.SameAs(product.sizes);
  }
  if (told.empty()) return Gradient::kNotTold;
  if (std::any_of(told.begin(), told.end(), [&](Gradient g) { return g != told[0]; })) {
    return Gradient::kNotTold;
  }
  // With its own weights, a module that multiplies other things too may have sizes that only
  // happen to fit.
  if (!own_.empty() && other_products_) return Gradient::kNotTold;
  if (!looks_like_forward) return told[0];
  // A forward that is repeated in the backward would look the same: then there are too many.
  uint64_t calls = 0;
  for (const Product& product : backward_) {
    if (product.sizes.SameAs(backward)) calls += product.calls;
  }
  return calls <= explained_calls ? told[0] : Gradient::kNotTold;
}

}  // namespace flopsprof::model

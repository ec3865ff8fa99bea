// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace flopsprof::model {

// What a backward call computed the gradient of.
enum class Gradient : uint8_t {
  kNotTold = 0,  // cannot be told, or the call is no backward
  kData = 1,     // of activations: also both sides of a product of two of them
  kWeight = 2,   // of a parameter
};

// Sizes of a matrix, in no order.
using Sides = std::pair<int64_t, int64_t>;

struct ProductSizes {
  int64_t m = 0, n = 0, k = 0, batch = 0;

  Sides result() const { return {m, n}; }
  bool SameAs(const ProductSizes& other) const;  // result and operands may change places
};

// From GemmShape's text. nullopt: sizes are not known.
std::optional<ProductSizes> ReadProductSizes(std::string_view shape);

// Shapes of parameters, from ModuleWeights::weights.
class Weights {
 public:
  // False: the text says that there are too many to list, or is not of the known form.
  bool Add(std::string_view text);

  bool empty() const { return views_.empty(); }
  // An operand with these sides is a whole parameter, as a matrix or as a batch of them.
  bool Fits(Sides sides, int64_t batch) const;
  // A parameter has these sides, whatever the batch: it may have been expanded.
  bool HasSides(Sides sides) const;
  // The operand may be some rows or columns of a parameter.
  bool MayHoldPart(Sides sides) const;

 private:
  std::set<Sides> views_;                        // smaller side first
  std::set<std::pair<int64_t, Sides>> batched_;  // of three dimensions: the first, the others
};

// Tells the gradients of one module's products by their sizes. y[m,n] = a[m,k] b[k,n] has the
// gradients a'[m,k], summed over n, and b'[k,n], summed over m: which of the two a product of the
// backward is follows from its sizes, and the weight among a and b from the shapes of the module's
// parameters. If two explanations differ, nothing is told.
class GradientRule {
 public:
  // `own`: of the module; `all`: of all modules of the process. Both outlive this.
  GradientRule(const Weights* own, const Weights* all) : own_(*own), all_(*all) {}

  void AddForward(const ProductSizes& product, uint64_t calls);
  void AddBackward(const ProductSizes& product, uint64_t calls);
  // After all products were added.
  Gradient Of(const ProductSizes& backward) const;

 private:
  enum class Operands { kUnclear, kWeightFirst, kWeightSecond, kBothData };
  struct Product {
    ProductSizes sizes;
    uint64_t calls = 0;
    Operands operands = Operands::kUnclear;
  };

  Operands OperandsOf(const ProductSizes& product) const;
  // Adds what `product` says of a backward product to `told`; false: it contradicts itself.
  static bool Explain(const Product& product, const ProductSizes& backward,
                      std::vector<Gradient>* told);

  const Weights& own_;
  const Weights& all_;
  std::vector<Product> forward_;
  std::vector<Product> backward_;
  // The module multiplies something else than its weights: sizes that fit may be chance.
  bool other_products_ = false;
};

}  // namespace flopsprof::model

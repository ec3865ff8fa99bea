// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/kernels/inductor_kernel_names.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace flopsprof::model {
namespace {

// Operations of ATen without products, as get_fused_kernel_name of torch/_inductor/utils.py joins
// them: names without overloads, sorted. Source: the list of lowerings in
// torch/_inductor/lowering.py of torch 2.14, and names in published dumps of generated code.
// Not here on purpose: dot, mv and their like, which become multiplications and sums.
constexpr std::string_view kOperations[] = {
    "__and__",
    "__or__",
    "__xor__",
    "__lshift__",
    "__rshift__",
    "_adaptive_avg_pool2d",
    "_adaptive_avg_pool2d_backward",
    "_adaptive_avg_pool3d",
    "_adaptive_avg_pool3d_backward",
    "_assert_async",
    "_fused_dropout",
    "_fused_rms_norm",
    "_fused_rms_norm_backward",
    "_local_scalar_dense",
    "_log_softmax",
    "_log_softmax_backward_data",
    "_native_batch_norm_legit",
    "_native_batch_norm_legit_functional",
    "_native_batch_norm_legit_no_training",
    "_prelu_kernel",
    "_prelu_kernel_backward",
    "_safe_softmax",
    "_softmax",
    "_softmax_backward_data",
    "_to_copy",
    "_unsafe_index",
    "_unsafe_index_put",
    "_unsafe_view",
    "_weight_norm_interface",
    "_weight_norm_interface_backward",
    "abs",
    "acos",
    "acosh",
    "adaptive_max_pool2d",
    "add",
    "alias",
    "all",
    "amax",
    "amin",
    "any",
    "aminmax",
    "arange",
    "argmax",
    "argmin",
    "as_strided",
    "as_strided_scatter",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "avg_pool2d",
    "avg_pool2d_backward",
    "avg_pool3d",
    "avg_pool3d_backward",
    "batch_norm",
    "batch_norm_backward",
    "bernoulli",
    "binary_cross_entropy",
    "binary_cross_entropy_backward",
    "binary_cross_entropy_with_logits",
    "bitwise_and",
    "bitwise_not",
    "bitwise_or",
    "bitwise_xor",
    "bucketize",
    "cat",
    "ceil",
    "clamp",
    "clamp_max",
    "clamp_min",
    "clone",
    "col2im",
    "constant_pad_nd",
    "convert_element_type",
    "copy",
    "copy_",
    "copysign",
    "cos",
    "cosh",
    "cumprod",
    "cumsum",
    "detach",
    "diagonal",
    "div",
    "dropout",
    "elu",
    "elu_backward",
    "embedding",
    "embedding_dense_backward",
    "empty",
    "empty_like",
    "eq",
    "erf",
    "erfc",
    "erfinv",
    "exp",
    "exp2",
    "expand",
    "expm1",
    "exponential",
    "eye",
    "fill",
    "flatten",
    "flip",
    "floor",
    "floor_divide",
    "fmax",
    "fmin",
    "fmod",
    "full",
    "full_like",
    "gather",
    "ge",
    "gelu",
    "gelu_backward",
    "glu",
    "glu_backward",
    "grid_sampler_2d",
    "group_norm",
    "gt",
    "hardsigmoid",
    "hardsigmoid_backward",
    "hardswish",
    "hardswish_backward",
    "hardtanh",
    "hardtanh_backward",
    "huber_loss",
    "huber_loss_backward",
    "im2col",
    "index",
    "index_add",
    "index_copy",
    "index_fill",
    "index_put",
    "index_select",
    "inductor_random",
    "inductor_seeds",
    "iota",
    "isinf",
    "isnan",
    "l1_loss",
    "layer_norm",
    "le",
    "leaky_relu",
    "leaky_relu_backward",
    "lerp",
    "lgamma",
    "lift_fresh",
    "lift_fresh_copy",
    "linalg_vector_norm",
    "linspace",
    "log",
    "log10",
    "log1p",
    "log2",
    "log_sigmoid_backward",
    "log_sigmoid_forward",
    "log_softmax",
    "logaddexp",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "logsumexp",
    "lt",
    "masked_fill",
    "masked_fill_",
    "masked_scatter",
    "max",
    "max_pool2d_with_indices",
    "max_pool2d_with_indices_backward",
    "maximum",
    "mean",
    "min",
    "minimum",
    "mse_loss",
    "mse_loss_backward",
    "mul",
    "nan_to_num",
    "native_batch_norm",
    "native_batch_norm_backward",
    "native_dropout",
    "native_dropout_backward",
    "native_group_norm",
    "native_group_norm_backward",
    "native_layer_norm",
    "native_layer_norm_backward",
    "ne",
    "neg",
    "new_empty",
    "new_empty_strided",
    "new_full",
    "new_ones",
    "new_zeros",
    "nll_loss2d_backward",
    "nll_loss2d_forward",
    "nll_loss_backward",
    "nll_loss_forward",
    "norm",
    "one_hot",
    "ones",
    "ones_like",
    "permute",
    "pixel_shuffle",
    "pixel_unshuffle",
    "pow",
    "prepare_softmax_online",
    "prod",
    "rand",
    "rand_like",
    "randint",
    "randn",
    "randn_like",
    "reciprocal",
    "reflection_pad1d",
    "reflection_pad2d",
    "reflection_pad2d_backward",
    "relu",
    "relu6",
    "remainder",
    "repeat",
    "replication_pad2d",
    "reshape",
    "rms_norm",
    "roll",
    "round",
    "rsqrt",
    "rsub",
    "scalar_tensor",
    "scatter",
    "scatter_add",
    "scatter_reduce",
    "select",
    "select_backward",
    "select_scatter",
    "sgn",
    "sigmoid",
    "sigmoid_backward",
    "sign",
    "silu",
    "silu_backward",
    "sin",
    "sinh",
    "slice",
    "slice_backward",
    "slice_scatter",
    "smooth_l1_loss",
    "smooth_l1_loss_backward",
    "softmax",
    "softplus",
    "softplus_backward",
    "sort",
    "split",
    "split_with_sizes",
    "sqrt",
    "square",
    "squeeze",
    "stack",
    "std",
    "sub",
    "sum",
    "t",
    "tan",
    "tanh",
    "tanh_backward",
    "threshold",
    "threshold_backward",
    "to",
    "topk",
    "transpose",
    "tril",
    "triu",
    "true_divide",
    "trunc",
    "unbind",
    "unfold",
    "unsqueeze",
    "upsample_bicubic2d",
    "upsample_bilinear2d",
    "upsample_nearest1d",
    "upsample_nearest2d",
    "upsample_nearest2d_backward",
    "upsample_nearest3d",
    "var",
    "var_mean",
    "view",
    "where",
    "xlogy",
    "zero",
    "zeros",
    "zeros_like",
};

// Products that ran as library calls or templates, in the names of the pointwise kernels that
// add the bias, convert or pad: what is named is where the fused operations came from. A product
// of k = 1 is one of elements. Sums are not pointwise, but for those of under 8 terms, which are
// unrolled: a vector times so small a matrix (with coordinate_descent_tuning, off by default) or a
// convolution of so few channels (conv_1x1_as_mm, off by default) would be taken for its rest
// (docs/conventions.md).
constexpr std::string_view kPointwise[] = {"addmm", "baddbmm", "bmm", "convolution", "mm"};
// Of these Inductor never makes sums on a GPU (decomposition.py): where one is in a kernel that
// adds up, it is the bias.
constexpr std::string_view kNeverSums[] = {"addmm"};

// Old releases listed the first ten operations only, in alphabetical order; a name does not tell.
constexpr size_t kListedOperations = 10;
// The last one in that order that is a product; what comes after hides none.
constexpr std::string_view kLastProduct = "vdot";

bool ConsumePrefix(std::string_view* text, std::string_view prefix) {
  if (text->substr(0, prefix.size()) != prefix) return false;
  text->remove_prefix(prefix.size());
  return true;
}

// The "add_mul" of "add_mul_3", if it ends so.
std::optional<std::string_view> WithoutNumber(std::string_view text) {
  const size_t last = text.find_last_not_of("0123456789");
  if (last == std::string_view::npos || last + 1 == text.size() || text[last] != '_') {
    return std::nullopt;
  }
  return text.substr(0, last);
}

// Whether the text is a list of operations; `count` and `last` of those of one way to read it.
// Operations have underscores in themselves, so that there may be several.
bool ReadOperations(std::string_view text, bool pointwise, size_t* count, std::string_view* last) {
  struct Reading {
    size_t count = 0;
    std::string_view last;
  };
  // By the place up to which the text is read; 0 is the begin.
  std::vector<std::optional<Reading>> readings(text.size() + 2);
  readings[0].emplace();
  for (size_t at = 0; at < text.size(); at++) {
    if (!readings[at].has_value()) continue;
    const auto read = [&](std::string_view operation) {
      const size_t end = at + operation.size();
      if (text.substr(at, operation.size()) != operation) return;
      if (end != text.size() && text[end] != '_') return;
      std::optional<Reading>& next = readings[end + 1];
      if (!next.has_value()) next = Reading{readings[at]->count + 1, operation};
    };
    for (const std::string_view operation : kOperations) read(operation);
    for (const std::string_view operation : kNeverSums) read(operation);
    if (!pointwise) continue;
    for (const std::string_view operation : kPointwise) read(operation);
  }
  const std::optional<Reading>& whole = readings[text.size() + 1];
  if (!whole.has_value()) return false;
  *count = whole->count;
  *last = whole->last;
  return true;
}

}  // namespace

bool IsFusionWithoutProducts(std::string_view name) {
  constexpr size_t kLongestName = 1024;
  if (name.size() > kLongestName || !ConsumePrefix(&name, "triton_")) return false;
  const bool pointwise = name.substr(0, 4) == "poi_";
  bool generated = false;  // not from a template, not the user's
  for (const std::string_view kind : {"poi_", "red_", "per_", "spl_", "for_"}) {
    generated = generated || ConsumePrefix(&name, kind);
  }
  if (!generated || !ConsumePrefix(&name, "fused_")) return false;
  const std::optional<std::string_view> listed = WithoutNumber(name);
  if (!listed.has_value()) return false;
  size_t count = 0;
  std::string_view last;
  if (!ReadOperations(*listed, pointwise, &count, &last)) return false;
  return count < kListedOperations || last > kLastProduct;
}

}  // namespace flopsprof::model

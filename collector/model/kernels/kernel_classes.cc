// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/kernels/kernel_classes.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <string>
#include <vector>

#include "collector/model/kernels/demangle.h"
#include "collector/model/kernels/inductor_kernel_names.h"
#include "collector/model/kernels/kernel_class_table.h"

namespace flopsprof::model {
namespace {

// Longer names exist (functors in functors) and are read; this only bounds the work.
constexpr size_t kLongestName = 1 << 16;
constexpr std::string_view kAnonymous = "(anonymous namespace)::";

bool StartsWith(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

void RemoveAll(std::string_view part, std::string* text) {
  for (size_t at = text->find(part); at != std::string::npos; at = text->find(part, at)) {
    text->erase(at, part.size());
  }
}

// What a demangled name says.
struct FunctionName {
  std::string_view qualified;  // "at::native::reduce_kernel"
  std::string_view arguments;  // of the template: "<512, 1, ...>"; "" without
};

// Of "at::native::reduce_kernel<512, 1>(Op)", without anonymous namespaces. A name that is
// not of this form gives something that no table has.
FunctionName Parse(std::string_view text) {
  size_t end = 0;
  while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) != 0 ||
                               text[end] == '_' || text[end] == ':')) {
    end++;
  }
  FunctionName name = {text.substr(0, end), {}};
  if (end == text.size() || text[end] == '(') return name;
  if (text[end] != '<') return {};
  int depth = 0;
  for (size_t i = end; i < text.size(); i++) {
    if (text[i] == '<') depth++;
    if (text[i] != '>' || --depth > 0) continue;
    // A function inside of a class template, or a member: its name comes after the arguments.
    if (i + 1 < text.size() && text[i + 1] != '(') return {};
    name.arguments = text.substr(end, i + 1 - end);
    return name;
  }
  return {};
}

std::string_view LastComponent(std::string_view qualified) {
  const size_t colon = qualified.rfind("::");
  return colon == std::string_view::npos ? qualified : qualified.substr(colon + 2);
}

bool HasComponent(std::string_view qualified, std::string_view component) {
  for (size_t at = 0; at < qualified.size();) {
    const size_t end = std::min(qualified.find("::", at), qualified.size());
    if (qualified.substr(at, end - at) == component) return true;
    at = end + 2;
  }
  return false;
}

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool ConsumeSuffix(std::string_view* text, std::string_view suffix) {
  if (text->size() < suffix.size() || text->substr(text->size() - suffix.size()) != suffix) {
    return false;
  }
  text->remove_suffix(suffix.size());
  return true;
}

// Without the namespaces that only say a release or a translation unit: "std::__4::plus" to
// "std::plus", and those of Thrust, CUB and nvcc.
std::string WithoutInlineNamespaces(std::string_view text) {
  std::string plain;
  for (size_t at = 0; at < text.size();) {
    const bool begins = at == 0 || (std::isalnum(static_cast<unsigned char>(text[at - 1])) == 0 &&
                                    text[at - 1] != '_');
    size_t end = at;
    while (end < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_')) {
      end++;
    }
    const std::string_view word = text.substr(at, end - at);
    const bool scope = text.substr(end, 2) == "::";
    const bool is_inline =
        scope && (StartsWith(word, "THRUST_") || StartsWith(word, "CUB_") ||
                  StartsWith(word, "_INTERNAL_") ||
                  (word.size() > 2 && StartsWith(word, "__") &&
                   word.find_first_not_of("0123456789", 2) == std::string_view::npos));
    if (begins && is_inline) {
      at = end + 2;
      continue;
    }
    end = std::max(end, at + 1);
    plain.append(text.substr(at, end - at));
    at = end;
  }
  return plain;
}

// Whether an algorithm only finds where something is: its sums cannot be those of products.
bool FindsPlaces(std::string_view arguments) {
  return Contains(arguments, "thrust::cuda_cub::__find_if::functor<") ||
         Contains(arguments, "thrust::cuda_cub::__extrema::arg_");
}

// A reduction whose input is computed on the way may be a product (thrust::inner_product), unless
// all that computes it is known. `arguments` are without inline namespaces.
bool MayTransform(std::string_view arguments) {
  if (FindsPlaces(arguments)) return false;
  for (const std::string_view iterator :
       {"transform_input_iterator", "TransformInputIterator", "transform_input_output",
        "inner_product", "transform_pair_of_input_iterators"}) {
    if (Contains(arguments, iterator)) return true;
  }
  constexpr std::string_view kTransform = "transform_iterator";
  size_t at = arguments.find(kTransform);
  // Without a transformation the members of a pair may be multiplied by the reduction.
  if (at == std::string_view::npos) return Contains(arguments, "zip_iterator");
  for (; at != std::string_view::npos; at = arguments.find(kTransform, at + 1)) {
    if (!IsFunctorWithoutProducts(arguments.substr(at + kTransform.size() + 1))) return true;
  }
  return false;
}

// "<a, b<c, d>, e>" -> "a", "b<c, d>", "e".
std::vector<std::string_view> TopLevelArguments(std::string_view arguments) {
  std::vector<std::string_view> found;
  int depth = 0;
  size_t begin = 1;
  for (size_t i = 0; i < arguments.size(); i++) {
    const char c = arguments[i];
    depth += c == '<' || c == '(' ? 1 : c == '>' || c == ')' ? -1 : 0;
    if ((c != ',' || depth != 1) && (c != '>' || depth != 0)) continue;
    found.push_back(arguments.substr(begin, i - begin));
    begin = i + 1;
  }
  return found;
}

// From CUB 2.2 on these reductions apply their last argument to each element first: as a functor
// that looks its elements up (thrust::transform_reduce) it may be a product.
bool TransformsElements(const FunctionName& name) {
  const std::string_view last = LastComponent(name.qualified);
  const size_t with_transform = last == "DeviceReduceKernel"             ? 6
                                : last == "DeviceReduceSingleTileKernel" ? 8
                                                                         : 0;
  if (with_transform == 0 || FindsPlaces(name.arguments)) return false;
  const std::vector<std::string_view> arguments = TopLevelArguments(name.arguments);
  return arguments.size() >= with_transform && !Contains(arguments.back(), "identity");
}

// for_each::static_kernel and transform::transform_kernel run their third argument for each index.
bool RunsKnownFunctor(const FunctionName& name) {
  const std::vector<std::string_view> arguments = TopLevelArguments(name.arguments);
  if (arguments.size() < 3) return false;
  std::string_view functor = arguments[2];
  while (StartsWith(functor, " ")) functor.remove_prefix(1);
  constexpr std::string_view kWrapper = "cub::detail::for_each::op_wrapper_t<long, ";
  const size_t at = functor.find(kWrapper);
  if (at != std::string_view::npos && functor.find('<') > at) {
    functor.remove_prefix(at + kWrapper.size());
  }
  return IsFunctorWithoutProducts(functor);
}

KernelClass ClassOfCub(const FunctionName& name) {
  const std::string_view last = LastComponent(name.qualified);
  if (last == "static_kernel" || last == "transform_kernel") {
    return RunsKnownFunctor(name) ? KernelClass::kElementwise : KernelClass::kUnknown;
  }
  const KernelClass found = ClassOfCubFunction(last);
  const bool computes = found == KernelClass::kReduction;
  const bool hidden = computes && (MayTransform(name.arguments) || TransformsElements(name));
  return hidden ? KernelClass::kUnknown : found;
}

// _kernel_agent runs what its first template argument says.
KernelClass ClassOfThrust(const FunctionName& name) {
  if (LastComponent(name.qualified) != "_kernel_agent") return KernelClass::kUnknown;
  if (MayTransform(name.arguments)) return KernelClass::kUnknown;
  for (const std::string_view agent : {"__unique::", "__merge_sort::", "__radix_sort::"}) {
    if (Contains(name.arguments, agent)) return KernelClass::kSorting;
  }
  for (const std::string_view agent : {"__reduce::", "__reduce_by_key::", "__scan::"}) {
    if (Contains(name.arguments, agent)) return KernelClass::kReduction;
  }
  return KernelClass::kUnknown;
}

// The first identifier of the arguments that is a functor of the table.
KernelClass ClassOfMultiTensor(std::string_view arguments) {
  size_t begin = 0;
  for (size_t i = 0; i <= arguments.size(); i++) {
    const bool letter =
        i < arguments.size() &&
        (std::isalnum(static_cast<unsigned char>(arguments[i])) != 0 || arguments[i] == '_');
    if (letter) continue;
    const KernelClass found = ClassOfMultiTensorFunctor(arguments.substr(begin, i - begin));
    if (found != KernelClass::kUnknown) return found;
    begin = i + 1;
  }
  return KernelClass::kUnknown;
}

// Of PyTorch. Two functions run what a template argument says.
KernelClass ClassOfTorch(const FunctionName& name) {
  const std::string_view last = LastComponent(name.qualified);
  if (last == "apply_kernel") {  // sparse.mul, a mask of a sparse tensor
    return Contains(name.arguments, "at::native::binary_op_intersection_kernel<")
               ? KernelClass::kElementwise
               : KernelClass::kUnknown;
  }
  if (last == "_elementwise_kernel") {
    return Contains(name.arguments, "at::native::unpack_pivots_cuda_kernel(")
               ? KernelClass::kIndexing
               : KernelClass::kUnknown;
  }
  const KernelClass found = ClassOfTorchQualified(name.qualified);
  return found != KernelClass::kUnknown ? found : ClassOfTorchFunction(last);
}

// "gcd_vectorized4_kernel", "digamma_kernel", "reduction_prod_kernel": elementwise, and reductions.
KernelClass ClassOfJiterator(std::string_view name) {
  if (!ConsumeSuffix(&name, "_kernel")) return KernelClass::kUnknown;
  constexpr std::string_view kReduction = "reduction_";
  if (StartsWith(name, kReduction)) {
    return IsJiteratorReduction(name.substr(kReduction.size())) ? KernelClass::kReduction
                                                                : KernelClass::kUnknown;
  }
  for (const std::string_view width :
       {"_vectorized2", "_vectorized4", "_vectorized8", "_vectorized16"}) {
    if (ConsumeSuffix(&name, width)) break;
  }
  return IsJiteratorFunction(name) ? KernelClass::kElementwise : KernelClass::kUnknown;
}

// repeat_interleave of PyTorch, told by its whole signature: the name may be anybody's.
bool IsRepeatInterleave(std::string_view text) {
  return text == "compute_cuda_kernel<int>(int const*, long const*, int*, long, long)" ||
         text == "compute_cuda_kernel<long>(long const*, long const*, long*, long, long)";
}

KernelClass ClassOfFunction(const FunctionName& name) {
  const std::string_view qualified = name.qualified;
  if (qualified.empty()) return KernelClass::kUnknown;
  const std::string_view last = LastComponent(qualified);
  // NCCL 2.19 and later, before, and its kernels on symmetric memory.
  for (const std::string_view prefix :
       {"ncclDevKernel_", "ncclKernel_", "ncclSymDevKernel_", "ncclSymkDevKernel_"}) {
    if (StartsWith(qualified, prefix)) return KernelClass::kCommunication;
  }
  if (StartsWith(qualified, "c10d::")) {
    for (const std::string_view kernel :
         {"barrier_kernel", "put_signal_kernel", "wait_signal_kernel", "kernel_barrier"}) {
      if (last == kernel) return KernelClass::kCommunication;
    }
    if (HasComponent(qualified, "nccl_extension")) return KernelClass::kCommunication;
    return last == "checkForNaN" ? KernelClass::kReduction : KernelClass::kUnknown;
  }
  if (HasComponent(qualified, "cub")) {
    return StartsWith(qualified, "at::cuda::cub::") ? ClassOfTorchFunction(last) : ClassOfCub(name);
  }
  if (StartsWith(qualified, "at::native::") || StartsWith(qualified, "at::cuda::")) {
    return ClassOfTorch(name);
  }
  if (StartsWith(qualified, "mslk::")) return ClassOfTorchQualified(qualified);
  if (StartsWith(qualified, "vision::ops::")) return ClassOfVisionFunction(last);
  if (StartsWith(qualified, "thrust::")) return ClassOfThrust(name);
  if (StartsWith(qualified, "cudnn::")) return ClassOfCudnnFunction(last);
  if (last == "multi_tensor_apply_kernel") return ClassOfMultiTensor(name.arguments);
  return ClassOfCusparseFunction(qualified);
}

}  // namespace

KernelClass ClassOfKernel(std::string_view name) {
  if (name.empty() || name.size() > kLongestName) return KernelClass::kUnknown;
  if (StartsWith(name, "triton_")) {
    return IsFusionWithoutProducts(name) ? KernelClass::kFused : KernelClass::kUnknown;
  }
  const KernelClass compiled = ClassOfJiterator(name);
  if (compiled != KernelClass::kUnknown) return compiled;
  std::string text = StartsWith(name, "_Z") ? Demangle(name) : std::string(name);
  if (StartsWith(text, "void ")) text.erase(0, 5);
  if (IsRepeatInterleave(text)) return KernelClass::kIndexing;
  const bool anonymous = StartsWith(text, kAnonymous);
  RemoveAll(kAnonymous, &text);
  text = WithoutInlineNamespaces(text);
  const FunctionName parsed = Parse(text);
  if (anonymous && parsed.qualified == LastComponent(parsed.qualified)) {
    return ClassOfTorchAnonymous(parsed.qualified);
  }
  return ClassOfFunction(parsed);
}

std::string_view KernelClassName(KernelClass kernel_class) {
  switch (kernel_class) {
    case KernelClass::kElementwise:
      return "elementwise";
    case KernelClass::kNormalisation:
      return "normalisation";
    case KernelClass::kSoftmax:
      return "softmax";
    case KernelClass::kReduction:
      return "reduction";
    case KernelClass::kIndexing:
      return "indexing";
    case KernelClass::kSorting:
      return "sorting";
    case KernelClass::kPooling:
      return "pooling";
    case KernelClass::kCopy:
      return "copy";
    case KernelClass::kRandom:
      return "random";
    case KernelClass::kOptimizer:
      return "optimizer";
    case KernelClass::kFused:
      return "fused";
    case KernelClass::kCommunication:
      return "communication";
    case KernelClass::kOther:
      return "other";
    case KernelClass::kUnknown:
      break;
  }
  return "";
}

}  // namespace flopsprof::model

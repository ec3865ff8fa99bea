// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/kernel_classes.h"

#include <cxxabi.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "collector/model/inductor_kernel_names.h"
#include "collector/model/kernel_class_table.h"

namespace flopsprof::model {
namespace {

// Longer names exist (functors in functors) and are read; this only bounds the work.
constexpr size_t kLongestName = 1 << 16;
constexpr std::string_view kAnonymous = "(anonymous namespace)::";

bool StartsWith(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

// "void f<...>(...)" of a mangled name; the name itself where it is not mangled.
std::string Demangled(std::string_view name) {
  if (!StartsWith(name, "_Z")) return std::string(name);
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(std::string(name).c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? std::string(text.get()) : std::string();
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

// A reduction whose input is computed on the way may be a product (thrust::inner_product).
bool MayTransform(std::string_view arguments) {
  for (const std::string_view iterator :
       {"transform_iterator", "transform_input_iterator", "TransformInputIterator",
        "transform_input_output", "inner_product", "transform_pair_of_input_iterators",
        "zip_iterator"}) {
    if (Contains(arguments, iterator)) return true;
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
  if (with_transform == 0) return false;
  const std::vector<std::string_view> arguments = TopLevelArguments(name.arguments);
  return arguments.size() >= with_transform && !Contains(arguments.back(), "identity");
}

KernelClass ClassOfCub(const FunctionName& name) {
  const KernelClass found = ClassOfCubFunction(LastComponent(name.qualified));
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
    return last == "checkForNaN" ? KernelClass::kReduction : KernelClass::kUnknown;
  }
  if (HasComponent(qualified, "cub")) {
    return StartsWith(qualified, "at::cuda::cub::") ? ClassOfTorchFunction(last) : ClassOfCub(name);
  }
  if (StartsWith(qualified, "at::native::") || StartsWith(qualified, "at::cuda::")) {
    return ClassOfTorchFunction(last);
  }
  if (StartsWith(qualified, "thrust::")) return ClassOfThrust(name);
  if (StartsWith(qualified, "cudnn::")) return ClassOfCudnnFunction(last);
  if (last == "multi_tensor_apply_kernel") return ClassOfMultiTensor(name.arguments);
  return KernelClass::kUnknown;
}

}  // namespace

KernelClass ClassOfKernel(std::string_view name) {
  if (name.empty() || name.size() > kLongestName) return KernelClass::kUnknown;
  if (StartsWith(name, "triton_")) {
    return IsFusionWithoutProducts(name) ? KernelClass::kFused : KernelClass::kUnknown;
  }
  std::string text = Demangled(name);
  if (StartsWith(text, "void ")) text.erase(0, 5);
  const bool anonymous = StartsWith(text, kAnonymous);
  RemoveAll(kAnonymous, &text);
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

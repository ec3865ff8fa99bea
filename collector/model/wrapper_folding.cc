// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/wrapper_folding.h"

#include <cstddef>

#include "proto/shm/wrapper_classes.h"

namespace flopsprof::model {
namespace {

// "torch.nn.DataParallel" is PyTorch's; "__main__.DataParallel" is the program's own.
std::string_view WithoutPackage(std::string_view class_name) {
  for (const std::string_view package : shm::kWrapperPackages) {
    if (class_name.substr(0, package.size()) == package &&
        class_name.substr(package.size(), 1) == ".") {
      return class_name.substr(class_name.rfind('.') + 1);
    }
  }
  return class_name;
}

// A class that nobody told: PyTorch's private names are then taken for what they mostly are.
bool MayBeWrapper(std::string_view class_name, std::string_view component) {
  return class_name.empty() && component != "module";
}

bool IsWrapperName(std::string_view component) {
  return component == "module" || component == "_orig_mod" || component == "_fsdp_wrapped_module" ||
         component == "_checkpoint_wrapped_module";
}

bool Wraps(std::string_view class_name, std::string_view component) {
  for (const shm::WrapperClass& wrapper : shm::kWrapperClasses) {
    if (wrapper.component != component) continue;
    if (wrapper.name == WithoutPackage(class_name) || MayBeWrapper(class_name, component)) {
      return true;
    }
  }
  return false;
}

}  // namespace

bool IsModuleWrapper(std::string_view class_name) { return Wraps(class_name, "module"); }

FoldedPath FoldWrappers(std::string_view raw_path, const ClassAt& class_at) {
  FoldedPath folded;
  size_t begin = 0;
  while (begin < raw_path.size()) {
    size_t end = raw_path.find('.', begin);
    if (end == std::string_view::npos) end = raw_path.size();
    const std::string_view component = raw_path.substr(begin, end - begin);
    const std::string_view above = raw_path.substr(0, begin == 0 ? 0 : begin - 1);
    if (IsWrapperName(component) && Wraps(class_at(above), component)) {
      ++folded.level;
    } else {
      if (!folded.path.empty()) folded.path += '.';
      folded.path += component;
    }
    begin = end + 1;
  }
  return folded;
}

}  // namespace flopsprof::model

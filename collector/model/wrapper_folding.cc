// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/wrapper_folding.h"

#include <cstddef>

namespace flopsprof::model {
namespace {

bool IsWrapperComponent(std::string_view component) {
  return component == "_orig_mod" || component == "_fsdp_wrapped_module" ||
         component == "_checkpoint_wrapped_module";
}

}  // namespace

bool IsModuleWrapper(std::string_view class_name) {
  const size_t dot = class_name.rfind('.');
  if (dot != std::string_view::npos) class_name.remove_prefix(dot + 1);
  return class_name == "DistributedDataParallel" || class_name == "DataParallel" ||
         class_name == "DeepSpeedEngine";
}

FoldedPath FoldWrappers(std::string_view raw_path, const ClassAt& class_at) {
  FoldedPath folded;
  size_t begin = 0;
  while (begin < raw_path.size()) {
    size_t end = raw_path.find('.', begin);
    if (end == std::string_view::npos) end = raw_path.size();
    const std::string_view component = raw_path.substr(begin, end - begin);
    const std::string_view above = raw_path.substr(0, begin == 0 ? 0 : begin - 1);
    if (IsWrapperComponent(component) ||
        (component == "module" && IsModuleWrapper(class_at(above)))) {
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

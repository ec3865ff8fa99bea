// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace flopsprof::model {

// A module path without the components that wrappers add.
struct FoldedPath {
  std::string path;
  // How many components were taken out: 0 for the outermost wrapper, more further in.
  int level = 0;
};

// Class name of the module at an unfolded path, "" when it is not known.
using ClassAt = std::function<std::string(std::string_view raw_path)>;

// Takes out `_orig_mod`, `_fsdp_wrapped_module`, `_checkpoint_wrapped_module` and `module` where
// the class above is the one that wraps a module under that name; the first three also where the
// class is not known. The paths of a wrapped model are then those of the model alone.
FoldedPath FoldWrappers(std::string_view raw_path, const ClassAt& class_at);

// True for classes whose `module` attribute is the wrapped model.
bool IsModuleWrapper(std::string_view class_name);

}  // namespace flopsprof::model

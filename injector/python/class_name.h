// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>

#include "injector/python/python_api.h"

namespace flopsprof::injector {

// Name of a module's class as its author wrote it: fully_shard() and replicate() give modules a
// class of their own, "FSDPBlock" of (FSDPModule, Block). A wrapper that readers fold has the name
// of PyTorch's (DeepSpeed's ...) class, also where it is a class made from that; a class of the
// program that only has such a name comes with its module: "__main__.DataParallel". Needs Python's
// lock.
class ClassName {
 public:
  explicit ClassName(PyObject* type);
  ~ClassName();
  ClassName(const ClassName&) = delete;
  ClassName& operator=(const ClassName&) = delete;

  // Valid while this lives; "?" when it has none.
  const char* text() const { return text_; }

 private:
  PyObject* name_ = nullptr;
  char qualified_[256];
  const char* text_ = "?";
};

// Attribute in which a wrapper that readers fold keeps the module it wraps; null: no such class.
const char* WrappedModuleName(PyObject* type);

}  // namespace flopsprof::injector

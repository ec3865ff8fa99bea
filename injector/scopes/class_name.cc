// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/scopes/class_name.h"

#include <string.h>

namespace flopsprof::injector {
namespace {

constexpr const char* kWrappers[] = {"FSDPModule", "ReplicateModule", "DDP"};

// New reference, or null; `*text` is valid while it lives.
PyObject* NameOf(PyObject* type, const char** text) {
  PyObject* name = g_python.PyObject_GetAttrString(type, "__name__");
  *text = name == nullptr ? nullptr : g_python.PyUnicode_AsUTF8AndSize(name, nullptr);
  if (*text == nullptr) g_python.PyErr_Clear();
  return name;
}

bool IsWrapper(PyObject* type) {
  const char* text = nullptr;
  PyObject* name = NameOf(type, &text);
  bool found = false;
  for (const char* wrapper : kWrappers) found |= text != nullptr && strcmp(text, wrapper) == 0;
  g_python.DecRef(name);
  return found;
}

// The author's class behind a wrapping one (borrowed: its subclass keeps it), or null.
PyObject* Wrapped(PyObject* type, const char* name) {
  if (strncmp(name, "FSDP", 4) != 0 && strncmp(name, "Replicate", 9) != 0 &&
      strncmp(name, "DDP", 3) != 0) {
    return nullptr;
  }
  PyObject* bases = g_python.PyObject_GetAttrString(type, "__bases__");
  PyObject* wrapped = nullptr;
  if (bases != nullptr && g_python.PyTuple_Size(bases) == 2 &&
      IsWrapper(g_python.PyTuple_GetItem(bases, 0))) {
    wrapped = g_python.PyTuple_GetItem(bases, 1);
  }
  g_python.PyErr_Clear();
  g_python.DecRef(bases);
  return wrapped;
}

}  // namespace

ClassName::ClassName(PyObject* type) {
  const char* text = nullptr;
  name_ = NameOf(type, &text);
  for (int level = 0; text != nullptr && level < 4; ++level) {  // both of them, one on the other
    type = Wrapped(type, text);
    if (type == nullptr) break;
    g_python.DecRef(name_);
    name_ = NameOf(type, &text);
  }
  if (text != nullptr) text_ = text;
}

ClassName::~ClassName() { g_python.DecRef(name_); }

}  // namespace flopsprof::injector

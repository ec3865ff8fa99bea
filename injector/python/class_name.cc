// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/python/class_name.h"

#include <stdio.h>
#include <string.h>

#include "proto/shm/wrapper_classes.h"

namespace flopsprof::injector {
namespace {

constexpr const char* kWrappers[] = {"FSDPModule", "ReplicateModule", "DDP"};

using FoldedClass = shm::WrapperClass;

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

const FoldedClass* FoldedByName(const char* name) {
  for (const FoldedClass& folded : shm::kWrapperClasses) {
    if (name != nullptr && strcmp(folded.name, name) == 0) return &folded;
  }
  return nullptr;
}

// Where a class was defined (new reference), or null.
PyObject* ModuleNameOf(PyObject* type, const char** text) {
  PyObject* name = g_python.PyObject_GetAttrString(type, "__module__");
  *text = name == nullptr ? nullptr : g_python.PyUnicode_AsUTF8AndSize(name, nullptr);
  if (*text == nullptr) g_python.PyErr_Clear();
  return name;
}

bool IsFromPackage(PyObject* type) {
  const char* text = nullptr;
  PyObject* name = ModuleNameOf(type, &text);
  bool found = false;
  for (const char* package : shm::kWrapperPackages) {
    const size_t bytes = strlen(package);
    found |= text != nullptr && strncmp(text, package, bytes) == 0 &&
             (text[bytes] == '.' || text[bytes] == '\0');
  }
  g_python.DecRef(name);
  return found;
}

// Of the class itself or one it is made from; null: it folds nothing.
const FoldedClass* FindFoldedClass(PyObject* type) {
  PyObject* order = g_python.PyObject_GetAttrString(type, "__mro__");
  const intptr_t size = order == nullptr ? 0 : g_python.PyTuple_Size(order);
  const FoldedClass* found = nullptr;
  for (intptr_t i = 0; i < size && found == nullptr; ++i) {
    PyObject* base = g_python.PyTuple_GetItem(order, i);
    const char* text = nullptr;
    PyObject* name = NameOf(base, &text);
    found = FoldedByName(text);
    g_python.DecRef(name);
    if (found != nullptr && !IsFromPackage(base)) found = nullptr;
  }
  g_python.PyErr_Clear();
  g_python.DecRef(order);
  return found;
}

}  // namespace

const char* WrappedModuleName(PyObject* type) {
  const FoldedClass* folded = FindFoldedClass(type);
  return folded == nullptr ? nullptr : folded->component;
}

ClassName::ClassName(PyObject* type) {
  const char* text = nullptr;
  name_ = NameOf(type, &text);
  for (int level = 0; text != nullptr && level < 4; ++level) {  // both of them, one on the other
    PyObject* wrapped = Wrapped(type, text);
    if (wrapped == nullptr) break;
    type = wrapped;
    g_python.DecRef(name_);
    name_ = NameOf(type, &text);
  }
  if (text != nullptr) text_ = text;
  const FoldedClass* folded = FindFoldedClass(type);
  if (folded != nullptr) {
    text_ = folded->name;
  } else if (FoldedByName(text_) != nullptr) {
    const char* module = nullptr;
    PyObject* module_name = ModuleNameOf(type, &module);
    snprintf(qualified_, sizeof(qualified_), "%s.%s", module == nullptr ? "?" : module, text_);
    text_ = qualified_;
    g_python.DecRef(module_name);
  }
}

ClassName::~ClassName() { g_python.DecRef(name_); }

}  // namespace flopsprof::injector

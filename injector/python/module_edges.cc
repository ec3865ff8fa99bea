// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/python/module_edges.h"

#include <stdlib.h>

#include "injector/base/platform.h"

namespace flopsprof::injector {

void ModuleEdge::ForgetPath() {
  if (key_count > 1) free(this->keys);
  this->keys = nullptr;
  key_count = 0;
}

void ModuleEdge::ClearPath() {
  PyObject* const* names = Keys();
  for (uint32_t i = 0; i < key_count; ++i) g_python.DecRef(names[i]);
  ForgetPath();
  g_python.DecRef(anchor);
  anchor = nullptr;
}

bool ModuleEdge::SetPath(PyObject* const* names, uint32_t count) {
  auto** copy = count > 1 ? static_cast<PyObject**>(malloc(count * sizeof(PyObject*))) : nullptr;
  if (count > 1 && copy == nullptr) return false;
  for (uint32_t i = 0; i < count; ++i) {
    if (count > 1) copy[i] = names[i];
    g_python.Py_IncRef(names[i]);
  }
  PyObject* const only = count == 1 ? names[0] : nullptr;
  ClearPath();  // after: the names may be its own
  if (count > 1) {
    this->keys = copy;
  } else {
    this->key = only;
  }
  key_count = static_cast<uint16_t>(count);
  kind = EdgeKind::kNamed;
  scope = 0;
  return true;
}

FLOPSPROF_APART uint32_t ModuleEdges::Add(uint32_t parent, PyObject* child) {
  ModuleEdge edge = {};
  edge.parent = parent;
  edge.child = child;
  return table_.Add(edge);
}

void ModuleEdges::LetResolveAgain(PyObject* child) {
  for (uint32_t i = 1; i <= count(); ++i) {
    if (at(i).child == child && at(i).kind != EdgeKind::kAlias) at(i).kind = EdgeKind::kNew;
  }
}

FLOPSPROF_APART void ModuleEdges::Clear() {
  for (uint32_t i = 1; i <= count(); ++i) at(i).ClearPath();
  table_.Clear();
  newest_ = 0;
}

void ModuleEdges::Forget() {
  for (uint32_t i = 1; i <= count(); ++i) at(i).ForgetPath();
  table_.Clear();
  newest_ = 0;
}

}  // namespace flopsprof::injector

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/python/module_search.h"

#include "injector/python/module_objects.h"

namespace flopsprof::injector {
namespace {

// The names on the way down from the caller.
struct SearchedPath {
  PyObject* names[kSearchedLevels];
  int count;
};

// `module` is at the end of the path. False: no memory.
bool AddSibling(PyObject* module, const SearchedPath& path, bool is_first_sight,
                ModuleSearch* search) {
  const uint32_t index = search->edges->FindOrAdd(search->caller_scope, module);
  if (index == 0) return false;
  ModuleEdge& edge = search->edges->at(index);
  if (is_first_sight || edge.kind == EdgeKind::kNew) {
    edge.SetPath(path.names, static_cast<uint32_t>(path.count));
    edge.type = module->type;
  }
  return true;
}

// All modules exactly `levels` levels below `module`; true when the called one is one of them.
bool SearchLevel(PyObject* module, int levels, SearchedPath* path, ModuleSearch* search) {
  PyObject* modules = ModulesOf(module);
  if (modules == nullptr) return false;
  bool found = false;
  intptr_t position = 0;
  PyObject *name, *child;
  ++path->count;
  while (g_python.PyDict_Next(modules, &position, &name, &child) != 0) {
    if (child == g_python.none) continue;
    ++search->looked_at;
    path->names[path->count - 1] = name;
    const bool is_called = child == search->called;
    if (levels > 1) {
      found |= SearchLevel(child, levels - 1, path, search);
      continue;
    }
    // One that several modules hold is called by the first of its paths, whoever calls it.
    if (!is_called && search->shared->Contains(child)) continue;
    if (!AddSibling(child, *path, is_called && !found, search)) break;
    found |= is_called;
  }
  --path->count;
  g_python.DecRef(modules);
  return found;
}

}  // namespace

bool SearchModulesBelow(int levels, ModuleSearch* search) {
  for (int level = 1; level <= levels; ++level) {
    SearchedPath path = {};
    if (SearchLevel(search->caller, level, &path, search)) return true;
  }
  return false;
}

}  // namespace flopsprof::injector

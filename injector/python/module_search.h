// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Looks for a called module among those that its caller contains, by identity, and makes the edges
// of all its siblings in the same pass. Needs Python's lock; runs no Python code.

#include <stdint.h>

#include "injector/python/address_set.h"
#include "injector/python/module_edges.h"
#include "injector/python/python_api.h"

namespace flopsprof::injector {

// How many levels below its caller a module is looked for; levels between are containers.
constexpr int kSearchedLevels = 4;

struct ModuleSearch {
  uint32_t caller_scope;
  PyObject* caller;
  PyObject* called;
  const AddressSet* shared;  // modules that several modules hold
  ModuleEdges* edges;        // get one for each module that is seen, named from the caller
  uint32_t looked_at = 0;    // modules, so far
};

// Down to so many levels. True: the called module is there.
bool SearchModulesBelow(int levels, ModuleSearch* search);

}  // namespace flopsprof::injector

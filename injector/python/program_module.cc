// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/python/program_module.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "injector/python/python_api.h"

namespace flopsprof::injector {
namespace {

struct EmbeddedText {
  const char* name;
  const char* source;
};
#include "flopsprof_program_source.inc"  // kTexts: flopsprof/__init__.py

// A module of that name that the other finders know; a folder without __init__.py is none.
constexpr char kFindOwn[] = R"py(
def own():
    import sys
    from importlib.machinery import BuiltinImporter
    for finder in list(sys.meta_path):
        find = None if finder is BuiltinImporter else getattr(finder, "find_spec", None)
        spec = find("flopsprof", None) if find is not None else None
        if spec is not None and spec.loader is not None and spec.origin is not None:
            from importlib.util import module_from_spec
            module = sys.modules["flopsprof"] = module_from_spec(spec)
            spec.loader.exec_module(module)
            return True
    return False


found = own()
del own
)py";
constexpr int kFileInput = 257;  // Py_file_input
constexpr int kExecSlot = 2;     // Py_mod_exec

// The parts of Python's headers that this needs, of builds with the GIL, 3.8 to 3.15.
struct Slot {
  int slot;
  void* value;
};
struct ModuleDefinition {
  uint64_t head[2];
  void* init;
  int64_t index;
  void* copy;
  const char* name;
  const char* doc;
  int64_t size;
  void* methods;
  Slot* slots;
  void* traverse;
  void* clear;
  void* free;
};

struct Functions {
  void* (*PyModuleDef_Init)(void*);
  void* (*PyModule_GetDict)(void*);
  void* (*PyRun_StringFlags)(const char*, int, void*, void*, void*);
  void* (*PyDict_GetItemString)(void*, const char*);
  int (*PyDict_DelItemString)(void*, const char*);
  int (*PyObject_IsTrue)(void*);
  void (*Py_DecRef)(void*);
};
Functions g_functions;

template <typename Function>
bool Find(const char* name, Function* function) {
  *function = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
  return *function != nullptr;
}

bool Run(const char* source, void* names) {
  void* result = g_functions.PyRun_StringFlags(source, kFileInput, names, names, nullptr);
  if (result == nullptr) return false;  // the exception is the program's
  g_functions.Py_DecRef(result);
  return true;
}

int Execute(void* module) {
  void* names = g_functions.PyModule_GetDict(module);
  if (names == nullptr || !Run(kFindOwn, names)) return -1;
  void* found = g_functions.PyDict_GetItemString(names, "found");
  if (found != nullptr && g_functions.PyObject_IsTrue(found) != 0) return 0;
  g_functions.PyDict_DelItemString(names, "found");
  return Run(kTexts[0].source, names) ? 0 : -1;
}

Slot g_slots[] = {{kExecSlot, reinterpret_cast<void*>(&Execute)}, {0, nullptr}};
ModuleDefinition g_definition = {{1, 0}, nullptr, 0,       nullptr, "flopsprof", nullptr,
                                 0,      nullptr, g_slots, nullptr, nullptr,     nullptr};

void* InitModule() { return g_functions.PyModuleDef_Init(&g_definition); }

bool LayoutIsKnown() {
  const char* (*version)() = nullptr;
  if (!Find("Py_GetVersion", &version)) return false;
  const char* text = version();
  void* traces_references = nullptr;
  if (Find("_Py_PrintReferences", &traces_references)) return false;
  if (strncmp(text, "3.", 2) != 0 || strstr(text, "free-threading") != nullptr) return false;
  const int minor = atoi(text + 2);
  return minor >= 8 && minor <= kNewestPython;
}

}  // namespace

void OfferProgramModule() {
  int (*append)(const char*, void* (*)()) = nullptr;
  int (*running)() = nullptr;
  if (!Find("PyImport_AppendInittab", &append) || !Find("Py_IsInitialized", &running)) return;
  if (running() != 0 || !LayoutIsKnown()) return;
  Functions& f = g_functions;
  const bool all = Find("PyModuleDef_Init", &f.PyModuleDef_Init) &&
                   Find("PyModule_GetDict", &f.PyModule_GetDict) &&
                   Find("PyRun_StringFlags", &f.PyRun_StringFlags) &&
                   Find("PyDict_GetItemString", &f.PyDict_GetItemString) &&
                   Find("PyDict_DelItemString", &f.PyDict_DelItemString) &&
                   Find("PyObject_IsTrue", &f.PyObject_IsTrue) && Find("Py_DecRef", &f.Py_DecRef);
  if (all) append("flopsprof", InitModule);
}

}  // namespace flopsprof::injector

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/python/python_api.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

namespace flopsprof::injector {

PythonApi g_python;

namespace {

template <typename Function>
void Find(const char* name, Function* function) {
  *function = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
}

}  // namespace

const char* PythonApi::Load() {
  const char* (*version)();
  Find("Py_GetVersion", &version);
  if (version == nullptr) return "no Python in this process";
  const char* text = version();
  if (strncmp(text, "3.", 2) != 0) return "not Python 3";
  minor = static_cast<int>(strtol(text + 2, nullptr, 10));
  if (strstr(text, "PyPy") != nullptr) return "PyPy is not supported";
  if (strstr(text, "free-threading") != nullptr) return "free-threaded Python is not supported";
  if (minor < 8) return "Python older than 3.8";
  if (minor > kNewestPython) return "Python newer than 3.15: not proved yet";
#define FLOPSPROF_FIND(name, result, arguments) \
  Find(#name, &this->name);                     \
  if (this->name == nullptr) return "Python without " #name;
  FLOPSPROF_PYTHON_FUNCTIONS(FLOPSPROF_FIND)
#undef FLOPSPROF_FIND
  Find("_Py_NoneStruct", &none);
  Find("PyFunction_Type", &function_type);
  Find("PyLong_Type", &int_type);
  Find("PyBool_Type", &bool_type);
  Find("PyFloat_Type", &float_type);
  Find("PyUnicode_Type", &str_type);
  Find("PyTuple_Type", &tuple_type);
  Find("PyList_Type", &list_type);
  Find("PyFunction_SetVectorcall", &PyFunction_SetVectorcall);
  Find("PyVectorcall_Function", &PyVectorcall_Function);
  Find("_PyFunction_Vectorcall", &default_vectorcall);
  Find("PyFrame_GetVarString", &PyFrame_GetVarString);
  Find("PyWeakref_GetObject", &PyWeakref_GetObject);
  Find("Py_AtExit", &Py_AtExit);
  Find("PyGILState_Ensure", &PyGILState_Ensure);
  Find("PyGILState_Release", &PyGILState_Release);
  Find("Py_IsFinalizing", &is_finalizing);
  if (is_finalizing == nullptr) Find("_Py_IsFinalizing", &is_finalizing);  // up to 3.12
  Find("PyInterpreterState_Main", &interpreter_main);
  Find("PyInterpreterState_Get", &interpreter_now);
  if (interpreter_now == nullptr) Find("_PyInterpreterState_Get", &interpreter_now);  // 3.8
  if (none == nullptr || function_type == nullptr || PyWeakref_GetObject == nullptr) {
    return "Python without the objects that the hook needs";
  }
  return nullptr;
}

PythonLock::PythonLock() {
  if (g_python.PyGILState_Ensure == nullptr || g_python.PyGILState_Release == nullptr) return;
  if (!PythonIsRunning()) return;
  if (g_python.is_finalizing == nullptr || g_python.is_finalizing() != 0) return;
  state_ = g_python.PyGILState_Ensure();
  taken_ = true;
}

PythonLock::~PythonLock() {
  if (taken_) g_python.PyGILState_Release(state_);
}

bool PythonIsRunning() {
  int (*is_initialized)();
  Find("Py_IsInitialized", &is_initialized);
  return is_initialized != nullptr && is_initialized() != 0;
}

}  // namespace flopsprof::injector

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/python/module_hook.h"

#include <atomic>

#include "injector/python/install.h"
#include "injector/python/module_calls.h"
#include "injector/python/module_scopes.h"
#include "injector/python/python_api.h"
#include "injector/python/rest.h"
#include "injector/scopes/scope_stack.h"

namespace flopsprof::injector {

namespace {

// tp_vectorcall_offset inside a type object, the same in all builds with the GIL from 3.8 on.
constexpr intptr_t kTypeVectorcallOffset = 56;

PyVectorcall g_original;
PyObject* g_function;  // owned: the function object that holds our pointer
PyVectorcall* g_slot;
bool g_self_test;
std::atomic<bool> g_installed{false};  // told to other threads
unsigned g_self_test_calls;

PyObject* Hook(PyObject* callable, PyObject* const* arguments, size_t count_and_flags,
               PyObject* keyword_names) {
  if (__builtin_expect(g_self_test, 0)) {
    ++g_self_test_calls;
  } else if ((count_and_flags & ~kPyVectorcallOffset) != 0 && ScopesEnabled() &&
             !PassesModuleBy(ThisThread())) {
    const uint32_t depth = EnterModuleCall(arguments[0]);
    PyObject* result = g_original(callable, arguments, count_and_flags, keyword_names);
    ThisThread().Leave(depth);  // also after an exception: the result is null then
    if (__builtin_expect(g_late_root != 0, 0) && (depth & ~ThreadScopes::kTimed) == 0) {
      DescribeLateModules();
    }
    return result;
  }
  return g_original(callable, arguments, count_and_flags, keyword_names);
}

// Offset of the vectorcall pointer in a function object, or 0: the one word that equals it.
size_t FindVectorcallOffset(PyObject* function) {
  PyVectorcall wanted = g_python.PyVectorcall_Function != nullptr
                            ? g_python.PyVectorcall_Function(function)
                            : g_python.default_vectorcall;
  PyObject* size_object = g_python.PyObject_GetAttrString(g_python.function_type, "__basicsize__");
  const long size = size_object == nullptr ? 0 : g_python.PyLong_AsLong(size_object);
  g_python.DecRef(size_object);
  g_python.PyErr_Clear();
  if (wanted == nullptr || size < 64 || size > 512) return 0;
  size_t found = 0;
  for (long offset = 16; offset + 8 <= size; offset += 8) {
    auto* word = reinterpret_cast<PyVectorcall*>(reinterpret_cast<char*>(function) + offset);
    if (*word != wanted) continue;
    if (found != 0) return 0;
    found = static_cast<size_t>(offset);
  }
  return found;
}

void StorePointer(PyVectorcall pointer) {
  if (g_python.PyFunction_SetVectorcall != nullptr) {
    g_python.PyFunction_SetVectorcall(g_function, pointer);  // also drops specialised calls
  } else {
    __atomic_store_n(g_slot, pointer, __ATOMIC_RELAXED);
  }
}

// Calls _call_impl() without arguments: it has to come by and raise TypeError.
bool SelfTest() {
  g_self_test = true;
  g_self_test_calls = 0;
  PyObject* result = g_python.PyObject_CallFunctionObjArgs(g_function, nullptr);
  g_self_test = false;
  g_python.DecRef(result);
  g_python.PyErr_Clear();
  return result == nullptr && g_self_test_calls == 1;
}

// torch.nn.modules.module.Module._call_impl (new reference) of a torch that is fully imported.
PyObject* FindCallImpl() {
  PyObject* modules = g_python.PyImport_GetModuleDict();
  PyObject* torch = g_python.PyDict_GetItemString(modules, "torch");
  PyObject* nn_module = g_python.PyDict_GetItemString(modules, "torch.nn.modules.module");
  if (torch == nullptr || nn_module == nullptr) return nullptr;
  PyObject* spec = g_python.PyObject_GetAttrString(torch, "__spec__");
  PyObject* importing =
      spec == nullptr ? nullptr : g_python.PyObject_GetAttrString(spec, "_initializing");
  const bool busy = importing != nullptr && g_python.PyObject_IsTrue(importing) != 0;
  PyObject* type = busy ? nullptr : g_python.PyObject_GetAttrString(nn_module, "Module");
  PyObject* function =
      type == nullptr ? nullptr : g_python.PyObject_GetAttrString(type, "_call_impl");
  g_python.PyErr_Clear();
  g_python.DecRef(spec);
  g_python.DecRef(importing);
  g_python.DecRef(type);
  return function;
}

}  // namespace

bool TorchIsReady() {
  PyObject* function = FindCallImpl();
  g_python.DecRef(function);
  return function != nullptr;
}

bool InstallModuleHook(const char** reason) {
  if (g_slot != nullptr && *g_slot == Hook) return true;
  PyObject* function = FindCallImpl();
  *reason = function == nullptr ? "torch.nn.Module has no _call_impl" : nullptr;
  size_t offset = 0;
  if (function == nullptr) return false;
  if (function->type != g_python.function_type) {
    *reason = "torch.nn.Module._call_impl is no Python function (replaced by another tool)";
  } else if ((offset = FindVectorcallOffset(function)) == 0 ||
             static_cast<intptr_t>(offset) !=
                 *reinterpret_cast<intptr_t*>(reinterpret_cast<char*>(g_python.function_type) +
                                              kTypeVectorcallOffset)) {
    *reason = "function objects of this Python have an unknown layout";
  }
  if (*reason != nullptr) {
    g_python.DecRef(function);
    return false;
  }
  g_function = function;  // the reference is kept
  g_slot = reinterpret_cast<PyVectorcall*>(reinterpret_cast<char*>(function) + offset);
  g_original = *g_slot;
  StorePointer(Hook);
  if (*g_slot == Hook && SelfTest()) {
    g_installed.store(true, std::memory_order_relaxed);
    return true;
  }
  StorePointer(g_original);
  g_slot = nullptr;
  *reason = "the hook failed its self-test";
  return false;
}

bool ModuleHookIsInstalled() { return g_installed.load(std::memory_order_relaxed); }

void ForgetModuleHook() {
  g_installed.store(false, std::memory_order_relaxed);
  g_function = nullptr;
  g_slot = nullptr;
}

void UninstallModuleHook() {
  if (g_slot == nullptr || *g_slot != Hook) return;
  StorePointer(g_original);
  g_installed.store(false, std::memory_order_relaxed);
  g_slot = nullptr;
}

}  // namespace flopsprof::injector

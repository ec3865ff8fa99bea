// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/python/python_shim.h"

#include <stdio.h>
#include <string.h>

#include "injector/python/class_name.h"
#include "injector/python/native_functions.h"
#include "injector/transport/record_sink.h"

namespace flopsprof::injector {

namespace {

struct EmbeddedText {
  const char* name;  // of the module
  const char* source;
};
#include "flopsprof_shim_source.inc"  // kTexts, in the order in which they run

constexpr char kNativeName[] = "_flopsprof_native";
constexpr int kFileInput = 257;  // Py_file_input

PyObject* g_names;  // of the last text, borrowed from its module, which is never freed
bool g_uninstalled = false;
bool g_failure_noted;

void ClearFailure() {
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  g_python.PyErr_Fetch(&type, &value, &traceback);
  char reason[256] = "error without text";
  PyObject* text = value == nullptr ? nullptr : g_python.PyObject_Str(value);
  const char* utf8 = text == nullptr ? nullptr : g_python.PyUnicode_AsUTF8AndSize(text, nullptr);
  if (utf8 != nullptr) snprintf(reason, sizeof(reason), "%.200s", utf8);
  g_python.PyErr_Clear();
  const bool interrupted =
      type != nullptr && strcmp(ClassName(type).text(), "KeyboardInterrupt") == 0;
  g_python.DecRef(text);
  g_python.DecRef(type);
  g_python.DecRef(value);
  g_python.DecRef(traceback);
  if (interrupted) {
    g_python.PyErr_SetInterrupt();  // meant for the program, which gets it once we are out of here
  } else {
    OnShimFailure(reason);
  }
}

PyObject* Borrow(const char* name) {
  return g_names == nullptr ? nullptr : g_python.PyDict_GetItemString(g_names, name);
}

// Calls a function of the shim; null after a failure. A pending exception is kept.
PyObject* Call(const char* name, PyObject* first, PyObject* second, PyObject* third = nullptr) {
  PyObject* function = Borrow(name);
  if (function == nullptr) return nullptr;
  PyObject *type, *value, *traceback;
  g_python.PyErr_Fetch(&type, &value, &traceback);
  // While torch.compile runs user code, its frame evaluator would compile the shim too.
  PyObject* set_eval_frame = Borrow("set_eval_frame");
  PyObject* evaluator = nullptr;
  if (set_eval_frame != nullptr && set_eval_frame != g_python.none) {
    evaluator = g_python.PyObject_CallFunctionObjArgs(set_eval_frame, g_python.none, nullptr);
    if (evaluator == nullptr) g_python.PyErr_Clear();
  }
  PyObject* result = g_python.PyObject_CallFunctionObjArgs(function, first, second, third, nullptr);
  if (result == nullptr) ClearFailure();
  if (evaluator != nullptr) {
    PyObject* ours = g_python.PyObject_CallFunctionObjArgs(set_eval_frame, evaluator, nullptr);
    if (ours == nullptr) g_python.PyErr_Clear();
    g_python.DecRef(ours);
    g_python.DecRef(evaluator);
  }
  g_python.PyErr_Restore(type, value, traceback);
  return result;
}

bool IsTrue(PyObject* result) {
  const bool value = result != nullptr && g_python.PyObject_IsTrue(result) == 1;
  g_python.DecRef(result);
  return value;
}

// A module object of that name in sys.modules, with builtins; its dict is borrowed.
PyObject* NewModule(const char* name) {
  PyObject* module = g_python.PyModule_New(name);
  if (module == nullptr) return nullptr;
  PyObject* names = g_python.PyModule_GetDict(module);
  g_python.PyDict_SetItemString(names, "__builtins__", g_python.PyEval_GetBuiltins());
  g_python.PyDict_SetItemString(g_python.PyImport_GetModuleDict(), name, module);
  return names;  // the module's first reference is kept for ever
}

// Runs a text in a new module and gives the module's dict, borrowed. Null: a pending exception.
PyObject* RunText(const EmbeddedText& text) {
  PyObject* names = NewModule(text.name);
  if (names == nullptr) return nullptr;
  char file[64];  // for tracebacks; in brackets, so that nobody looks for such a file
  snprintf(file, sizeof(file), "<%s>", text.name);
  PyObject* code = g_python.Py_CompileString(text.source, file, kFileInput);
  PyObject* result = code == nullptr ? nullptr : g_python.PyEval_EvalCode(code, names, names);
  g_python.DecRef(code);
  g_python.DecRef(result);
  return result == nullptr ? nullptr : names;
}

}  // namespace

bool InstallShim() {
  if (g_names != nullptr && g_uninstalled) {  // its modules are there: once more for another agent
    g_uninstalled = false;
    PyObject* result = Call("install", nullptr, nullptr);
    g_python.DecRef(result);
    return result != nullptr;
  }
  if (g_names != nullptr) return true;
  PyObject* native = NewModule(kNativeName);
  PyObject* names = nullptr;  // of the text that ran last
  bool good = native != nullptr && AddNativeFunctions(native);
  for (const EmbeddedText& text : kTexts) {
    if (good) names = RunText(text);
    good = good && names != nullptr;
  }
  if (!good) {
    ClearFailure();
    return false;
  }
  g_names = names;
  PyObject* result = Call("install", nullptr, nullptr);
  g_python.DecRef(result);
  return result != nullptr;
}

PyObject* AskShimForChain(PyObject* module, bool outermost) {
  PyObject* flag = g_python.PyLong_FromUnsignedLongLong(outermost ? 1 : 0);
  PyObject* chain = Call("chain_of", module, flag);
  g_python.DecRef(flag);
  return chain;
}

bool LetShimDescribe(PyObject* root, uint32_t root_scope) {
  PyObject* scope = g_python.PyLong_FromUnsignedLongLong(root_scope);
  const bool complete = IsTrue(Call("describe", root, scope));
  g_python.DecRef(scope);
  return complete;
}

bool LetShimFollowModules(const char* way, const char* reason) {
  PyObject* first = g_python.PyUnicode_FromString(way == nullptr ? "" : way);
  PyObject* second = g_python.PyUnicode_FromString(reason == nullptr ? "" : reason);
  PyObject* result = Call("follow_modules", first, second);
  g_python.DecRef(first);
  g_python.DecRef(second);
  g_python.DecRef(result);
  return result != nullptr;
}

PyObject* AskShimForWork(PyObject* name, PyObject* arguments, PyObject* named) {
  return Call("evaluate", name, arguments, named == nullptr ? g_python.none : named);
}

bool AskShimForOptimizer() { return IsTrue(Call("optimizer_exists", nullptr, nullptr)); }
void TellShimFirstCall() { g_python.DecRef(Call("on_first_call", nullptr, nullptr)); }
void ForgetShim() {
  g_names = nullptr;
  g_uninstalled = false;
}
void LetShimUninstall() {
  g_python.DecRef(Call("uninstall", nullptr, nullptr));
  g_uninstalled = true;
}

void OnShimFailure(const char* reason) {
  CountLoss(shm::LossCounter::kShimFailed);
  if (g_failure_noted) return;
  g_failure_noted = true;
  EmitNote("shim", reason);
}

}  // namespace flopsprof::injector

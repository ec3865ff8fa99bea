// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The part of CPython's C interface that the module hook needs, without Python's headers: all
// functions are found by name, so one library serves Python 3.8 to 3.15, in libpython or in a
// static executable. Everything but Load() needs Python's lock (GIL).

#include <stddef.h>
#include <stdint.h>

namespace flopsprof::injector {

constexpr int kNewestPython = 15;  // 3.15: what layouts and ways were proved on

// Start of every object; builds with the GIL only (free-threaded ones are refused by Load).
struct PyObject {
  intptr_t reference_count;
  PyObject* type;
};

using PyVectorcall = PyObject* (*)(PyObject* callable, PyObject* const* arguments,
                                   size_t count_and_flags, PyObject* keyword_names);
using PyFastFunction = PyObject* (*)(PyObject* self, PyObject* const* arguments, intptr_t count);

struct PyMethodDef {
  const char* name;
  PyFastFunction function;
  int flags;
  const char* documentation;
};
constexpr int kPyFastCall = 0x80;     // METH_FASTCALL
constexpr int kPyTupleAndDict = 0x3;  // METH_VARARGS | METH_KEYWORDS
using PyTupleAndDictFunction = PyObject* (*)(PyObject* self, PyObject* arguments, PyObject* named);
constexpr size_t kPyVectorcallOffset = 1ull << 63;
constexpr unsigned long kPyDictSubclass = 1ul << 29;  // tp_flags

#define FLOPSPROF_PYTHON_FUNCTIONS(X)                                   \
  X(Py_AddPendingCall, int, (int (*)(void*), void*))                    \
  X(Py_IsInitialized, int, ())                                          \
  X(Py_IncRef, void, (PyObject*))                                       \
  X(Py_DecRef, void, (PyObject*))                                       \
  X(PyErr_Clear, void, ())                                              \
  X(PyErr_Fetch, void, (PyObject**, PyObject**, PyObject**))            \
  X(PyErr_Restore, void, (PyObject*, PyObject*, PyObject*))             \
  X(PyErr_SetInterrupt, void, ())                                       \
  X(PyErr_Occurred, PyObject*, ())                                      \
  X(PyImport_GetModuleDict, PyObject*, ())                              \
  X(PyObject_GenericGetAttr, PyObject*, (PyObject*, PyObject*))         \
  X(PyObject_GetAttrString, PyObject*, (PyObject*, const char*))        \
  X(PyObject_IsTrue, int, (PyObject*))                                  \
  X(PyObject_Str, PyObject*, (PyObject*))                               \
  X(PyObject_Call, PyObject*, (PyObject*, PyObject*, PyObject*))        \
  X(PyObject_CallFunctionObjArgs, PyObject*, (PyObject*, ...))          \
  X(PyUnicode_InternFromString, PyObject*, (const char*))               \
  X(PyUnicode_FromString, PyObject*, (const char*))                     \
  X(PyUnicode_AsUTF8AndSize, const char*, (PyObject*, intptr_t*))       \
  X(PyDict_Next, int, (PyObject*, intptr_t*, PyObject**, PyObject**))   \
  X(PyDict_GetItemWithError, PyObject*, (PyObject*, PyObject*))         \
  X(PyDict_GetItemString, PyObject*, (PyObject*, const char*))          \
  X(PyDict_SetItemString, int, (PyObject*, const char*, PyObject*))     \
  X(PyList_Size, intptr_t, (PyObject*))                                 \
  X(PyList_GetItem, PyObject*, (PyObject*, intptr_t))                   \
  X(PyTuple_Size, intptr_t, (PyObject*))                                \
  X(PyTuple_GetItem, PyObject*, (PyObject*, intptr_t))                  \
  X(PyFloat_AsDouble, double, (PyObject*))                              \
  X(PyType_GetFlags, unsigned long, (PyObject*))                        \
  X(PyType_IsSubtype, int, (PyObject*, PyObject*))                      \
  X(PyLong_AsLong, long, (PyObject*))                                   \
  X(PyLong_AsUnsignedLongLong, unsigned long long, (PyObject*))         \
  X(PyLong_FromUnsignedLongLong, PyObject*, (unsigned long long))       \
  X(PyCFunction_NewEx, PyObject*, (PyMethodDef*, PyObject*, PyObject*)) \
  X(PyModule_New, PyObject*, (const char*))                             \
  X(PyModule_GetDict, PyObject*, (PyObject*))                           \
  X(PyEval_GetBuiltins, PyObject*, ())                                  \
  X(PyEval_EvalCode, PyObject*, (PyObject*, PyObject*, PyObject*))      \
  X(Py_CompileString, PyObject*, (const char*, const char*, int))       \
  X(PyWeakref_NewRef, PyObject*, (PyObject*, PyObject*))

struct PythonApi {
#define FLOPSPROF_MEMBER(name, result, arguments) result(*name) arguments;
  FLOPSPROF_PYTHON_FUNCTIONS(FLOPSPROF_MEMBER)
#undef FLOPSPROF_MEMBER
  PyObject* none;           // borrowed, immortal
  PyObject* function_type;  // type of Python functions
  PyObject* int_type;       // and of others; null: not found
  PyObject* bool_type;
  PyObject* float_type;
  PyObject* str_type;
  PyObject* tuple_type;
  PyObject* list_type;
  void (*PyFunction_SetVectorcall)(PyObject*, PyVectorcall);  // 3.12 and later, else null
  PyVectorcall (*PyVectorcall_Function)(PyObject*);           // 3.11 and later, else null
  PyVectorcall default_vectorcall;                            // up to 3.12, else null
  PyObject* (*PyFrame_GetVarString)(PyObject*, const char*);  // 3.12 and later, else null
  PyObject* (*PyWeakref_GetObject)(PyObject*);                // up to 3.14
  int (*Py_AtExit)(void (*)());
  int (*PyGILState_Ensure)();  // takes Python's lock on any thread; null: not found
  void (*PyGILState_Release)(int);
  int (*is_finalizing)();
  void* (*interpreter_now)();   // with the lock held
  void* (*interpreter_main)();  // null: not told
  int minor;                    // 3.minor

  // Null: usable. Else one line that says why not. Finds symbols only; no lock needed.
  const char* Load();

  // False in a subinterpreter. With the lock held.
  bool InMainInterpreter() const {
    return interpreter_now == nullptr || interpreter_main == nullptr ||
           interpreter_now() == interpreter_main();
  }

  void DecRef(PyObject* object) const {
    if (object != nullptr) Py_DecRef(object);
  }
};

extern PythonApi g_python;

// Python's lock on a thread that Python does not know. Not taken where it cannot be, or where
// Python ends: there a thread that asks for it waits for ever, or is ended (up to 3.13, by
// pthread_exit, which unwinds it). The end may begin just after it was asked for. So the thread is
// one that nobody waits for, and nothing of ours is in the way of unwinding
// (check_injector_abi.sh).
class PythonLock {
 public:
  PythonLock();
  ~PythonLock();
  PythonLock(const PythonLock&) = delete;
  PythonLock& operator=(const PythonLock&) = delete;
  bool taken() const { return taken_; }

 private:
  bool taken_ = false;
  int state_ = 0;
};

// True when this process runs a Python that could be asked for a pending call.
bool PythonIsRunning();

}  // namespace flopsprof::injector

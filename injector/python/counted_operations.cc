// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/python/counted_operations.h"

#include <stdlib.h>
#include <string.h>

#include "injector/operations/operation_scope.h"
#include "injector/python/argument_key.h"
#include "injector/python/python_shim.h"

namespace flopsprof::injector {

namespace {

// What the formula said of some arguments. One block of memory: this, the key's words, the texts.
struct Answer {
  Answer* next;
  uint64_t hash;
  uint64_t flops;
  uint32_t key_words;
  uint32_t shape_bytes;
  uint32_t reason_bytes;
  bool known;

  uint64_t* key() { return reinterpret_cast<uint64_t*>(this + 1); }
  char* shape() { return reinterpret_cast<char*>(key() + key_words); }
  char* reason() { return shape() + shape_bytes; }
};

// Name and real function are kept for ever: the program may hold a callable of ours longer than
// we are there.
struct CountedOperation {
  static constexpr int kBuckets = 256;
  static constexpr int kMaxAnswers = 4096;

  PyObject* name;
  PyObject* real;
  const char* name_text;
  size_t name_bytes;
  uint32_t formula;  // grows when the formula is another one
  int answer_count;
  Answer* answers[kBuckets];
};

constexpr int kMaxOperations = 1024;
CountedOperation* g_operations[kMaxOperations];
int g_operation_count;

const char* TextOf(PyObject* object, size_t* bytes) {
  intptr_t size = 0;
  const char* text = g_python.PyUnicode_AsUTF8AndSize(object, &size);
  if (text == nullptr) g_python.PyErr_Clear();
  *bytes = text == nullptr ? 0 : static_cast<size_t>(size);
  return text == nullptr ? "" : text;
}

Answer* Find(const CountedOperation& operation, const ArgumentKey& key, uint64_t hash) {
  const size_t bytes = static_cast<size_t>(key.count()) * sizeof(uint64_t);
  Answer* answer = operation.answers[hash % CountedOperation::kBuckets];
  for (; answer != nullptr; answer = answer->next) {
    if (answer->hash == hash && answer->key_words == static_cast<uint32_t>(key.count()) &&
        memcmp(answer->key(), key.words(), bytes) == 0) {
      return answer;
    }
  }
  return nullptr;
}

void Keep(CountedOperation* operation, const ArgumentKey& key, const NamedOperation& said) {
  if (operation->answer_count == CountedOperation::kMaxAnswers) return;
  const size_t key_bytes = static_cast<size_t>(key.count()) * sizeof(uint64_t);
  auto* answer = static_cast<Answer*>(
      malloc(sizeof(Answer) + key_bytes + said.shape_bytes + said.reason_bytes));
  if (answer == nullptr) return;
  answer->hash = key.Hash();
  answer->flops = said.flops;
  answer->known = said.known;
  answer->key_words = static_cast<uint32_t>(key.count());
  answer->shape_bytes = static_cast<uint32_t>(said.shape_bytes);
  answer->reason_bytes = static_cast<uint32_t>(said.reason_bytes);
  memcpy(answer->key(), key.words(), key_bytes);
  memcpy(answer->shape(), said.shape, said.shape_bytes);
  memcpy(answer->reason(), said.reason, said.reason_bytes);
  Answer** bucket = &operation->answers[answer->hash % CountedOperation::kBuckets];
  answer->next = *bucket;
  *bucket = answer;
  operation->answer_count++;
}

void End(NamedOperation* named, const char* shape, size_t shape_bytes, const char* reason,
         size_t reason_bytes, bool known, uint64_t flops) {
  named->shape = shape;
  named->shape_bytes = shape_bytes;
  named->reason = reason;
  named->reason_bytes = reason_bytes;
  named->known = known;
  named->flops = flops;
  EndNamedOperation(*named);
}

// Asks the shim: (text of the shapes, flops or None, reason).
void EndByFormula(CountedOperation* operation, NamedOperation* named, const ArgumentKey& key,
                  PyObject* arguments, PyObject* keywords) {
  const uint32_t formula = operation->formula;
  PyObject* said = AskShimForWork(operation->name, arguments, keywords);
  if (said == nullptr || g_python.PyTuple_Size(said) != 3) {
    static constexpr char kReason[] = "the formula could not be asked";
    End(named, "", 0, kReason, sizeof kReason - 1, false, 0);
    if (g_python.PyErr_Occurred() != nullptr) g_python.PyErr_Clear();
    return g_python.DecRef(said);
  }
  PyObject* flops = g_python.PyTuple_GetItem(said, 1);
  size_t shape_bytes, reason_bytes;
  const char* shape = TextOf(g_python.PyTuple_GetItem(said, 0), &shape_bytes);
  const char* reason = TextOf(g_python.PyTuple_GetItem(said, 2), &reason_bytes);
  const bool known = flops != g_python.none;
  End(named, shape, shape_bytes, reason, reason_bytes, known,
      known ? g_python.PyLong_AsUnsignedLongLong(flops) : 0);
  // Another thread may have named another formula while this one was asked.
  if (key.complete() && formula == operation->formula) Keep(operation, key, *named);
  g_python.DecRef(said);
}

PyObject* RunCounted(CountedOperation* operation, PyObject* arguments, PyObject* keywords) {
  const ArgumentKey key(arguments, keywords);
  if (key.idle()) return g_python.PyObject_Call(operation->real, arguments, keywords);
  NamedOperation named = {};
  named.call = BeginNamedOperation();
  named.name = operation->name_text;
  named.name_bytes = operation->name_bytes;
  named.type = key.type();
  PyObject* result = g_python.PyObject_Call(operation->real, arguments, keywords);
  if (result == nullptr) {
    AbandonOperation();
    return nullptr;
  }
  if (named.call == shm::kNoCall) {
    EndNamedOperation(named);
    return result;
  }
  Answer* answer = key.complete() ? Find(*operation, key, key.Hash()) : nullptr;
  if (answer != nullptr) {
    End(&named, answer->shape(), answer->shape_bytes, answer->reason(), answer->reason_bytes,
        answer->known, answer->flops);
  } else {
    EndByFormula(operation, &named, key, arguments, keywords);
  }
  return result;
}

PyObject* Run(PyObject* self, PyObject* arguments, PyObject* keywords) {
  return RunCounted(g_operations[g_python.PyLong_AsLong(self)], arguments, keywords);
}

PyMethodDef g_method = {"counted_operation",
                        reinterpret_cast<PyFastFunction>(
                            reinterpret_cast<void (*)()>(static_cast<PyTupleAndDictFunction>(Run))),
                        kPyTupleAndDict, nullptr};

int IndexOf(PyObject* name, PyObject* real) {
  size_t bytes;
  const char* text = TextOf(name, &bytes);
  for (int i = 0; i < g_operation_count; ++i) {
    const CountedOperation& known = *g_operations[i];
    if (known.real == real && known.name_bytes == bytes &&
        memcmp(known.name_text, text, bytes) == 0) {
      return i;
    }
  }
  if (g_operation_count == kMaxOperations) return -1;
  auto* operation = static_cast<CountedOperation*>(calloc(1, sizeof(CountedOperation)));
  if (operation == nullptr) return -1;
  g_python.Py_IncRef(name);
  g_python.Py_IncRef(real);
  operation->name = name;
  operation->real = real;
  operation->name_text = text;
  operation->name_bytes = bytes;
  g_operations[g_operation_count] = operation;
  return g_operation_count++;
}

}  // namespace

PyObject* NewCountedOperation(PyObject* name, PyObject* real) {
  const int index = IndexOf(name, real);
  if (index < 0) {
    OnShimFailure("more operations with a formula than there is room for");
    g_python.Py_IncRef(real);
    return real;
  }
  PyObject* self = g_python.PyLong_FromUnsignedLongLong(static_cast<unsigned>(index));
  if (self == nullptr) return nullptr;
  PyObject* callable = g_python.PyCFunction_NewEx(&g_method, self, nullptr);
  g_python.DecRef(self);
  return callable;
}

void ForgetCountedOperations() { g_operation_count = 0; }

void ForgetFormula(PyObject* name) {
  size_t bytes;
  const char* text = TextOf(name, &bytes);
  for (int i = 0; i < g_operation_count; ++i) {
    CountedOperation* operation = g_operations[i];
    if (operation->name_bytes != bytes || memcmp(operation->name_text, text, bytes) != 0) continue;
    operation->formula++;
    operation->answer_count = 0;
    for (Answer*& bucket : operation->answers) {
      while (bucket != nullptr) {
        Answer* next = bucket->next;
        free(bucket);
        bucket = next;
      }
    }
  }
}

}  // namespace flopsprof::injector

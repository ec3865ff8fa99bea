// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/python/argument_key.h"

#include <string.h>

#include <initializer_list>

#include "injector/operations/tensor_reader.h"

namespace flopsprof::injector {

namespace {

constexpr int kMaxDepth = 3;  // of lists in lists

// First word of each value: what follows.
enum Tag : uint64_t { kNone = 1, kBool, kInt, kFloat, kText, kTensor, kElementType, kList };
uint64_t Word(Tag tag, uint64_t detail = 0) { return tag | detail << 8; }

PyObject* g_tensor;
PyObject* g_parameter;
PyObject* g_element_type;

// Where in the Python object of a tensor the tensor itself (at::Tensor) lies: 0: not looked for,
// < 0: not found.
int g_tensor_place;

// The tensor tells which object it points to (_cdata); one word of its Python object says the same.
int FindTensorPlace(PyObject* object) {
  constexpr int kWords = 5;  // a tensor's object had 6 words or more since PyTorch 1.0
  PyObject* number = g_python.PyObject_GetAttrString(object, "_cdata");
  const unsigned long long wanted =
      number == nullptr ? 0 : g_python.PyLong_AsUnsignedLongLong(number);
  g_python.DecRef(number);
  if (g_python.PyErr_Occurred() != nullptr) {
    g_python.PyErr_Clear();
    return -1;
  }
  const auto* words = reinterpret_cast<const uint64_t*>(object);
  for (int i = 2; wanted != 0 && i < kWords; ++i) {
    if (words[i] == wanted) return i;
  }
  return -1;
}

bool IsTrue(PyObject* object, const char* attribute) {
  PyObject* value = g_python.PyObject_GetAttrString(object, attribute);
  const bool result = value != nullptr && g_python.PyObject_IsTrue(value) == 1;
  g_python.DecRef(value);
  if (g_python.PyErr_Occurred() != nullptr) g_python.PyErr_Clear();
  return result;
}

}  // namespace

void SetTensorTypes(PyObject* tensor, PyObject* parameter, PyObject* element_type) {
  g_tensor = tensor;
  g_parameter = parameter;
  g_element_type = element_type;
  for (PyObject* type : {tensor, parameter, element_type}) g_python.Py_IncRef(type);
}

void ForgetTensorTypes() { g_tensor = g_parameter = g_element_type = nullptr; }

ArgumentKey::ArgumentKey(PyObject* arguments, PyObject* named) {
  const intptr_t size = g_python.PyTuple_Size(arguments);
  for (intptr_t i = 0; i < size; ++i) Add(g_python.PyTuple_GetItem(arguments, i), 0);
  if (named == nullptr) return;
  PyObject *name, *value;
  intptr_t position = 0;
  while (g_python.PyDict_Next(named, &position, &name, &value) != 0) {
    AddText(name);
    Add(value, 0);
  }
}

uint64_t ArgumentKey::Hash() const {
  uint64_t hash = static_cast<uint64_t>(count_);
  for (int i = 0; i < count_; ++i) {
    hash = (hash ^ words_[i]) * 0x9e3779b97f4a7c15ull;
    hash ^= hash >> 32;
  }
  return hash;
}

void ArgumentKey::Put(uint64_t word) {
  if (count_ == kMaxWords) {
    incomplete_ = true;
  } else {
    words_[count_++] = word;
  }
}

void ArgumentKey::Add(PyObject* value, int depth) {
  const PyObject* type = value->type;
  if (type == g_tensor || type == g_parameter) return AddTensor(value);
  if (value == g_python.none) return Put(Word(kNone));
  if (type == g_python.bool_type || type == g_python.int_type || type == g_python.float_type) {
    return AddNumber(value);
  }
  if (type == g_python.str_type) return AddText(value);
  if (type == g_python.list_type || type == g_python.tuple_type) return AddSequence(value, depth);
  if (type == g_element_type) {  // one object for each, for ever
    Put(Word(kElementType));
    return Put(reinterpret_cast<uintptr_t>(value));
  }
  incomplete_ = true;
  if (g_tensor != nullptr && g_python.PyType_IsSubtype(value->type, g_tensor) != 0) {
    stand_in_ = true;
  }
}

void ArgumentKey::AddTensor(PyObject* tensor) {
  if (g_tensor_place == 0) g_tensor_place = FindTensorPlace(tensor);
  const TensorReader& reader = TensorReader::Get();
  const TensorRef inner =
      g_tensor_place < 0 ? nullptr : reinterpret_cast<PyObject**>(tensor) + g_tensor_place;
  TensorSizes sizes;
  if (inner == nullptr || !reader.Sizes(inner, &sizes)) {
    incomplete_ = true;
    on_gpu_ = on_gpu_ || IsTrue(tensor, "is_cuda");
    return;
  }
  const int8_t type = reader.Type(inner);
  const bool on_gpu = reader.IsOnGpu(inner);
  if (on_gpu && !on_gpu_) type_ = type;
  on_gpu_ = on_gpu_ || on_gpu;
  Put(Word(kTensor, static_cast<uint64_t>(sizes.rank) << 16 | static_cast<uint8_t>(type) << 8 |
                        (on_gpu ? 1 : 0)));
  for (int64_t i = 0; i < sizes.rank; ++i) Put(static_cast<uint64_t>(sizes.size[i]));
}

void ArgumentKey::AddNumber(PyObject* value) {
  if (value->type == g_python.float_type) {
    const double number = g_python.PyFloat_AsDouble(value);
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    Put(Word(kFloat));
    return Put(bits);
  }
  const long number = g_python.PyLong_AsLong(value);
  if (number == -1 && g_python.PyErr_Occurred() != nullptr) {  // beyond 64 bits
    g_python.PyErr_Clear();
    incomplete_ = true;
    return;
  }
  Put(Word(value->type == g_python.bool_type ? kBool : kInt));
  Put(static_cast<uint64_t>(number));
}

void ArgumentKey::AddText(PyObject* value) {
  intptr_t size = 0;
  const char* text = g_python.PyUnicode_AsUTF8AndSize(value, &size);
  if (text == nullptr) {
    g_python.PyErr_Clear();
    incomplete_ = true;
    return;
  }
  Put(Word(kText, static_cast<uint64_t>(size)));
  for (intptr_t i = 0; i < size && !incomplete_; i += 8) {
    uint64_t word = 0;
    memcpy(&word, text + i, static_cast<size_t>(size - i < 8 ? size - i : 8));
    Put(word);
  }
}

void ArgumentKey::AddSequence(PyObject* value, int depth) {
  if (depth == kMaxDepth) {
    incomplete_ = true;
    return;
  }
  const bool list = value->type == g_python.list_type;
  const intptr_t size = list ? g_python.PyList_Size(value) : g_python.PyTuple_Size(value);
  Put(Word(kList, static_cast<uint64_t>(size) << 1 | (list ? 1 : 0)));
  for (intptr_t i = 0; i < size; ++i) {
    Add(list ? g_python.PyList_GetItem(value, i) : g_python.PyTuple_GetItem(value, i), depth + 1);
  }
}

}  // namespace flopsprof::injector

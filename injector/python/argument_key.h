// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What of the arguments of an operation decides its work, as numbers that can be compared: sizes
// and element types of tensors, and plain values.

#include <stdint.h>

#include "injector/python/python_api.h"

namespace flopsprof::injector {

// The types of real tensors and of element types; kept for ever. Null: not known.
void SetTensorTypes(PyObject* tensor, PyObject* parameter, PyObject* element_type);
// Python has ended: what it was is gone, and is not touched.
void ForgetTensorTypes();

class ArgumentKey {
 public:
  // `named`: a dict, or null. Needs Python's lock; leaves no exception.
  ArgumentKey(PyObject* arguments, PyObject* named);

  // Nothing runs on a GPU now: no tensor is there, or one only stands for a tensor (of
  // torch.compile, of export).
  bool idle() const { return stand_in_ || !on_gpu_; }
  // Equal numbers: equal work. Else there is an argument that cannot be compared.
  bool complete() const { return !incomplete_; }
  // c10::ScalarType of the first tensor on a GPU, -1 = not known.
  int8_t type() const { return type_; }

  const uint64_t* words() const { return words_; }
  int count() const { return count_; }
  uint64_t Hash() const;

 private:
  static constexpr int kMaxWords = 96;

  void Add(PyObject* value, int depth);
  void AddTensor(PyObject* tensor);
  void AddNumber(PyObject* value);
  void AddText(PyObject* value);
  void AddSequence(PyObject* value, int depth);
  void Put(uint64_t word);

  uint64_t words_[kMaxWords];
  int count_ = 0;
  bool incomplete_ = false;
  bool stand_in_ = false;
  bool on_gpu_ = false;
  int8_t type_ = -1;
};

}  // namespace flopsprof::injector

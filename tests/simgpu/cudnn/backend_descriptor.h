// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "later_names.h"

namespace sim::cudnn {

// What one execution of a plan puts on a stream; see Execute.
struct PlanRun {
  std::vector<std::string> kernels;
  std::string shape;  // GraphCost::shape
  bool names_are_real = false;
  bool uses_workspace = false;
  double flop_count = 0;  // of each kernel
  double bytes = 0;       // of each kernel
  unsigned blocks = 1;
};

class Descriptor;
using DescriptorPtr = std::shared_ptr<Descriptor>;

// What a program sees as a cudnnBackendDescriptor_t: the real library's descriptor, and a
// copy of everything that was set on it. The copy exists because the real library does not
// give back the operations of a graph, and because hand-made plans are built from it.
//
// As in the real library a descriptor belongs to one thread until it is finalised; descriptors
// that it refers to stay alive with it, whatever the program destroys.
class Descriptor {
 public:
  // An attribute as the program set it: raw elements, and for descriptors the descriptors.
  struct Attribute {
    cudnnBackendAttributeType_t type;
    int64_t count = 0;
    std::vector<char> bytes;
    std::vector<DescriptorPtr> descriptors;
  };

  explicit Descriptor(cudnnBackendDescriptorType_t type) : type_(type) {}
  ~Descriptor();
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  // Makes the real library's descriptor; returns its answer.
  cudnnStatus_t CreateReal();

  cudnnBackendDescriptorType_t type() const { return type_; }
  // The real library's descriptor, null without a real library.
  cudnnBackendDescriptor_t real() const { return real_; }

  void Record(int name, Attribute attribute);
  const Attribute* Find(int name) const;
  // The first descriptor of an attribute, or null.
  DescriptorPtr Child(int name) const;
  // The elements of an attribute of 8-byte integers; empty if it was not set.
  std::vector<int64_t> Integers(int name) const;
  // The first element of an attribute of 4-byte values, or `otherwise`.
  int32_t Integer32(int name, int32_t otherwise) const;
  bool Boolean(int name) const;

  // A hand-made descriptor stands for one that the real library could not build here.
  bool hand_made() const { return hand_made_; }
  void set_hand_made() { hand_made_ = true; }
  // The run of a finalised plan, described once by `describe`. Plans are executed by several
  // threads at the same time.
  template <class Describe>
  const PlanRun& run(const Describe& describe) const {
    std::call_once(described_, [&] { run_ = describe(); });
    return run_;
  }
  bool finalized() const { return finalized_; }
  void set_finalized() { finalized_ = true; }

 private:
  const cudnnBackendDescriptorType_t type_;
  cudnnBackendDescriptor_t real_ = nullptr;
  std::map<int, Attribute> attributes_;
  bool hand_made_ = false;
  bool finalized_ = false;
  mutable std::once_flag described_;
  mutable PlanRun run_;
};

// The opaque handle given to programs owns one reference.
cudnnBackendDescriptor_t ToHandle(DescriptorPtr descriptor);
// Null for a null handle.
DescriptorPtr FromHandle(cudnnBackendDescriptor_t handle);
void ReleaseHandle(cudnnBackendDescriptor_t handle);

// The operation graph of a plan, engine configuration, engine or heuristic; or null (a plan
// that was read from JSON has none).
DescriptorPtr GraphOf(const Descriptor& descriptor);

// Bytes of one element of an attribute type.
size_t ElementSize(cudnnBackendAttributeType_t type);

}  // namespace sim::cudnn

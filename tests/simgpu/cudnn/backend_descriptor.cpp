// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "backend_descriptor.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "real_cudnn.h"

namespace sim::cudnn {

Descriptor::~Descriptor() {
  if (real_ != nullptr) Real().destroy(real_);
}

cudnnStatus_t Descriptor::CreateReal() {
  if (!Real()) return CUDNN_STATUS_SUCCESS;
  return Real().create(type_, &real_);
}

void Descriptor::Record(int name, Attribute attribute) {
  attributes_.insert_or_assign(name, std::move(attribute));
}

const Descriptor::Attribute* Descriptor::Find(int name) const {
  const auto found = attributes_.find(name);
  return found == attributes_.end() ? nullptr : &found->second;
}

DescriptorPtr Descriptor::Child(int name) const {
  const Attribute* attribute = Find(name);
  if (attribute == nullptr || attribute->descriptors.empty()) return nullptr;
  return attribute->descriptors.front();
}

std::vector<int64_t> Descriptor::Integers(int name) const {
  const Attribute* attribute = Find(name);
  if (attribute == nullptr) return {};
  std::vector<int64_t> values(attribute->bytes.size() / sizeof(int64_t));
  std::memcpy(values.data(), attribute->bytes.data(), values.size() * sizeof(int64_t));
  return values;
}

int32_t Descriptor::Integer32(int name, int32_t otherwise) const {
  const Attribute* attribute = Find(name);
  if (attribute == nullptr || attribute->bytes.size() < sizeof(int32_t)) return otherwise;
  int32_t value;
  std::memcpy(&value, attribute->bytes.data(), sizeof value);
  return value;
}

bool Descriptor::Boolean(int name) const {
  const Attribute* attribute = Find(name);
  return attribute != nullptr && !attribute->bytes.empty() && attribute->bytes[0] != 0;
}

cudnnBackendDescriptor_t ToHandle(DescriptorPtr descriptor) {
  return new DescriptorPtr(std::move(descriptor));
}

DescriptorPtr FromHandle(cudnnBackendDescriptor_t handle) {
  return handle == nullptr ? nullptr : *static_cast<DescriptorPtr*>(handle);
}

void ReleaseHandle(cudnnBackendDescriptor_t handle) { delete static_cast<DescriptorPtr*>(handle); }

DescriptorPtr GraphOf(const Descriptor& descriptor) {
  int link;
  switch (descriptor.type()) {
    case CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR:
      link = CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG;
      break;
    case CUDNN_BACKEND_ENGINECFG_DESCRIPTOR:
      link = CUDNN_ATTR_ENGINECFG_ENGINE;
      break;
    case CUDNN_BACKEND_ENGINE_DESCRIPTOR:
      return descriptor.Child(CUDNN_ATTR_ENGINE_OPERATION_GRAPH);
    case CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR:
      return descriptor.Child(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH);
    default:
      return nullptr;
  }
  const DescriptorPtr next = descriptor.Child(link);
  return next ? GraphOf(*next) : nullptr;
}

size_t ElementSize(cudnnBackendAttributeType_t type) {
  switch (type) {
    case CUDNN_TYPE_BOOLEAN:
    case CUDNN_TYPE_CHAR:
      return 1;
    case CUDNN_TYPE_HANDLE:
    case CUDNN_TYPE_INT64:
    case CUDNN_TYPE_DOUBLE:
    case CUDNN_TYPE_VOID_PTR:
    case CUDNN_TYPE_BACKEND_DESCRIPTOR:
      return 8;
    case CUDNN_TYPE_FRACTION:
      return sizeof(cudnnFraction_t);
    default:
      return 4;
  }
}

}  // namespace sim::cudnn

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
//
// cudnnBackend*: descriptors go to the real library, which also answers; only what needs a
// device is simulated. The handle is kept from the real library: heuristics and plans get the
// description of the simulated card instead (see FinalizeReal).
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>

#include "backend_descriptor.h"
#include "execution.h"
#include "faults.h"
#include "hand_made_plan.h"
#include "handle.h"
#include "real_cudnn.h"
#include "sim.h"
#include "simcore.h"

using namespace sim::cudnn;  // NOLINT: the entry points below are C functions

namespace {

// Copies up to `requested` elements out, as GetAttribute of the real library does.
cudnnStatus_t GiveElements(const Descriptor::Attribute& attribute, int64_t requested,
                           int64_t* count, void* elements) {
  if (count != nullptr) *count = attribute.count;
  if (elements != nullptr) {
    const int64_t given = std::min(requested, attribute.count);
    std::memcpy(elements, attribute.bytes.data(), given * ElementSize(attribute.type));
  }
  return CUDNN_STATUS_SUCCESS;
}

// The attribute with which a descriptor is told which device it is for, or 0.
int DeviceAttribute(cudnnBackendDescriptorType_t type) {
  switch (type) {
    case CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR:
      return CUDNN_ATTR_ENGINEHEUR_DEVICEPROP;
    case CUDNN_BACKEND_ENGINE_DESCRIPTOR:
      return CUDNN_ATTR_ENGINE_DEVICEPROP;
    case CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR:
      return CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP;
    default:
      return 0;
  }
}

// Finalises the real descriptor. What the real library would ask a driver through the handle
// is answered by the device description first.
cudnnStatus_t FinalizeReal(Descriptor& descriptor) {
  const RealBackend& real = Real();
  const uint64_t start_ns = sim_now();
  const int attribute = DeviceAttribute(descriptor.type());
  if (attribute != 0 && descriptor.Find(attribute) == nullptr) {
    cudnnBackendDescriptor_t device = SimulatedDevice();
    real.set(descriptor.real(), static_cast<cudnnBackendAttributeName_t>(attribute),
             CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &device);
  }
  if (descriptor.type() == CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR &&
      descriptor.Find(CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION) == nullptr) {
    const std::string& json = SimulatedDeviceJson();
    real.set(descriptor.real(), CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION, CUDNN_TYPE_CHAR,
             static_cast<int64_t>(json.size()) + 1, json.c_str());
  }
  const cudnnStatus_t status = real.finalize(descriptor.real());
  const double milliseconds = (sim_now() - start_ns) * 1e-6;
  if (sim_log_level() > 0 && milliseconds > 1) {
    std::fprintf(stderr, "[sim] cudnn: type %d finalised in %.1f ms, status %d\n",
                 descriptor.type(), milliseconds, status);
  }
  return status;
}

// The real library filled the descriptors of `attribute`; their copies learn what they are.
void FollowReal(const Descriptor& from, int attribute, const std::vector<DescriptorPtr>& filled) {
  if (attribute == CUDNN_ATTR_ENGINEHEUR_RESULTS) {
    for (const DescriptorPtr& config : filled) {
      auto engine = std::make_shared<Descriptor>(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
      LinkDescriptor(*engine, CUDNN_ATTR_ENGINE_OPERATION_GRAPH, GraphOf(from));
      LinkDescriptor(*config, CUDNN_ATTR_ENGINECFG_ENGINE, engine);
    }
  } else if (attribute == CUDNN_ATTR_ENGINECFG_ENGINE) {
    for (const DescriptorPtr& engine : filled) {
      LinkDescriptor(*engine, CUDNN_ATTR_ENGINE_OPERATION_GRAPH, GraphOf(from));
    }
  }
}

cudnnStatus_t GetRealDescriptors(const Descriptor& descriptor, cudnnBackendAttributeName_t name,
                                 int64_t requested, int64_t* count, void* elements) {
  std::vector<DescriptorPtr> wanted;
  std::vector<cudnnBackendDescriptor_t> inner;
  if (elements != nullptr) {
    auto* handles = static_cast<cudnnBackendDescriptor_t*>(elements);
    for (int64_t i = 0; i < requested; i++) {
      wanted.push_back(FromHandle(handles[i]));
      inner.push_back(wanted.back() ? wanted.back()->real() : nullptr);
    }
  }
  int64_t got = 0;
  const cudnnStatus_t status =
      Real().get(descriptor.real(), name, CUDNN_TYPE_BACKEND_DESCRIPTOR, requested, &got,
                 elements != nullptr ? inner.data() : nullptr);
  if (count != nullptr) *count = got;
  if (status == CUDNN_STATUS_SUCCESS) {
    wanted.resize(std::clamp<int64_t>(got, 0, static_cast<int64_t>(wanted.size())));
    FollowReal(descriptor, name, wanted);
  }
  return status;
}

}  // namespace

API cudnnStatus_t cudnnBackendCreateDescriptor(cudnnBackendDescriptorType_t type,
                                               cudnnBackendDescriptor_t* descriptor) {
  if (descriptor == nullptr) return CUDNN_STATUS_BAD_PARAM;
  auto made = std::make_shared<Descriptor>(type);
  const cudnnStatus_t status = made->CreateReal();
  if (status == CUDNN_STATUS_SUCCESS) *descriptor = ToHandle(std::move(made));
  return status;
}

API cudnnStatus_t cudnnBackendDestroyDescriptor(cudnnBackendDescriptor_t descriptor) {
  ReleaseHandle(descriptor);
  return CUDNN_STATUS_SUCCESS;
}

API cudnnStatus_t cudnnBackendSetAttribute(cudnnBackendDescriptor_t descriptor,
                                           cudnnBackendAttributeName_t name,
                                           cudnnBackendAttributeType_t type, int64_t count,
                                           const void* elements) {
  const DescriptorPtr self = FromHandle(descriptor);
  if (self == nullptr) return CUDNN_STATUS_BAD_PARAM;
  Descriptor::Attribute attribute{type, count, {}, {}};
  const void* real_elements = elements;
  std::vector<cudnnBackendDescriptor_t> inner;
  if (elements != nullptr && count > 0) {
    const char* bytes = static_cast<const char*>(elements);
    attribute.bytes.assign(bytes, bytes + count * ElementSize(type));
    if (type == CUDNN_TYPE_BACKEND_DESCRIPTOR) {
      const auto* handles = static_cast<const cudnnBackendDescriptor_t*>(elements);
      for (int64_t i = 0; i < count; i++) {
        attribute.descriptors.push_back(FromHandle(handles[i]));
        const DescriptorPtr& child = attribute.descriptors.back();
        if (child && child->hand_made()) self->set_hand_made();
        inner.push_back(child ? child->real() : nullptr);
      }
      real_elements = inner.data();
    }
  }
  if (self->real() != nullptr && type != CUDNN_TYPE_HANDLE && !self->hand_made()) {
    const cudnnStatus_t status = Real().set(self->real(), name, type, count, real_elements);
    if (status != CUDNN_STATUS_SUCCESS) return status;
  }
  self->Record(name, std::move(attribute));
  return CUDNN_STATUS_SUCCESS;
}

API cudnnStatus_t cudnnBackendGetAttribute(cudnnBackendDescriptor_t descriptor,
                                           cudnnBackendAttributeName_t name,
                                           cudnnBackendAttributeType_t type, int64_t requested,
                                           int64_t* count, void* elements) {
  const DescriptorPtr self = FromHandle(descriptor);
  if (self == nullptr) return CUDNN_STATUS_BAD_PARAM;
  if (name == CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION &&
      simgpu::GetFaults().cudnn_json_refused) {
    simgpu::NoteStruck("cudnn_json");
    return CUDNN_STATUS_NOT_SUPPORTED;
  }
  if (type == CUDNN_TYPE_HANDLE) {
    const Descriptor::Attribute* handle = self->Find(name);
    if (handle == nullptr) return CUDNN_STATUS_BAD_PARAM;
    return GiveElements(*handle, requested, count, elements);
  }
  if (self->real() == nullptr || self->hand_made()) {
    return GetHandMade(*self, {name, type, requested, count, elements});
  }
  if (type == CUDNN_TYPE_BACKEND_DESCRIPTOR) {
    return GetRealDescriptors(*self, name, requested, count, elements);
  }
  return Real().get(self->real(), name, type, requested, count, elements);
}

API cudnnStatus_t cudnnBackendFinalize(cudnnBackendDescriptor_t descriptor) {
  const DescriptorPtr self = FromHandle(descriptor);
  if (self == nullptr) return CUDNN_STATUS_BAD_PARAM;
  cudnnStatus_t status = CUDNN_STATUS_SUCCESS;
  if (self->real() != nullptr && !self->hand_made()) {
    status = FinalizeReal(*self);
    if (status != CUDNN_STATUS_SUCCESS && MakeByHand(*self, status)) {
      status = CUDNN_STATUS_SUCCESS;
    }
  }
  if (status == CUDNN_STATUS_SUCCESS) self->set_finalized();
  return status;
}

static cudnnStatus_t Run(HandleState* handle, cudnnBackendDescriptor_t plan,
                         cudnnBackendDescriptor_t variant_pack, void* graph) {
  const DescriptorPtr self = FromHandle(plan);
  const DescriptorPtr pack = FromHandle(variant_pack);
  if (handle == nullptr || self == nullptr || pack == nullptr) {
    return CUDNN_STATUS_BAD_PARAM;
  }
  if (!self->finalized() || !pack->finalized()) {
    return CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED;
  }
  HandleState here = *handle;
  here.graph = graph;
  return Execute(here, *self, *pack);
}

API cudnnStatus_t cudnnBackendExecute(cudnnHandle_t handle, cudnnBackendDescriptor_t plan,
                                      cudnnBackendDescriptor_t variant_pack) {
  return Run(ToHandleState(handle), plan, variant_pack, nullptr);
}

API cudnnStatus_t cudnnBackendPopulateCudaGraph(cudnnHandle_t handle, cudnnBackendDescriptor_t plan,
                                                cudnnBackendDescriptor_t variant_pack,
                                                cudaGraph_t graph) {
  if (graph == nullptr) return CUDNN_STATUS_BAD_PARAM_NULL_POINTER;
  return Run(ToHandleState(handle), plan, variant_pack, graph);
}

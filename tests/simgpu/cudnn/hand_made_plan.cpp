// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "hand_made_plan.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "plan_json.h"
#include "real_cudnn.h"
#include "sim.h"

namespace sim::cudnn {
namespace {

template <class T>
cudnnStatus_t Give(const Query& query, T value) {
  if (query.count != nullptr) *query.count = 1;
  if (query.elements != nullptr && query.requested > 0) {
    std::memcpy(query.elements, &value, sizeof value);
  }
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t GiveNothing(const Query& query) {
  if (query.count != nullptr) *query.count = 0;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t GiveText(const Query& query, const std::string& text) {
  const int64_t size = static_cast<int64_t>(text.size()) + 1;
  if (query.count != nullptr) *query.count = size;
  if (query.elements != nullptr) {
    std::memcpy(query.elements, text.c_str(), std::min(size, query.requested));
  }
  return CUDNN_STATUS_SUCCESS;
}

// Refusals that come from the machine (no driver, no compiler), not from the plan.
bool LacksDriver(cudnnStatus_t status) {
  switch (status) {
    case CUDNN_STATUS_NOT_SUPPORTED_RUNTIME_PREREQUISITE_MISSING:
    case CUDNN_STATUS_NOT_SUPPORTED_INCOMPATIBLE_CUDA_DRIVER:
    case CUDNN_STATUS_NOT_SUPPORTED_INCOMPATIBLE_CUDART:
    case CUDNN_STATUS_EXECUTION_FAILED_CUDA_DRIVER:
    case CUDNN_STATUS_EXECUTION_FAILED_CUDART:
      return true;
    default:
      return false;
  }
}

std::string LastError(cudnnStatus_t status) {
  char message[256] = "";
  auto* get =
      reinterpret_cast<decltype(&cudnnGetLastErrorString)>(FindReal("cudnnGetLastErrorString"));
  if (get != nullptr) get(message, sizeof message);
  return std::to_string(status) + " " + message;
}

// The descriptor that the program made and we fill, or null.
DescriptorPtr ToFill(const Query& query) {
  if (query.elements == nullptr || query.requested < 1) return nullptr;
  return FromHandle(*static_cast<cudnnBackendDescriptor_t*>(query.elements));
}

// One engine configuration for the graph of a heuristic.
cudnnStatus_t GiveConfiguration(const Descriptor& heuristic, const Query& query) {
  if (query.count != nullptr) *query.count = 1;
  if (DescriptorPtr config = ToFill(query)) {
    auto engine = std::make_shared<Descriptor>(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
    LinkDescriptor(*engine, CUDNN_ATTR_ENGINE_OPERATION_GRAPH, GraphOf(heuristic));
    engine->set_hand_made();
    LinkDescriptor(*config, CUDNN_ATTR_ENGINECFG_ENGINE, engine);
    config->set_hand_made();
    config->set_finalized();
  }
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t GiveEngine(const Descriptor& config, const Query& query) {
  if (query.count != nullptr) *query.count = 1;
  if (DescriptorPtr engine = ToFill(query)) {
    LinkDescriptor(*engine, CUDNN_ATTR_ENGINE_OPERATION_GRAPH, GraphOf(config));
    engine->set_hand_made();
    engine->set_finalized();
  }
  return CUDNN_STATUS_SUCCESS;
}

}  // namespace

void LinkDescriptor(Descriptor& from, int attribute, DescriptorPtr to) {
  from.Record(attribute, {CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, {}, {std::move(to)}});
}

bool MakeByHand(Descriptor& descriptor, cudnnStatus_t status) {
  if (sim_log_level() > 0) {
    std::fprintf(stderr, "[sim] real cuDNN refuses descriptor type %d: %s\n", descriptor.type(),
                 LastError(status).c_str());
  }
  if (descriptor.type() != CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR || !LacksDriver(status) ||
      GraphOf(descriptor) == nullptr) {
    return false;
  }
  static std::once_flag said;
  std::call_once(said, [status] {
    std::fprintf(stderr, "[sim] cudnn: a plan is made by hand, the real library: %s\n",
                 LastError(status).c_str());
  });
  descriptor.set_hand_made();
  return true;
}

cudnnStatus_t GetHandMade(const Descriptor& descriptor, const Query& query) {
  switch (static_cast<int>(query.name)) {
    case CUDNN_ATTR_ENGINEHEUR_RESULTS:
      return GiveConfiguration(descriptor, query);
    case CUDNN_ATTR_ENGINECFG_ENGINE:
      return GiveEngine(descriptor, query);
    case CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION:
      return GiveText(query, PlanJson(descriptor));
    case CUDNN_ATTR_OPERATIONGRAPH_ENGINE_GLOBAL_COUNT:
      return Give<int64_t>(query, 1);
    case CUDNN_ATTR_ENGINE_GLOBAL_INDEX:
    case CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE:
    case CUDNN_ATTR_ENGINECFG_WORKSPACE_SIZE:
      return Give<int64_t>(query, 0);
    case CUDNN_ATTR_ENGINECFG_SHARED_MEMORY_USED:
      return Give<int32_t>(query, 0);
    default:
      break;
  }
  const Descriptor::Attribute* attribute = descriptor.Find(query.name);
  if (attribute == nullptr || attribute->type == CUDNN_TYPE_BACKEND_DESCRIPTOR) {
    return GiveNothing(query);
  }
  if (query.count != nullptr) *query.count = attribute->count;
  if (query.elements != nullptr) {
    std::memcpy(query.elements, attribute->bytes.data(),
                std::min(query.requested, attribute->count) * ElementSize(query.type));
  }
  return CUDNN_STATUS_SUCCESS;
}

}  // namespace sim::cudnn

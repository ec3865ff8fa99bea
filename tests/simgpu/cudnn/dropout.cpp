// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Dropout descriptors are set with a handle (the real library fills generator states on the
// device). The descriptor stays a real one, of which only the address is used here.
#include <map>
#include <mutex>

#include "handle.h"
#include "sim.h"

using namespace sim::cudnn;  // NOLINT: the entry points below are C functions

namespace {

struct Setting {
  float dropout = 0;
  void* states = nullptr;
  unsigned long long seed = 0;  // NOLINT: the type of the interface
};

std::mutex settings_mutex;

// Never destroyed: programs set descriptors until the process ends.
std::map<cudnnDropoutDescriptor_t, Setting>& Settings() {
  static auto* settings = new std::map<cudnnDropoutDescriptor_t, Setting>;
  return *settings;
}

constexpr size_t kStatesBytes = 4096;

}  // namespace

API cudnnStatus_t cudnnDropoutGetStatesSize(cudnnHandle_t, size_t* bytes) {
  *bytes = kStatesBytes;
  return CUDNN_STATUS_SUCCESS;
}

API cudnnStatus_t cudnnSetDropoutDescriptor(cudnnDropoutDescriptor_t descriptor,
                                            cudnnHandle_t handle, float dropout, void* states,
                                            size_t bytes, unsigned long long seed) {
  if (descriptor == nullptr || handle == nullptr) return CUDNN_STATUS_BAD_PARAM;
  if (states != nullptr && bytes < kStatesBytes) return CUDNN_STATUS_INVALID_VALUE;
  {
    std::lock_guard<std::mutex> lock(settings_mutex);
    Settings()[descriptor] = {dropout, states, seed};
  }
  if (states != nullptr) Launch(*ToHandleState(handle), {"sim_cudnn_dropout_states"});
  return CUDNN_STATUS_SUCCESS;
}

API cudnnStatus_t cudnnRestoreDropoutDescriptor(cudnnDropoutDescriptor_t descriptor,
                                                cudnnHandle_t handle, float dropout, void* states,
                                                size_t, unsigned long long seed) {
  if (descriptor == nullptr || handle == nullptr) return CUDNN_STATUS_BAD_PARAM;
  std::lock_guard<std::mutex> lock(settings_mutex);
  Settings()[descriptor] = {dropout, states, seed};
  return CUDNN_STATUS_SUCCESS;
}

API cudnnStatus_t cudnnGetDropoutDescriptor(cudnnDropoutDescriptor_t descriptor, cudnnHandle_t,
                                            float* dropout, void** states,
                                            unsigned long long* seed) {
  std::lock_guard<std::mutex> lock(settings_mutex);
  const Setting setting = Settings()[descriptor];
  if (dropout != nullptr) *dropout = setting.dropout;
  if (states != nullptr) *states = setting.states;
  if (seed != nullptr) *seed = setting.seed;
  return CUDNN_STATUS_SUCCESS;
}

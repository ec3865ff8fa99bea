// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "later_names.h"

// The real cuDNN behind the stand-in.
//
// Its sub-libraries (libcudnn_graph, _ops, _cnn, _adv) lie beside the stand-in under their
// own names and need neither a GPU nor libcudnn.so.9: that one is only a shim that opens
// them. They are therefore opened directly, by full path, on first use; a process that
// never calls cuDNN loads none of them. All functions are safe to call from any thread.
namespace sim::cudnn {

// The real function `name`, or null when the library that has it is missing.
void* FindReal(const char* name);

// The backend entry points of libcudnn_graph. All null when the library is missing, in
// which case the stand-in uses its hand-made plans for everything and says so once.
struct RealBackend {
  decltype(&cudnnBackendCreateDescriptor) create = nullptr;
  decltype(&cudnnBackendDestroyDescriptor) destroy = nullptr;
  decltype(&cudnnBackendSetAttribute) set = nullptr;
  decltype(&cudnnBackendGetAttribute) get = nullptr;
  decltype(&cudnnBackendFinalize) finalize = nullptr;

  explicit operator bool() const { return create != nullptr; }
};
const RealBackend& Real();

// A finalised device properties descriptor of the real library that describes the simulated
// card. With it set, heuristics and plans ask no driver. Null when it cannot be made.
cudnnBackendDescriptor_t SimulatedDevice();

// The description itself, in the JSON form that the real library reads.
const std::string& SimulatedDeviceJson();

// Calls the real function of this name and type. Without the real library the call fails
// with CUDNN_STATUS_SUBLIBRARY_LOADING_FAILED, as the real shim's would.
template <class Function, class... Args>
cudnnStatus_t CallReal(const char* name, Args... args) {
  auto* function = reinterpret_cast<Function*>(FindReal(name));
  return function != nullptr ? function(args...) : CUDNN_STATUS_SUBLIBRARY_LOADING_FAILED;
}

}  // namespace sim::cudnn

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/scopes/torch_functions.h"

#include <dlfcn.h>

namespace flopsprof::injector {

TorchFunctions g_torch;

namespace {

template <typename Function>
void Find(void* library, const char* name, Function* function) {
  void* found = dlsym(library, name);
  __atomic_store_n(function, reinterpret_cast<Function>(found), __ATOMIC_RELEASE);
}

}  // namespace

bool FindTorchFunctions() {
  // PyTorch maps it RTLD_LOCAL: RTLD_DEFAULT does not see it. NOLOAD: never map it ourselves.
  void* library = dlopen("libtorch_cpu.so", RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return false;
  Find(library, "_ZN2at14RecordFunction15currentThreadIdEv", &g_torch.thread_number);
  Find(library, "_ZN3c108GradMode10is_enabledEv", &g_torch.grad_enabled);
  Find(library, "_ZN5torch8autograd25get_current_graph_task_idEv", &g_torch.graph_task);
  Find(library, "_ZN2at17addGlobalCallbackENS_22RecordFunctionCallbackE",
       &g_torch.add_global_callback);
  // Last: the others are in place for whoever sees this one.
  Find(library, "_ZN2at15sequence_number4peekEv", &g_torch.next_sequence);
  return g_torch.next_sequence != nullptr && g_torch.thread_number != nullptr;
}

bool TorchPythonIsMapped() {
  return dlopen("libtorch_python.so", RTLD_LAZY | RTLD_NOLOAD) != nullptr;
}

}  // namespace flopsprof::injector

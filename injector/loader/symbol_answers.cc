// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/loader/symbol_answers.h"

#include <dlfcn.h>

#include "injector/base/loaded_objects.h"
#include "injector/base/real_loader.h"
#include "injector/loader/call_as.h"
#include "injector/loader/doors.h"
#include "injector/transport/record_sink.h"

namespace flopsprof::injector {
namespace {

// CUDA's own lower layers find each other by dlsym. What they call is not the program's call.
bool IsBelowTheHooks(const void* caller) {
  Dl_info object;
  return dladdr(caller, &object) != 0 && object.dli_fname != nullptr &&
         IsDriverLayer(object.dli_fname);
}

bool IsForTheCallersScope(const void* handle) {
  return handle == RTLD_DEFAULT || handle == RTLD_NEXT;
}

// What the next dlsym or dlvsym in the chain answers to that caller.
void* AskRealLoader(const SymbolQuestion& question) {
  const bool has_version = question.version != nullptr;
  if (!IsForTheCallersScope(question.handle)) {
    return has_version ? flopsprof_real_dlvsym(question.handle, question.name, question.version)
                       : flopsprof_real_dlsym(question.handle, question.name);
  }
  const void* const ret = FindReturnFor(question.caller);
  if (ret == nullptr) return NotFoundByDlsym(question.name);
  auto* const real = has_version ? reinterpret_cast<void*>(flopsprof_real_dlvsym)
                                 : reinterpret_cast<void*>(flopsprof_real_dlsym);
  return CallAs(ret, real, question.handle, question.name, question.version);
}

}  // namespace

bool CanAnswer(const SymbolQuestion& question) {
  if (!IsForTheCallersScope(question.handle)) return true;
  if (FindReturnFor(question.caller) != nullptr) return true;
  return IsPreloaded() && !AnyOtherObjectDefines(question.name);
}

void* AnswerFor(const SymbolQuestion& question, const Hook& hook) {
  void* const function = AskRealLoader(question);
  if (function == nullptr) return nullptr;
  if (IsOurs(function)) {
    // Preloaded we are in the program's scope. Where we stand in front of nothing, there is
    // nothing.
    return AnyOtherObjectDefines(hook.name) ? function : NotFoundByDlsym(hook.name);
  }
  if (IsBelowTheHooks(question.caller)) return function;
  void* const door = DoorTo(hook, function);
  if (door != nullptr) return door;
  CountLoss(shm::LossCounter::kCallerUnseen);
  return function;
}

}  // namespace flopsprof::injector

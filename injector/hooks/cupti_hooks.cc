// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// The program's own profiler comes first: CUPTI has one subscriber, so ours is given up before
// the program's is asked for. Ours goes to the real functions directly, never through here.

#include "injector/base/platform.h"
#include "injector/cupti/correlation_ids.h"
#include "injector/loader/real_function.h"
#include "injector/transport/session_calls.h"
#include "injector/transport/thread_state.h"

namespace flopsprof::injector {
namespace {

constexpr char kCupti[] = "libcupti.so";
constexpr int kCuptiNotInitialized = 15;

bool IsThePrograms() {
  const ThreadState* thread = CurrentThread();
  return thread == nullptr || !thread->inside_injector;
}

void MakeWay() {
  if (IsThePrograms()) YieldCupti();
}

}  // namespace
}  // namespace flopsprof::injector

using flopsprof::injector::kCupti;
using flopsprof::injector::kCuptiNotInitialized;
using flopsprof::injector::RealFunction;

FLOPSPROF_EXPORT int cuptiSubscribe(void* subscriber, void* callback, void* user_data) {
  static RealFunction real("cuptiSubscribe", kCupti);
  const void* caller = __builtin_return_address(0);
  auto* const function = reinterpret_cast<int (*)(void*, void*, void*)>(real.Enter(&caller));
  if (function == nullptr) return kCuptiNotInitialized;
  flopsprof::injector::MakeWay();
  return function(subscriber, callback, user_data);
}

FLOPSPROF_EXPORT int cuptiSubscribe_v2(void* subscriber, void* callback, void* user_data,
                                       void* parameters) {
  static RealFunction real("cuptiSubscribe_v2", kCupti);
  const void* caller = __builtin_return_address(0);
  auto* const function = reinterpret_cast<int (*)(void*, void*, void*, void*)>(real.Enter(&caller));
  if (function == nullptr) return kCuptiNotInitialized;
  flopsprof::injector::MakeWay();
  return function(subscriber, callback, user_data, parameters);
}

// Some clients use activities without a subscription: their buffers would replace ours.
FLOPSPROF_EXPORT int cuptiActivityRegisterCallbacks(void* requested, void* completed) {
  static RealFunction real("cuptiActivityRegisterCallbacks", kCupti);
  const void* caller = __builtin_return_address(0);
  auto* const function = reinterpret_cast<int (*)(void*, void*)>(real.Enter(&caller));
  if (function == nullptr) return kCuptiNotInitialized;
  flopsprof::injector::MakeWay();
  return function(requested, completed);
}

// Where the program's profiler has ended a later window of ours may have times again.
FLOPSPROF_EXPORT int cuptiUnsubscribe(void* subscriber) {
  static RealFunction real("cuptiUnsubscribe", kCupti);
  const void* caller = __builtin_return_address(0);
  auto* const function = reinterpret_cast<int (*)(void*)>(real.Enter(&caller));
  if (function == nullptr) return kCuptiNotInitialized;
  const int status = function(subscriber);
  if (status == 0 && flopsprof::injector::IsThePrograms()) {
    flopsprof::injector::NoteForeignCuptiClientGone();
  }
  return status;
}

// Takes CUPTI from everybody: ours is given up in good order before.
FLOPSPROF_EXPORT int cuptiFinalize() {
  static RealFunction real("cuptiFinalize", kCupti);
  const void* caller = __builtin_return_address(0);
  auto* const function = reinterpret_cast<int (*)()>(real.Enter(&caller));
  if (function == nullptr) return kCuptiNotInitialized;
  flopsprof::injector::MakeWay();
  const int status = function();
  flopsprof::injector::BeginNewCorrelations();
  if (status == 0 && flopsprof::injector::IsThePrograms()) {
    flopsprof::injector::NoteForeignCuptiClientGone();
  }
  return status;
}

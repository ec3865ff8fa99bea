// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// For load.py: starts and ends callgrind's counting; and a CUPTI subscriber that enables what the
// injector enables and throws everything away, which shows what the (stand-in) CUPTI itself costs.
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#endif

#include "injector/base/platform.h"
#include "injector/cupti/cupti_cbids.h"

FLOPSPROF_EXPORT void count_begin() {
#ifdef CALLGRIND_START_INSTRUMENTATION
  CALLGRIND_START_INSTRUMENTATION;
  CALLGRIND_ZERO_STATS;
#endif
}
FLOPSPROF_EXPORT void count_end([[maybe_unused]] const char* label) {
#ifdef CALLGRIND_START_INSTRUMENTATION
  CALLGRIND_DUMP_STATS_AT(label);
  CALLGRIND_STOP_INSTRUMENTATION;
#endif
}

namespace {

constexpr size_t kBufferBytes = 512 * 1024;  // as the injector's

void OnCallback(void*, int, uint32_t, const void*) {}
void OnRequested(uint8_t** buffer, size_t* bytes, size_t* records) {
  *buffer = static_cast<uint8_t*>(aligned_alloc(8, kBufferBytes));
  *bytes = kBufferBytes;
  *records = 0;
}
void OnCompleted(void*, uint32_t, uint8_t* buffer, size_t, size_t) { free(buffer); }

template <class... Arguments>
bool Call(void* library, const char* name, Arguments... arguments) {
  void* function = dlsym(library, name);
  return function != nullptr &&
         reinterpret_cast<int (*)(Arguments...)>(function)(arguments...) == 0;
}

}  // namespace

// 0: subscribed.
FLOPSPROF_EXPORT int null_subscriber_begin(const char* libcupti) {
  void* library = dlopen(libcupti, RTLD_LAZY);
  static void* subscriber;
  if (library == nullptr ||
      !Call(library, "cuptiSubscribe", &subscriber, &OnCallback, static_cast<void*>(nullptr)) ||
      !Call(library, "cuptiActivityRegisterCallbacks", &OnRequested, &OnCompleted)) {
    return 1;
  }
  for (const int kind : {10, 1, 2}) {  // CONCURRENT_KERNEL, MEMCPY, MEMSET
    if (!Call(library, "cuptiActivityEnable", kind)) return 1;
  }
  const auto enable = [&](int domain, const flopsprof::injector::CbidRange& range) {
    for (uint32_t cbid = range.first; cbid <= range.last; ++cbid) {
      Call(library, "cuptiEnableCallback", uint32_t{1}, subscriber, domain, cbid);
    }
  };
  // Whose callbacks the injector spares where they tell nothing that the driver's do not.
  const auto is_spared = [](uint32_t cbid) {
    for (const uint16_t spared : flopsprof::injector::kSparableCbids) {
      if (spared == cbid) return true;
    }
    return false;
  };
  for (const auto& range : flopsprof::injector::kRuntimeCbids) {
    for (uint16_t cbid = range.first; cbid <= range.last; ++cbid) {
      if (!is_spared(cbid)) enable(2, {cbid, cbid});
    }
  }
  for (const auto& range : flopsprof::injector::kDriverCbids) enable(1, range);
  return 0;
}

FLOPSPROF_EXPORT void null_subscriber_flush(const char* libcupti) {
  Call(dlopen(libcupti, RTLD_LAZY), "cuptiActivityFlushAll", uint32_t{0});
}

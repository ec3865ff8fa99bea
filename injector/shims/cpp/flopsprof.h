// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Names parts of a C++ program for flopsprof. Header only; C++11. Without a profiler a scope costs
// a nanosecond (NVTX's own no-op) or one branch.
//
//   void Layer() {
//     FLOPSPROF_SCOPE("layer");          // until the end of the block
//     ...
//   }
//   FLOPSPROF_SCOPE_VALUE("decode", n);  // its sum, least and greatest are reported
//   flopsprof::mark("evicted");          // counted, with the range and the step
//   for (...) { flopsprof::step(); ... } // a step begins here
//
// Uses NVTX 3 when its header is there, so that other tools see the ranges too; else the
// profiler's own functions. Needs -ldl on glibc before 2.34.

#include <dlfcn.h>
#include <stdint.h>

#if defined(__has_include)
#if __has_include(<nvtx3/nvToolsExt.h>) && !defined(FLOPSPROF_NO_NVTX)
#include <nvtx3/nvToolsExt.h>
#define FLOPSPROF_HAS_NVTX 1
#endif
#endif

namespace flopsprof {
namespace detail {

template <typename Function>
inline Function Find(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
}

inline void Push(const char* name) {
#ifdef FLOPSPROF_HAS_NVTX
  nvtxRangePushA(name);
#else
  static void (*const push)(const char*) = Find<void (*)(const char*)>("flopsprof_push");
  if (push != nullptr) push(name);
#endif
}

inline void PushValue(const char* name, int64_t value) {
#ifdef FLOPSPROF_HAS_NVTX
  nvtxEventAttributes_t event = nvtxEventAttributes_t();
  event.version = NVTX_VERSION;
  event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  event.messageType = NVTX_MESSAGE_TYPE_ASCII;
  event.message.ascii = name;
  event.payloadType = NVTX_PAYLOAD_TYPE_INT64;
  event.payload.llValue = value;
  nvtxRangePushEx(&event);
#else
  static void (*const push)(const char*, int64_t) =
      Find<void (*)(const char*, int64_t)>("flopsprof_push_value");
  if (push != nullptr) push(name, value);
#endif
}

inline void Pop() {
#ifdef FLOPSPROF_HAS_NVTX
  nvtxRangePop();
#else
  static void (*const pop)() = Find<void (*)()>("flopsprof_pop");
  if (pop != nullptr) pop();
#endif
}

}  // namespace detail

// A range on the calling thread for as long as the object lives; the name is copied.
class Scope {
 public:
  explicit Scope(const char* name) { detail::Push(name); }
  // With a number: tokens, rows ... of this one entry.
  Scope(const char* name, int64_t value) { detail::PushValue(name, value); }
  ~Scope() { detail::Pop(); }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;
};

// A step begins now.
inline void step() {
  static void (*const begin)() = detail::Find<void (*)()>("flopsprof_step");
  if (begin != nullptr) begin();
}

// Counts `name`, in the range that is open and the step.
inline void mark(const char* name) {
#ifdef FLOPSPROF_HAS_NVTX
  nvtxMarkA(name);
#else
  static void (*const count)(const char*) = detail::Find<void (*)(const char*)>("flopsprof_mark");
  if (count != nullptr) count(name);
#endif
}

// True while a profiler takes records.
inline bool active() {
  static int (*const ask)() = detail::Find<int (*)()>("flopsprof_active");
  return ask != nullptr && ask() != 0;
}

}  // namespace flopsprof

#define FLOPSPROF_CONCAT2(a, b) a##b
#define FLOPSPROF_CONCAT(a, b) FLOPSPROF_CONCAT2(a, b)
#define FLOPSPROF_SCOPE(name) ::flopsprof::Scope FLOPSPROF_CONCAT(flopsprof_scope_, __LINE__)(name)
#define FLOPSPROF_SCOPE_VALUE(name, value) \
  ::flopsprof::Scope FLOPSPROF_CONCAT(flopsprof_scope_, __LINE__)(name, value)

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/scopes/backward_callback.h"

#include <string.h>

#include <atomic>

#include "injector/record_sink.h"
#include "injector/scopes/scope_stack.h"
#include "injector/scopes/scope_table.h"
#include "injector/scopes/scopes.h"
#include "injector/scopes/torch_functions.h"

namespace flopsprof::injector {

namespace {

constexpr int kBackwardFunction = 1;      // at::RecordScope::BACKWARD_FUNCTION
constexpr uint32_t kSearchedBytes = 512;  // of at::RecordFunction, which is larger
constexpr uint32_t kWords = kSearchedBytes / 8;

// std::unique_ptr<at::ObserverContext>, always null. The destructor makes it be returned through
// memory, as the real one is.
struct NoContext {
  void* pointer;
  ~NoContext() {}
};

struct Search {
  std::atomic<bool> running{false};
  uint64_t sequence;
  uint64_t thread;
  uint32_t seen;
  bool sequence_fits[kWords];
  bool thread_fits[kWords];
};

Search g_search;
std::atomic<uint32_t> g_offsets{0};  // sequence << 16 | thread; 0: not followed
bool g_added;

uint64_t FieldAt(const void* record, uint32_t offset) {
  uint64_t value;
  memcpy(&value, static_cast<const char*>(record) + offset, sizeof(value));
  return value;
}

void Compare(const void* record) {
  ++g_search.seen;
  for (uint32_t i = 0; i < kWords; ++i) {
    const uint64_t value = FieldAt(record, 8 * i);
    if (value != g_search.sequence) g_search.sequence_fits[i] = false;
    if (value != g_search.thread) g_search.thread_fits[i] = false;
  }
}

uint32_t OnlyPlace(const bool* fits) {
  uint32_t place = 0, count = 0;
  for (uint32_t i = 0; i < kWords; ++i) {
    if (!fits[i]) continue;
    place = 8 * i;
    ++count;
  }
  return count == 1 ? place : 0;  // a record starts with other members: 0 is no place
}

NoContext NodeBegins(const void* record) {
  OnNodeBegins(record);
  return {nullptr};
}

void NodeEnds(const void*, void*) { OnNodeEnds(); }

}  // namespace

void OnNodeBegins(const void* record) {
  // Acquire; pairs with the release in ExpectNode.
  if (g_search.running.load(std::memory_order_acquire)) Compare(record);
  const uint32_t offsets = g_offsets.load(std::memory_order_relaxed);
  if (offsets == 0 || !ScopesEnabled()) return;
  ThreadScopes& thread = ThisThread();
  thread.BeginNode(FieldAt(record, offsets & 0xffff), FieldAt(record, offsets >> 16));
  if (!IsRecording()) return;
  EnsureScopeDefined(thread.CurrentScope());
  CountBackwardNodes(1);
}

void OnNodeEnds() {
  if (g_offsets.load(std::memory_order_relaxed) == 0 || !ScopesEnabled()) return;
  ThisThread().EndNode();
}

bool BeginFieldSearch() {
  if (g_torch.add_global_callback == nullptr || g_torch.next_sequence == nullptr) return false;
  if (!g_added) {
    RecordFunctionCallback callback = {};
    callback.start = reinterpret_cast<void*>(NodeBegins);
    callback.end = reinterpret_cast<void*>(NodeEnds);
    callback.sampling_probability = 1.0;
    callback.flags[kBackwardFunction] = true;
    g_torch.add_global_callback(callback);
    g_added = true;
  }
  g_search.seen = 0;
  memset(g_search.sequence_fits, 1, sizeof(g_search.sequence_fits));
  memset(g_search.thread_fits, 1, sizeof(g_search.thread_fits));
  return true;
}

void ExpectNode(uint64_t sequence, uint64_t thread_number) {
  g_search.sequence = sequence;
  g_search.thread = thread_number;
  g_search.running.store(true, std::memory_order_release);
}

uint64_t EndFieldSearch() {
  g_search.running.store(false, std::memory_order_relaxed);
  if (g_search.seen < 4) return 0;
  const uint64_t sequence = OnlyPlace(g_search.sequence_fits);
  const uint64_t thread = OnlyPlace(g_search.thread_fits);
  return sequence == 0 || thread == 0 ? 0 : sequence * 10000 + thread;
}

void FollowBackward(uint32_t sequence_offset, uint32_t thread_offset) {
  if (sequence_offset >= kSearchedBytes || thread_offset >= kSearchedBytes) return;
  g_offsets.store(sequence_offset << 16 | thread_offset, std::memory_order_relaxed);
}

}  // namespace flopsprof::injector

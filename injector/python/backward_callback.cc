// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/python/backward_callback.h"

#include <string.h>

#include <atomic>

#include "injector/base/mapped_memory.h"
#include "injector/python/backward_node.h"
#include "injector/python/field_search.h"
#include "injector/python/install.h"
#include "injector/scopes/torch_functions.h"

namespace flopsprof::injector {

namespace {

constexpr int kBackwardFunction = 1;      // at::RecordScope::BACKWARD_FUNCTION
constexpr uint32_t kSearchedBytes = 512;  // of at::RecordFunction, which is larger

// std::unique_ptr<at::ObserverContext>, always null. The destructor makes it be returned through
// memory, as the real one is.
struct NoContext {
  void* pointer;
  ~NoContext() {}
};

struct Expected {
  std::atomic<bool> running{false};
  uint64_t sequence;
  uint64_t thread;
};

Expected g_expected;
FieldSearch<kSearchedBytes> g_search;
std::atomic<uint32_t> g_offsets{0};  // sequence << 16 | thread; 0: not followed
bool g_added;

NoContext NodeBegins(const void* record) {
  OnNodeBegins(record);
  return {nullptr};
}

void NodeEnds(const void*, void*) { OnNodeEnds(); }

// 2.4 to 2.14: those whose RecordFunctionCallback is as torch_functions.h has it.
bool HasKnownLayout(const char* version) {
  if (version == nullptr || strncmp(version, "2.", 2) != 0) return false;
  uint32_t minor = 0;
  const char* at = version + 2;
  for (; *at >= '0' && *at <= '9' && minor < 100; ++at) {
    minor = 10 * minor + static_cast<uint32_t>(*at - '0');
  }
  return *at == '.' && minor >= 4 && minor <= 14;
}

}  // namespace

void OnNodeBegins(const void* record) {
  // Acquire; pairs with the release in ExpectNode.
  if (g_expected.running.load(std::memory_order_acquire)) {
    // Where it is smaller than what is searched, memory may end behind it.
    char copy[kSearchedBytes];
    if (ReadMapped(record, sizeof copy, copy)) {
      g_search.Compare(copy, g_expected.sequence, g_expected.thread);
    }
  }
  const uint32_t offsets = g_offsets.load(std::memory_order_relaxed);
  if (offsets == 0 || !ScopesEnabled()) return;
  BeginBackwardNode(&ThisThread(), FieldAt(record, offsets & 0xffff),
                    FieldAt(record, offsets >> 16));
}

void OnNodeEnds() {
  if (g_offsets.load(std::memory_order_relaxed) == 0 || !ScopesEnabled()) return;
  ThisThread().EndNode();
}

bool BeginFieldSearch(const char* torch_version) {
  if (!HasKnownLayout(torch_version)) return false;
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
  g_search.Begin();
  return true;
}

void ExpectNode(uint64_t sequence, uint64_t thread_number) {
  g_expected.sequence = sequence;
  g_expected.thread = thread_number;
  g_expected.running.store(true, std::memory_order_release);
}

uint64_t EndFieldSearch() {
  g_expected.running.store(false, std::memory_order_relaxed);
  return g_search.End();
}

void FollowBackward(uint32_t sequence_offset, uint32_t thread_offset) {
  if (sequence_offset >= kSearchedBytes || thread_offset >= kSearchedBytes) return;
  g_offsets.store(sequence_offset << 16 | thread_offset, std::memory_order_relaxed);
}

}  // namespace flopsprof::injector

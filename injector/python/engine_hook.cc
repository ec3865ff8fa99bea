// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/python/engine_hook.h"

#include <stddef.h>
#include <unistd.h>

#include <atomic>

#include "injector/base/elf_tables.h"
#include "injector/base/mapped_memory.h"
#include "injector/base/mapped_objects.h"
#include "injector/base/platform.h"
#include "injector/base/protected_pages.h"
#include "injector/python/backward_node.h"
#include "injector/python/field_search.h"
#include "injector/python/install.h"
#include "injector/python/rest.h"

// The unwinder calls this for the frame of EvaluateFollowed when the node's exception leaves it.
// It never stops one.
extern "C" __attribute__((visibility("hidden"), used)) int flopsprof_node_unwinds(int, int actions,
                                                                                  uint64_t, void*,
                                                                                  void*) {
  constexpr int kCleanupPhase = 2;    // _UA_CLEANUP_PHASE
  constexpr int kContinueUnwind = 8;  // _URC_CONTINUE_UNWIND
  if ((actions & kCleanupPhase) != 0) flopsprof::injector::ThisThread().EndNode();
  return kContinueUnwind;
}

namespace flopsprof::injector {
namespace {

constexpr char kEvaluate[] =
    "_ZN5torch8autograd6Engine17evaluate_functionERSt10shared_ptrINS0_9GraphTaskEEPNS0_4NodeERNS0_"
    "11InputBufferERKS2_INS0_10ReadyQueueEE";
constexpr uint32_t kSearchedBytes = 128;  // of a node, which is larger
constexpr size_t kPyObjectHead = 16;      // builds with the GIL

// Engine, graph task, node, inputs, queue: all by address.
using Evaluate = void (*)(void*, void*, const void*, void*, const void*);

// Where libtorch_cpu calls evaluate_function, and what it calls there.
struct Entry {
  Evaluate* place;
  Evaluate real;
  AddressRange object;
  AddressRange protected_pages;
};

Entry g_entry;
FieldSearch<kSearchedBytes> g_search;
std::atomic<uint32_t> g_offsets{0};  // sequence << 16 | thread; 0: not followed

// Never inlined: its frame is what unwinds.
FLOPSPROF_APART void EvaluateFollowed(void* engine, void* task, const void* node, void* inputs,
                                      const void* queue) {
  // 0x1b: relative to the place, four bytes.
  __asm__ volatile(".cfi_personality 0x1b, flopsprof_node_unwinds");
  const uint32_t offsets = g_offsets.load(std::memory_order_relaxed);
  ThreadScopes& thread = ThisThread();
  BeginBackwardNode(&thread, FieldAt(node, offsets & 0xffff), FieldAt(node, offsets >> 16));
  g_entry.real(engine, task, node, inputs, queue);
  thread.EndNode();
}

void OnEvaluate(void* engine, void* task, const void* node, void* inputs, const void* queue) {
  if (ScopesEnabled() && !NodesRest()) return EvaluateFollowed(engine, task, node, inputs, queue);
  return g_entry.real(engine, task, node, inputs, queue);
}

// False: this libtorch_cpu has no such function, or calls it without a slot.
bool FindEntryIn(const MappedObject& object, Entry* entry) {
  ElfTables tables;
  if (object.dynamic == nullptr || !tables.Read(object.base, object.dynamic)) return false;
  entry->real = reinterpret_cast<Evaluate>(tables.FindFunction(kEvaluate));
  if (entry->real == nullptr) return false;
  entry->place = reinterpret_cast<Evaluate*>(tables.FindLinkageSlot(kEvaluate));
  entry->object = object.all;
  entry->protected_pages = object.protected_pages;
  return entry->place != nullptr;
}

bool FindEntry(Entry* entry) {
  bool found = false;
  AnyMappedObject([entry, &found](const MappedObject& object) {
    if (!BeginsWith(FileName(object.path), "libtorch_cpu.so")) return false;
    found = FindEntryIn(object, entry);
    return true;
  });
  return found;
}

Evaluate Now() { return __atomic_load_n(g_entry.place, __ATOMIC_RELAXED); }

// The function itself, or the object's own linkage code: not bound yet.
bool IsTorchs(Evaluate value) {
  return g_entry.object.Contains(reinterpret_cast<uintptr_t>(value));
}

bool Write(Evaluate value) {
  ProtectedWriter writer(g_entry.protected_pages);
  return writer.Write(reinterpret_cast<void**>(g_entry.place), reinterpret_cast<void*>(value));
}

}  // namespace

bool BeginNodeSearch() {
  if (g_entry.place == nullptr) {
    Entry found{};
    if (!FindEntry(&found)) return false;
    g_entry = found;
  }
  g_search.Begin();
  return IsTorchs(Now());
}

void CompareNode(const void* grad_fn, uint64_t sequence, uint64_t thread_number) {
  const void* node = nullptr;
  uint64_t words[kSearchedBytes / 8];
  const void* const holder = static_cast<const char*>(grad_fn) + kPyObjectHead;
  if (!ReadMapped(holder, sizeof(node), &node) || !ReadMapped(node, sizeof(words), words)) return;
  g_search.Compare(words, sequence, thread_number);
}

uint64_t EndNodeSearch() { return g_search.End(); }

bool FollowEngine(uint32_t sequence_offset, uint32_t thread_offset) {
  if (sequence_offset >= kSearchedBytes || thread_offset >= kSearchedBytes) return false;
  g_offsets.store(sequence_offset << 16 | thread_offset, std::memory_order_relaxed);
  return Write(OnEvaluate);
}

bool EngineIsFollowed() { return g_offsets.load(std::memory_order_relaxed) != 0; }

void LeaveEngine() {
  if (g_offsets.load(std::memory_order_relaxed) != 0 && Now() == OnEvaluate) Write(g_entry.real);
}

void ReturnToEngine() {
  if (g_offsets.load(std::memory_order_relaxed) != 0 && IsTorchs(Now())) Write(OnEvaluate);
}

}  // namespace flopsprof::injector

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/python/engine_hook.h"

#include <link.h>
#include <stddef.h>
#include <unistd.h>

#include <atomic>

#include "injector/base/elf_tables.h"
#include "injector/base/mapped_memory.h"
#include "injector/base/platform.h"
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

struct Entry {
  Evaluate* place;
  Evaluate real;
  uintptr_t object_begin, object_end;
  ProtectedRange protected_pages;
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

void ReadObject(const dl_phdr_info& info, Entry* entry) {
  const ElfW(Dyn)* dynamic = nullptr;
  entry->object_begin = UINTPTR_MAX;
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const auto& part = info.dlpi_phdr[i];
    const uintptr_t begin = info.dlpi_addr + part.p_vaddr;
    const uintptr_t end = begin + part.p_memsz;
    if (part.p_type == PT_DYNAMIC) dynamic = reinterpret_cast<const ElfW(Dyn)*>(begin);
    if (part.p_type == PT_LOAD) {
      if (begin < entry->object_begin) entry->object_begin = begin;
      if (end > entry->object_end) entry->object_end = end;
    }
    if (part.p_type == PT_GNU_RELRO) entry->protected_pages = ProtectedRangeOf(begin, end);
  }
  ElfTables tables;
  if (dynamic == nullptr || !tables.Read(info.dlpi_addr, dynamic)) return;
  entry->real = reinterpret_cast<Evaluate>(tables.FindFunction(kEvaluate));
  if (entry->real == nullptr) return;
  for (size_t i = 0; i < tables.plt_relocation_count; ++i) {
    const auto& relocation = tables.plt_relocations[i];
    const auto& symbol = tables.symbols[ELF64_R_SYM(relocation.r_info)];
    if (ELF64_R_TYPE(relocation.r_info) != R_X86_64_JUMP_SLOT ||
        !SameText(tables.strings + symbol.st_name, kEvaluate)) {
      continue;
    }
    entry->place = reinterpret_cast<Evaluate*>(info.dlpi_addr + relocation.r_offset);
    return;
  }
}

int Visit(dl_phdr_info* info, size_t, void* entry) {
  if (info->dlpi_name == nullptr || !BeginsWith(FileName(info->dlpi_name), "libtorch_cpu.so")) {
    return 0;
  }
  ReadObject(*info, static_cast<Entry*>(entry));
  return 1;
}

Evaluate Now() { return __atomic_load_n(g_entry.place, __ATOMIC_RELAXED); }

// The function itself, or the object's own linkage code: not bound yet.
bool IsTorchs(Evaluate value) {
  const auto address = reinterpret_cast<uintptr_t>(value);
  return address >= g_entry.object_begin && address < g_entry.object_end;
}

bool Write(Evaluate value) {
  ProtectedWriter writer(g_entry.protected_pages);
  return writer.Write(reinterpret_cast<void**>(g_entry.place), reinterpret_cast<void*>(value));
}

}  // namespace

bool BeginNodeSearch() {
  if (g_entry.place == nullptr) {
    Entry found{};
    dl_iterate_phdr(Visit, &found);
    if (found.place == nullptr) return false;
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

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/base/mapped_objects.h"

#include <atomic>

#include "injector/base/platform.h"
#include "injector/base/protected_pages.h"

namespace flopsprof::injector {
namespace {

void Extend(AddressRange* range, uintptr_t begin, uintptr_t end) {
  const bool is_empty = range->end == 0;
  if (is_empty || begin < range->begin) range->begin = begin;
  if (end > range->end) range->end = end;
}

// A fork's child has the loader's lock of the list for ever if a walk was on when it was made.
constexpr uint64_t kWaitNs = 200000000u;
constexpr uint64_t kPollNs = 50000;
std::atomic<int> walks{0};  // that are on
std::atomic<int> forks{0};  // that wait, or are being made

bool WaitForNone(const std::atomic<int>& count) {
  const uint64_t until_ns = MonoNs() + kWaitNs;
  while (count.load(std::memory_order_seq_cst) != 0) {
    if (MonoNs() > until_ns) return false;
    SleepNs(kPollNs);
  }
  return true;
}

// Either a fork sees the walk, or the walk sees the fork.
class WalkScope {
 public:
  WalkScope() {
    for (;;) {
      walks.fetch_add(1, std::memory_order_seq_cst);
      if (forks.load(std::memory_order_seq_cst) == 0) return;
      walks.fetch_sub(1, std::memory_order_seq_cst);
      if (!WaitForNone(forks)) break;
    }
    walks.fetch_add(1, std::memory_order_seq_cst);
  }
  ~WalkScope() { walks.fetch_sub(1, std::memory_order_seq_cst); }
};

struct Walk {
  ObjectVisitor visit;
  void* data;
};

int VisitOne(dl_phdr_info* info, size_t, void* data) {
  const auto* walk = static_cast<const Walk*>(data);
  const MappedObject object =
      DescribeMappedObject(info->dlpi_name, info->dlpi_addr, info->dlpi_phdr, info->dlpi_phnum);
  return walk->visit(object, walk->data) ? 1 : 0;
}

}  // namespace

MappedObject DescribeMappedObject(const char* path, uintptr_t base, const ElfW(Phdr) * segments,
                                  size_t segment_count) {
  MappedObject object;
  object.path = path == nullptr ? "" : path;
  object.base = base;
  object.segments = segments;
  object.segment_count = segment_count;
  for (size_t i = 0; i < segment_count; ++i) {
    const ElfW(Phdr)& segment = segments[i];
    const uintptr_t begin = object.AddressOf(segment);
    const uintptr_t end = begin + segment.p_memsz;
    switch (segment.p_type) {
      case PT_DYNAMIC:
        object.dynamic = reinterpret_cast<const ElfW(Dyn)*>(begin);
        break;
      case PT_LOAD:
        Extend(&object.all, begin, end);
        if ((segment.p_flags & PF_W) != 0) Extend(&object.writable, begin, end);
        break;
      case PT_GNU_RELRO:
        object.protected_pages = ProtectedRangeOf(begin, end);
        break;
      default:
        break;
    }
  }
  return object;
}

bool VisitMappedObjects(ObjectVisitor visit, void* data) {
  const WalkScope scope;
  Walk walk{visit, data};
  return dl_iterate_phdr(VisitOne, &walk) == 1;
}

bool FindMappedObject(const void* address, MappedObject* found) {
  return AnyMappedObject([address, found](const MappedObject& object) {
    if (!object.all.Contains(address)) return false;
    *found = object;
    return true;
  });
}

uint64_t CountObjectsEverMapped() {
  uint64_t count = 0;
  const auto visit = [](dl_phdr_info* info, size_t, void* data) {
    *static_cast<uint64_t*>(data) = info->dlpi_adds;
    return 1;  // every object tells it
  };
  const WalkScope scope;
  dl_iterate_phdr(visit, &count);
  return count;
}

void HoldWalks() {
  forks.fetch_add(1, std::memory_order_seq_cst);
  WaitForNone(walks);
}

void LetWalks() { forks.fetch_sub(1, std::memory_order_seq_cst); }

void ForgetWalks() {
  walks.store(0, std::memory_order_seq_cst);
  forks.store(0, std::memory_order_seq_cst);
}

}  // namespace flopsprof::injector

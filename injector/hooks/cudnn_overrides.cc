// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/hooks/cudnn_overrides.h"

#include <string.h>

namespace flopsprof::injector {
namespace {

// A std::vector as every C++ library of this system lays it out.
template <class Element>
struct Vector {
  const Element* begin;
  const Element* end;
  const Element* room_end;

  // -1: no vector.
  int64_t size() const {
    const auto from = reinterpret_cast<uintptr_t>(begin);
    const auto to = reinterpret_cast<uintptr_t>(end);
    const auto room = reinterpret_cast<uintptr_t>(room_end);
    const bool sane = from <= to && to <= room && (to - from) % sizeof(Element) == 0 &&
                      from % alignof(Element) == 0 && (from != 0 || to == 0);
    return sane ? static_cast<int64_t>((to - from) / sizeof(Element)) : -1;
  }
};

}  // namespace

CudnnOverrideTable::Entry* CudnnOverrideTable::Take(const void* pack) {
  Entry* free = nullptr;
  for (Entry& entry : entries_) {
    if (entry.pack == pack) return &entry;
    if (entry.pack == nullptr && free == nullptr) free = &entry;
  }
  if (free == nullptr) {
    full_.store(true, std::memory_order_relaxed);
    return nullptr;
  }
  memset(&free->overrides, 0, sizeof free->overrides);
  free->shapes = 0;
  free->pack = pack;
  used_.fetch_add(1, std::memory_order_relaxed);
  return free;
}

// A forked child has packs, too; a thread that it does not have may have held the lock.
bool CudnnOverrideTable::Lock() {
  constexpr uint64_t kMaxWaitNs = 10'000'000;
  if (lock_.LockWithin(kMaxWaitNs)) return true;
  full_.store(true, std::memory_order_relaxed);
  return false;
}

void CudnnOverrideTable::NoteIds(const void* pack, const int64_t* uids, int64_t count) {
  if (count <= 0 || uids == nullptr || !Lock()) return;
  Entry* entry = Take(pack);
  if (entry != nullptr) SetIds(uids, count, entry);
  lock_.Unlock();
}

void CudnnOverrideTable::SetIds(const int64_t* uids, int64_t count, Entry* entry) {
  CudnnOverrides& overrides = entry->overrides;
  overrides.tensors = count <= CudnnOverrides::kMaxTensors ? static_cast<uint32_t>(count) : 1;
  overrides.readable = count <= CudnnOverrides::kMaxTensors;
  for (uint32_t i = 0; overrides.readable && i < overrides.tensors; ++i) {
    overrides.uids[i] = uids[i];
  }
}

void CudnnOverrideTable::NoteShapes(const void* pack, const void* elements) {
  const auto* shapes = static_cast<const Vector<Vector<int64_t>>*>(elements);
  if (shapes == nullptr || shapes->size() == 0 || !Lock()) return;
  Entry* entry = Take(pack);
  if (entry != nullptr) SetShapes(elements, entry);
  lock_.Unlock();
}

void CudnnOverrideTable::SetShapes(const void* elements, Entry* entry) {
  const auto* shapes = static_cast<const Vector<Vector<int64_t>>*>(elements);
  CudnnOverrides& overrides = entry->overrides;
  const int64_t count = shapes->size();
  overrides.has_sizes = count > 0 && count <= CudnnOverrides::kMaxTensors;
  for (int64_t i = 0; overrides.has_sizes && i < count; ++i) {
    const Vector<int64_t>& shape = shapes->begin[i];
    const int64_t rank = shape.size();
    if (rank < 1 || rank > CudnnOverrides::kMaxRank) {
      overrides.has_sizes = false;
      break;
    }
    overrides.ranks[i] = static_cast<uint8_t>(rank);
    memcpy(overrides.sizes[i], shape.begin, static_cast<size_t>(rank) * sizeof(int64_t));
  }
  entry->shapes = count;
}

void CudnnOverrideTable::Remove(const void* pack) {
  if (used_.load(std::memory_order_relaxed) == 0) return;
  if (!Lock()) return;
  for (Entry& entry : entries_) {
    if (entry.pack != pack) continue;
    entry.pack = nullptr;
    used_.fetch_sub(1, std::memory_order_relaxed);
  }
  lock_.Unlock();
}

bool CudnnOverrideTable::Find(const void* pack, CudnnOverrides* overrides) {
  const bool full = full_.load(std::memory_order_relaxed);
  if (used_.load(std::memory_order_relaxed) == 0 && !full) return false;
  BriefLockHolder hold(&lock_);
  for (const Entry& entry : entries_) {
    if (entry.pack != pack) continue;
    *overrides = entry.overrides;
    // More or fewer shapes than ids: nobody knows which is whose.
    overrides->readable =
        overrides->readable && overrides->has_sizes && entry.shapes == overrides->tensors;
    return true;
  }
  overrides->tensors = 1;
  overrides->readable = false;
  return full;
}

}  // namespace flopsprof::injector

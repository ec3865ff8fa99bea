// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/hooks/cudnn/cudnn_overrides.h"

#include <string.h>

#include "injector/base/mapped_memory.h"

namespace flopsprof::injector {
namespace {

// A std::vector as every C++ library of this system lays it out.
struct Vector {
  uintptr_t begin;
  uintptr_t end;
  uintptr_t room_end;

  // -1: no vector of elements of so many bytes.
  int64_t size(size_t element_bytes) const {
    const bool sane = begin <= end && end <= room_end && (end - begin) % element_bytes == 0 &&
                      begin % alignof(int64_t) == 0 && (begin != 0 || end == 0);
    return sane ? static_cast<int64_t>((end - begin) / element_bytes) : -1;
  }
};

bool Read(uintptr_t from, size_t bytes, bool trusted, void* to) {
  const auto* const address = reinterpret_cast<const void*>(from);
  if (!trusted) return ReadMapped(address, bytes, to);
  memcpy(to, address, bytes);
  return true;
}

}  // namespace

void CudnnOverrideTable::Pack::Forget() {
  memset(&overrides, 0, sizeof overrides);
  ids_readable = false;
  shapes = 0;
}

// More or fewer shapes than ids: nobody knows which is whose.
void CudnnOverrideTable::Pack::Settle() {
  overrides.readable = ids_readable && shapes == overrides.tensors;
}

CudnnOverrideTable::Pack* CudnnOverrideTable::Take(const void* pack) {
  if (pack == nullptr) return nullptr;
  const uint64_t key = AddressKey(pack);
  if (Pack* known = packs_.Find(key)) return known;
  if (refused_.Find(key) != nullptr) return nullptr;
  any_.store(true, std::memory_order_relaxed);
  if (Pack* added = packs_.FindOrAdd(key)) return added;
  if (refused_.FindOrAdd(key) == nullptr) lost_.store(true, std::memory_order_relaxed);
  return nullptr;
}

void CudnnOverrideTable::NoteIds(const void* pack, const int64_t* uids, int64_t count) {
  if (count <= 0 || uids == nullptr) return;
  Pack* const taken = Take(pack);
  if (taken == nullptr) return;
  CudnnOverrides& overrides = taken->overrides;
  taken->ids_readable = count <= CudnnOverrides::kMaxTensors;
  overrides.tensors = taken->ids_readable ? static_cast<uint32_t>(count) : 1;
  if (taken->ids_readable) memcpy(overrides.uids, uids, static_cast<size_t>(count) * sizeof *uids);
  taken->Settle();
}

void CudnnOverrideTable::NoteShapes(const void* pack, const void* elements, bool trusted) {
  Vector shapes{};
  if (elements == nullptr) return;
  const bool mapped = Read(reinterpret_cast<uintptr_t>(elements), sizeof shapes, trusted, &shapes);
  if (mapped && shapes.size(sizeof(Vector)) == 0) return;
  Pack* const taken = Take(pack);
  if (taken == nullptr) return;
  taken->shapes = mapped ? shapes.size(sizeof(Vector)) : -1;
  if (!ReadShapes(shapes.begin, taken->shapes, trusted, &taken->overrides)) taken->shapes = -1;
  if (taken->overrides.tensors == 0) taken->overrides.tensors = 1;  // there are some
  taken->Settle();
}

bool CudnnOverrideTable::ReadShapes(uintptr_t at, int64_t count, bool trusted,
                                    CudnnOverrides* overrides) {
  if (count < 1 || count > CudnnOverrides::kMaxTensors) return false;
  Vector shapes[CudnnOverrides::kMaxTensors];
  if (!Read(at, static_cast<size_t>(count) * sizeof(Vector), trusted, shapes)) return false;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t rank = shapes[i].size(sizeof(int64_t));
    if (rank < 1 || rank > CudnnOverrides::kMaxRank) return false;
    overrides->ranks[i] = static_cast<uint8_t>(rank);
    if (!Read(shapes[i].begin, static_cast<size_t>(rank) * sizeof(int64_t), trusted,
              overrides->sizes[i])) {
      return false;
    }
  }
  return true;
}

void CudnnOverrideTable::Remove(const void* pack) {
  if (pack == nullptr || !any_.load(std::memory_order_relaxed)) return;
  if (!packs_.Remove(AddressKey(pack))) refused_.Remove(AddressKey(pack));
}

const CudnnOverrides* CudnnOverrideTable::Find(const void* pack) {
  static constexpr CudnnOverrides kUnreadable = {1, false, {}, {}, {}};
  if (pack == nullptr || !any_.load(std::memory_order_relaxed)) return nullptr;
  const uint64_t key = AddressKey(pack);
  if (const Pack* known = packs_.Find(key)) return &known->overrides;
  const bool refused = lost_.load(std::memory_order_relaxed) || refused_.Find(key) != nullptr;
  return refused ? &kUnreadable : nullptr;
}

}  // namespace flopsprof::injector

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/python/address_set.h"

#include <stdlib.h>

#include "injector/python/module_edges.h"

namespace flopsprof::injector {
namespace {

constexpr uint32_t kFirstPlaces = 256;  // a power of two

// Where the address is, or where it would be put.
uint32_t PlaceOfAddress(const void* const* places, uint32_t mask, const void* address) {
  uint32_t i = HashAddress(address, 0) & mask;
  while (places[i] != nullptr && places[i] != address) i = (i + 1) & mask;
  return i;
}

}  // namespace

bool AddressSet::Contains(const void* address) const {
  return count_ != 0 && places_[PlaceOfAddress(places_, mask_, address)] == address;
}

bool AddressSet::Grow() {
  const uint32_t old_size = places_ == nullptr ? 0 : mask_ + 1;
  const uint32_t size = old_size == 0 ? kFirstPlaces : old_size * 2;
  auto** fresh = static_cast<const void**>(calloc(size, sizeof(void*)));
  if (fresh == nullptr) return false;
  for (uint32_t i = 0; i < old_size; ++i) {
    if (places_[i] != nullptr) fresh[PlaceOfAddress(fresh, size - 1, places_[i])] = places_[i];
  }
  free(places_);
  places_ = fresh;
  mask_ = size - 1;
  return true;
}

bool AddressSet::Add(const void* address) {
  if (Contains(address)) return false;
  const bool is_full = places_ == nullptr || (count_ + 1) * 2 > mask_ + 1;
  if (is_full && !Grow()) return false;
  places_[PlaceOfAddress(places_, mask_, address)] = address;
  ++count_;
  return true;
}

void AddressSet::Clear() {
  free(places_);
  places_ = nullptr;
  mask_ = count_ = 0;
}

}  // namespace flopsprof::injector

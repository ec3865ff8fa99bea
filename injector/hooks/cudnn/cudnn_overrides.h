// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Sizes that a variant pack gives in place of the plan's own. The pack does not tell them again,
// so they are noted as they are set (cudnnBackendSetAttribute), ids and shapes in any order, and
// also before anything is recorded. No lock: a program sets, executes and destroys one pack in an
// order of its own, and a forked child destroys packs, too.

#include <stddef.h>
#include <stdint.h>

#include <atomic>

#include "injector/base/address_table.h"

namespace flopsprof::injector {

struct CudnnOverrides {
  static constexpr uint32_t kMaxTensors = 32;
  static constexpr uint32_t kMaxRank = 8;  // CUDNN_DIM_MAX

  uint32_t tensors;  // 0: none
  bool readable;     // false: sizes are overridden, nobody knows to what
  int64_t uids[kMaxTensors];
  uint8_t ranks[kMaxTensors];
  int64_t sizes[kMaxTensors][kMaxRank];
};

class CudnnOverrideTable {
 public:
  constexpr CudnnOverrideTable() = default;

  void NoteIds(const void* pack, const int64_t* uids, int64_t count);
  // `elements`: what the caller passes as CUDNN_ATTR_VARIANT_PACK_OVERRIDE_SHAPES, a
  // std::vector<std::vector<int64_t>> with one vector for each id. `trusted`: of a library that is
  // known to take it so. Else what lies there is read only where memory is mapped, and what is no
  // such vector is not readable.
  void NoteShapes(const void* pack, const void* elements, bool trusted);
  void Remove(const void* pack);

  // nullptr: the pack overrides nothing. Valid as long as the pack. One load while no pack ever
  // did.
  const CudnnOverrides* Find(const void* pack);

 private:
  struct Pack {
    CudnnOverrides overrides{};
    bool ids_readable = false;
    int64_t shapes = 0;  // number of them; 0: not set, -1: not readable
    void Forget();
    void Settle();
  };
  struct Nothing {
    void Forget() {}
  };

  Pack* Take(const void* pack);
  static bool ReadShapes(uintptr_t at, int64_t count, bool trusted, CudnnOverrides* overrides);

  std::atomic<bool> any_{false};
  AddressTable<Pack, 64, 6> packs_;        // 87,000 alive at once
  AddressTable<Nothing, 256, 7> refused_;  // those that found no room: not readable
  // True for good: a pack with overrides had no room in either table. So any pack that is in
  // neither table may be the lost one, and each execution with such a pack is counted as unknown.
  // This takes more than a million packs at once.
  std::atomic<bool> lost_{false};
};

}  // namespace flopsprof::injector

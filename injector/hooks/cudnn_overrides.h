// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Sizes that a variant pack gives in place of the plan's own. The pack does not tell them again,
// so they are noted as they are set (cudnnBackendSetAttribute), ids and shapes in any order, and
// also before anything is recorded.

#include <stddef.h>
#include <stdint.h>

#include <atomic>

#include "injector/platform.h"

namespace flopsprof::injector {

struct CudnnOverrides {
  static constexpr uint32_t kMaxTensors = 32;
  static constexpr uint32_t kMaxRank = 8;  // CUDNN_DIM_MAX

  uint32_t tensors;  // 0: none
  bool readable;     // false: sizes are overridden, nobody knows to what
  bool has_sizes;
  int64_t uids[kMaxTensors];
  uint8_t ranks[kMaxTensors];
  int64_t sizes[kMaxTensors][kMaxRank];
};

class CudnnOverrideTable {
 public:
  constexpr CudnnOverrideTable() = default;

  void NoteIds(const void* pack, const int64_t* uids, int64_t count);
  // `elements`: what the caller passes as CUDNN_ATTR_VARIANT_PACK_OVERRIDE_SHAPES, a
  // std::vector<std::vector<int64_t>> with one vector for each id.
  void NoteShapes(const void* pack, const void* elements);
  void Remove(const void* pack);

  // False: the pack overrides nothing. One load when no pack does.
  bool Find(const void* pack, CudnnOverrides* overrides);

 private:
  static constexpr uint32_t kPacks = 64;  // alive at once: about one a thread

  struct Entry {
    const void* pack;
    CudnnOverrides overrides;
    int64_t shapes;  // number of them; 0: not set
  };

  bool Lock();
  Entry* Take(const void* pack);
  static void SetIds(const int64_t* uids, int64_t count, Entry* entry);
  static void SetShapes(const void* elements, Entry* entry);

  BriefLock lock_;
  std::atomic<uint32_t> used_{0};
  std::atomic<bool> full_{false};  // once: packs that are not in the table may override, too
  Entry entries_[kPacks] = {};
};

}  // namespace flopsprof::injector

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Finds out what a plan computes if the library does not describe it (cuDNN 8, or an engine that
// refuses). The operations that a program puts into a graph are followed over heuristics, engine
// and configuration to the plan. With cuDNN 8 this is on from the start, otherwise from the first
// refusal on. So it costs nothing for a library that describes its plans.

#include <stddef.h>
#include <stdint.h>

#include <atomic>

namespace flopsprof::injector {

class CudnnFollower {
 public:
  // Off: one load.
  bool on(const void* caller) {
    const uint8_t state = state_.load(std::memory_order_relaxed);
    return state == kOn || (state == kNotAsked && AskVersion(caller));
  }
  void TurnOn() { state_.store(kOn, std::memory_order_relaxed); }

  // After the library has accepted them. A tensor may have its lengths on the device; it cannot be
  // asked (cuDNN 9.24 crashes when it has none), so they are noted as they are set, also while this
  // is off.
  void NoteRagged(const void* descriptor, int name, int type, int64_t count, const void* elements);
  void OnSet(const void* caller, const void* descriptor, int name, int type, int64_t count,
             const void* elements);
  void OnGet(const void* descriptor, int name, int type, int64_t count, const void* elements);
  void OnDestroy(const void* descriptor);

  // Id under which the reader knows what the plan computes, 0: nobody knows.
  uint32_t IdOf(const void* plan) const;

 private:
  static constexpr uint8_t kNotAsked = 0, kOff = 1, kOn = 2;
  bool AskVersion(const void* caller);

  std::atomic<uint8_t> state_{kNotAsked};
  std::atomic<bool> any_ragged_{false};
};

// Text of the operations as an operation graph in the library's form, in `room`. Bytes; 0: it
// does not fit. `may_be_ragged`: lengths of tensors may be on the device.
size_t WriteCudnnOperations(const void* caller, const void* const* operations, int64_t count,
                            bool may_be_ragged, char* room, size_t bytes);

extern CudnnFollower cudnn_follower;

}  // namespace flopsprof::injector

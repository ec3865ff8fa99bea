// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Learns which parts of a training loop make one turn of it.
//
// A part is the work from a forward to the optimizers that step after it. It is known here by the
// set of these optimizers, one bit each. If some optimizer steps in all parts, each part is a turn.
// Otherwise a turn is the shortest cycle in which the sets repeat: critic, critic, generator.
// Before anything has repeated, all parts so far are one turn, unless they are too many for that,
// or the last two are the same.
//
// Pure: no records, no locks, no allocation.

#include <stdint.h>

namespace flopsprof::injector {

class StepCycle {
 public:
  static constexpr uint32_t kMostParts = 256;
  static constexpr uint32_t kLongestPeriod = kMostParts / 2;
  static constexpr uint32_t kMostUnrepeated = 32;

  // Optimizers have stepped in the newest part; again for the same part as more of them do.
  void SetPart(uint64_t optimizers);

  // The newest part has ended. True: parts are counted anew from here on, because the parts so far
  // do not fit the learned cycle, or because no more parts can be kept.
  bool EndPart();

  // A part begins: is it the first of a turn? Always true while nothing is learned.
  bool AtBegin() const { return !learned_ || position_ == 0; }
  // Has the newest part all that it had in the cycle's last turn, and is the turn over with it?
  bool TurnIsOver() const;

  // Have two whole turns of several parts been seen? Then the first turn is over, even if more was
  // expected of it.
  bool HasComeTwice() const { return period_ > 1 && count_ >= 2 * period_; }
  bool learned() const { return learned_; }
  // Some optimizer has stepped in all parts.
  bool EachPartIsATurn() const { return count_ > 0 && common_[count_ - 1] != 0; }
  // Number of parts since counting began. Counting stops once the cycle is learned.
  uint32_t count() const { return count_; }
  // Turn of a part, both from 0.
  uint32_t TurnOf(uint32_t part) const { return part / period_; }
  // Different optimizers in the parts since they are counted.
  uint32_t OptimizerCount() const { return static_cast<uint32_t>(__builtin_popcountll(any_)); }

  void Forget() { *this = StepCycle(); }

 private:
  void Add(uint64_t optimizers);
  void Learn();

  uint64_t parts_[kMostParts] = {};
  uint16_t border_[kMostParts] = {};  // of the first i + 1 parts: longest begin that is an end
  uint64_t common_[kMostParts] = {};  // optimizers of all of the first i + 1 parts
  uint64_t any_ = 0;
  uint64_t newest_ = 0;  // optimizers of the newest part, learned or not
  uint32_t count_ = 0;
  uint32_t period_ = 1;
  uint32_t position_ = 0;  // learned: of the newest part in the cycle
  bool open_ = false;      // the newest part is the last one in parts_
  bool learned_ = false;
};

}  // namespace flopsprof::injector

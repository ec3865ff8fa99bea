// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/scopes/step_cycle.h"

namespace flopsprof::injector {

void StepCycle::Add(uint64_t optimizers) {
  const uint32_t i = count_++;
  parts_[i] = optimizers;
  any_ |= optimizers;
  common_[i] = i == 0 ? optimizers : common_[i - 1] & optimizers;
  // The failure function of Knuth, Morris and Pratt: the shortest period is what it leaves.
  uint32_t border = i == 0 ? 0 : border_[i - 1];
  while (border > 0 && parts_[i] != parts_[border]) border = border_[border - 1];
  if (i > 0 && parts_[i] == parts_[border]) ++border;
  border_[i] = static_cast<uint16_t>(border);
}

void StepCycle::Learn() {
  period_ = 1;
  if (count_ == 0 || common_[count_ - 1] != 0) return;
  const uint32_t period = count_ - border_[count_ - 1];
  if (period > kLongestPeriod) return;
  const bool repeated = period < count_;
  const bool changed_over = parts_[count_ - 1] == parts_[count_ - 2];
  if (!repeated && (changed_over || count_ > kMostUnrepeated)) return;
  period_ = period;
}

void StepCycle::SetPart(uint64_t optimizers) {
  newest_ = optimizers;
  if (learned_) return;
  if (open_) --count_;
  open_ = true;
  Add(optimizers);
  Learn();
}

bool StepCycle::EndPart() {
  const bool was_learned = learned_;
  const bool fits = was_learned && newest_ == parts_[position_];
  const bool full = !was_learned && count_ == kMostParts;
  open_ = false;
  newest_ = 0;
  if (fits) {
    position_ = (position_ + 1) % period_;
    return false;
  }
  if (was_learned || full) {
    Forget();
    return true;
  }
  if (HasComeTwice()) {
    learned_ = true;
    position_ = count_ % period_;
  }
  return false;
}

bool StepCycle::TurnIsOver() const {
  if (learned_) {
    return position_ + 1 == period_ && (newest_ & parts_[position_]) == parts_[position_];
  }
  if (count_ < 2 || period_ > 1) return true;  // nothing has come again: who knows
  const uint64_t common = common_[count_ - 2];
  return common == 0 || (parts_[count_ - 1] & common) == common;
}

}  // namespace flopsprof::injector

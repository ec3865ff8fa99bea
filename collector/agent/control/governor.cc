// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/control/governor.h"

#include <algorithm>

namespace flopsprof::agent {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;
// To take CUPTI and to give it back takes most of a second: shorter windows are little but that.
constexpr uint64_t kLeastWindowNs = 2 * kSecond;
constexpr uint64_t kLeastGapNs = 5 * kSecond;
// The first window holds the start of the program: the next is dearer.
constexpr double kFirstIsLess = 2;
// A window ends with a step. A job without one for so long, and for two of its usual steps (a
// checkpoint, an evaluation), would go on paying: it is cut.
constexpr uint64_t kMostClosingNs = 10 * kSecond;
constexpr uint64_t kMostClosingSteps = 2;
// A window begins two steps after it was asked for, or some more.
constexpr uint64_t kMostWaitingNs = 30 * kSecond;
constexpr uint64_t kMostWaitingSteps = 5;
// As long as that nobody calls it a sample.
constexpr uint64_t kFullNs = 30 * kSecond;
// Where no window can be paid for, one looks now and then whether the job has become another, for
// this part of the budget.
constexpr uint64_t kLeastProbeGapNs = 60 * kSecond;
constexpr double kProbeShare = 0.1;
// The estimate is none to the percent; what is over at the end of a window is not earned before it.
constexpr double kUsable = 0.9;
// Time whose budget may be saved: a job that has waited for an hour is not recorded for minutes.
constexpr double kMostSavedNs = 20.0 * kSecond;
// Below zero by the budget of so much time: costs that come in lumps close nothing.
constexpr double kSlackNs = 2.0 * kSecond;

}  // namespace

Governor::Action Governor::Follow(const Tick& tick) {
  if (!begun_) {
    begun_ = true;
    last_ns_ = since_ns_ = tick.now_ns;
    window_ = tick.window;
    return Action::kNone;
  }
  const uint64_t period_ns = tick.now_ns - std::min(tick.now_ns, last_ns_);
  last_ns_ = tick.now_ns;
  Book(tick, period_ns);
  const Action action = Decide(tick);
  FollowLevel(tick, period_ns);
  return action;
}

void Governor::Book(const Tick& tick, uint64_t period_ns) {
  FollowWindow(tick);
  double earned_ns = budget_ * kUsable * static_cast<double>(period_ns);
  double spent_ns = tick.spent_ns;
  if (tick.window == Window::kClosed) {
    floor_is_too_high_ = period_ns > 0 && tick.floor_ns >= earned_ns;
    // No pause pays for it: the report says that the budget is too small.
    spent_ns -= std::min(tick.floor_ns, spent_ns);
    earned_ns = std::max(0.0, earned_ns - tick.floor_ns);
  }
  if (tick.window == Window::kOpen) {
    if (period_ns >= kSecond / 2) {
      dearest_ = std::max(dearest_, spent_ns / static_cast<double>(period_ns));
    }
  } else if (tick.window == Window::kWaiting) {
    wait_ns_ += spent_ns;
  } else if (tick.window == Window::kClosing || tick.now_ns - since_ns_ < kLeastGapNs) {
    tail_ns_ += spent_ns;  // some of it is told late
  }
  account_ns_ += earned_ns - spent_ns;
  account_ns_ = std::min(account_ns_, std::max(NeededNs(), budget_ * kMostSavedNs));
}

void Governor::FollowWindow(const Tick& tick) {
  if (tick.window == window_) return;
  // Of a window that closes: since it was asked to.
  since_ns_ = tick.now_ns;
  if (tick.window == Window::kOpen) dearest_ = 0;
  if (tick.window == Window::kOpen || tick.window == Window::kWaiting) asked_to_close_ = false;
  const bool begins = window_ == Window::kClosed;
  if (begins) wait_ns_ = 0;
  if (!begins && window_ != Window::kClosing && tick.window != Window::kOpen) tail_ns_ = 0;
  window_ = tick.window;
}

// For the shortest window, at the price of the dearest moment of the last one. What a longer step
// costs beyond is a debt that the time after it pays back.
double Governor::NeededNs() const {
  const double needed_ns = dearest_ * static_cast<double>(kLeastWindowNs) + tail_ns_ + wait_ns_;
  return opened_any_ ? needed_ns : kFirstIsLess * needed_ns;
}

Governor::Action Governor::Decide(const Tick& tick) {
  if (!tick.any_live) return Action::kNone;
  const uint64_t for_ns = tick.now_ns - std::min(tick.now_ns, since_ns_);
  switch (tick.window) {
    case Window::kClosed:
      return DecideToOpen(tick);
    case Window::kWaiting:
      if (asked_to_close_) return Action::kNone;
      if (for_ns < std::max(kMostWaitingNs, kMostWaitingSteps * tick.step_ns)) return Action::kNone;
      asked_to_close_ = true;
      ++switches_;
      return Action::kClose;
    case Window::kClosing:
      return for_ns >= std::max(kMostClosingNs, kMostClosingSteps * tick.step_ns)
                 ? Action::kCloseNow
                 : Action::kNone;
    case Window::kOpen:
      if (asked_to_close_ || for_ns < kLeastWindowNs) return Action::kNone;
      // Its end will cost what the end of the last one did.
      if (account_ns_ >= tail_ns_ - budget_ * kSlackNs) return Action::kNone;
      asked_to_close_ = true;
      ++switches_;
      return Action::kClose;
  }
  return Action::kNone;
}

Governor::Action Governor::DecideToOpen(const Tick& tick) {
  const uint64_t gap_ns = tick.now_ns - std::min(tick.now_ns, since_ns_);
  if (floor_is_too_high_) {
    const double probe_gap_ns =
        std::max(static_cast<double>(kLeastProbeGapNs), NeededNs() / (kProbeShare * budget_));
    if (static_cast<double>(gap_ns) < probe_gap_ns) return Action::kNone;
    account_ns_ = NeededNs();
  } else if (gap_ns < kLeastGapNs || account_ns_ < NeededNs()) {
    return Action::kNone;
  }
  ++switches_;
  opened_any_ = true;
  return Action::kOpen;
}

void Governor::FollowLevel(const Tick& tick, uint64_t period_ns) {
  if (tick.counted_ns == 0) return;
  level_ns_[static_cast<size_t>(level_)] += std::min(period_ns, tick.counted_ns);
  CoverageLevel level = CoverageLevel::kSampled;
  if (tick.window == Window::kClosed && floor_is_too_high_) level = CoverageLevel::kPaused;
  if (tick.window == Window::kOpen && !asked_to_close_) {
    const bool long_open = tick.now_ns - std::min(tick.now_ns, since_ns_) >= kFullNs;
    if (long_open || level_ == CoverageLevel::kFull) level = CoverageLevel::kFull;
  }
  if (level != level_) ++level_changes_;
  level_ = level;
}

}  // namespace flopsprof::agent

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace flopsprof::agent {

// How much of the job is recorded under --max-overhead.
enum class CoverageLevel : uint8_t {
  kFull = 0,     // one window, without an end in sight
  kSampled = 1,  // windows, and between them nothing
  kPaused = 2,   // nothing: following modules alone takes the budget
};
constexpr size_t kCoverageLevels = 3;

// Decides when work is recorded, so that what it costs stays below a share of the job's time. It
// keeps an account: time brings in the budget, recording spends it. A window ends when the account
// is empty, and begins when it holds what the window before took: one in n, with the n that the
// costs make. Pure: no clock, no thread.
class Governor {
 public:
  // kWaiting: asked for; CUPTI is held, and no process has come to the window's first step.
  enum class Window { kClosed, kWaiting, kOpen, kClosing };
  enum class Action { kNone, kOpen, kClose, kCloseNow };

  // What has happened since the last tick.
  struct Tick {
    uint64_t now_ns = 0;
    Window window = Window::kOpen;
    double spent_ns = 0;   // of the process that we cost most
    double floor_ns = 0;   // part of it that stays while nothing is recorded
    uint64_t step_ns = 0;  // how long a step takes; 0: not known
    bool any_live = true;  // else nothing can be decided
    // The part of that time in which a process was there and one had cost something.
    uint64_t counted_ns = ~0ull;
  };

  // `budget`: share of the job's time, above 0.
  explicit Governor(double budget) : budget_(budget) {}

  Action Follow(const Tick& tick);

  CoverageLevel level() const { return level_; }
  uint64_t level_ns(CoverageLevel level) const { return level_ns_[static_cast<size_t>(level)]; }
  // Changes of the level, and windows that were opened or closed by it.
  uint32_t level_changes() const { return level_changes_; }
  uint32_t switches() const { return switches_; }

 private:
  void FollowWindow(const Tick& tick);
  double NeededNs() const;
  void Book(const Tick& tick, uint64_t period_ns);
  void FollowLevel(const Tick& tick, uint64_t period_ns);
  Action Decide(const Tick& tick);
  Action DecideToOpen(const Tick& tick);

  const double budget_;
  bool begun_ = false;
  uint64_t last_ns_ = 0;
  uint64_t since_ns_ = 0;  // the window is as it is; of a window that closes: since it was asked to
  Window window_ = Window::kOpen;
  bool asked_to_close_ = false;
  double account_ns_ = 0;
  double dearest_ = 0;       // moment of the newest window: share of the time
  double tail_ns_ = 0;       // what the newest end of a window has cost, from the decision on
  double wait_ns_ = 0;       // what the newest wait for a window's first step has cost
  bool opened_any_ = false;  // a window after the first one
  bool floor_is_too_high_ = false;
  CoverageLevel level_ = CoverageLevel::kFull;
  std::array<uint64_t, kCoverageLevels> level_ns_{};
  uint32_t level_changes_ = 0;
  uint32_t switches_ = 0;
};

}  // namespace flopsprof::agent

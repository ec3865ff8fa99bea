// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/control/overhead_costs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "collector/base/clock.h"

namespace flopsprof::agent {
namespace {

// Instructions of one event, from docs/overhead.md. A launch has four callbacks of CUPTI and its
// record; an activity what it takes to read CUPTI's record and write ours.
constexpr double kHookCall = 500;
constexpr double kModuleCall = 970;
constexpr double kNode = 370;
constexpr double kLaunch = 320;
constexpr double kActivity = 250;
// The same while nothing is recorded.
constexpr double kPausedHookCall = 120;
constexpr double kPausedModuleCall = 850;
constexpr double kPausedNode = 370;
constexpr double kRestingModuleCall = 60;  // an outermost one is followed
constexpr double kRestingNode = 15;
// CUPTI's own work for a launch and its record cannot be told from the launch itself. This is the
// time of so many instructions of ours that the stand-in's takes (1.6 us where ours take 0.25 ns);
// it is no measurement of NVIDIA's.
constexpr double kCuptiLaunch = 6400;

// Beyond them the clock or the machine did something else.
constexpr double kLeastNs = 0.1;
constexpr double kMostNs = 5;

// The chain goes through more lines than a core's first caches hold, one load in some 45
// instructions: about what code and data of a framework do to our hooks in between.
constexpr size_t kLines = 1 << 15;
constexpr size_t kSteps = 1 << 13;
constexpr double kInstructionsAStep = 45;
constexpr int kRounds = 10;

struct alignas(64) Line {
  uint32_t next;
};

// One cycle through all lines, in an order that no prefetcher guesses (Sattolo's).
std::vector<Line> MakeChain() {
  std::vector<uint32_t> order(kLines);
  std::iota(order.begin(), order.end(), 0u);
  uint64_t random = 88172645463325252u;
  for (size_t i = kLines - 1; i > 0; --i) {
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    std::swap(order[i], order[random % i]);
  }
  std::vector<Line> chain(kLines);
  for (size_t i = 0; i < kLines; ++i) chain[i].next = order[i];
  return chain;
}

// The end of the walk and what was computed on it: the compiler may leave out nothing.
uint64_t Walk(const std::vector<Line>& chain, uint32_t* at) {
  uint64_t sum = 0;
  for (size_t step = 0; step < kSteps; ++step) {
    *at = chain[*at].next;
    uint64_t one = *at;
    uint64_t other = ~one;
    for (int i = 0; i < 4; ++i) {  // ten instructions each, in two rows
      one = (one ^ one >> 29) * 0xbf58476d1ce4e5b9u;
      other = (other ^ other >> 32) * 0x94d049bb133111ebu;
      sum += one ^ other;
    }
  }
  return sum;
}

}  // namespace

EventCounts& EventCounts::operator+=(const EventCounts& more) {
  hook_calls += more.hook_calls;
  module_calls += more.module_calls;
  nodes += more.nodes;
  launches += more.launches;
  activities += more.activities;
  own_cpu_ns += more.own_cpu_ns;
  cupti_ns += more.cupti_ns;
  return *this;
}

EventCounts EventCounts::Times(double factor) const {
  return {hook_calls * factor, module_calls * factor, nodes * factor,   launches * factor,
          activities * factor, own_cpu_ns * factor,   cupti_ns * factor};
}

EventCounts ReadEventCounts(const shm::SegmentHeader& header) {
  const auto read = [](const std::atomic<uint64_t>& counter) {
    return static_cast<double>(counter.load(std::memory_order_relaxed));
  };
  return {read(header.hook_calls),       read(header.module_calls), read(header.nodes),
          read(header.launches),         read(header.activities),   read(header.own_cpu_ns),
          read(header.cupti_overhead_ns)};
}

EventCounts Since(const EventCounts& before, const EventCounts& now) {
  const auto more = [](double was, double is) { return std::max(0.0, is - was); };
  return {more(before.hook_calls, now.hook_calls), more(before.module_calls, now.module_calls),
          more(before.nodes, now.nodes),           more(before.launches, now.launches),
          more(before.activities, now.activities), more(before.own_cpu_ns, now.own_cpu_ns),
          more(before.cupti_ns, now.cupti_ns)};
}

OverheadCosts::OverheadCosts(double ns_per_instruction)
    : ns_per_instruction_(std::isfinite(ns_per_instruction)
                              ? std::clamp(ns_per_instruction, kLeastNs, kMostNs)
                              : 1) {}

double OverheadCosts::RecordedNs(const EventCounts& events) const {
  const double instructions = events.hook_calls * kHookCall + events.module_calls * kModuleCall +
                              events.nodes * kNode + events.launches * kLaunch +
                              events.activities * kActivity;
  return instructions * ns_per_instruction_ + events.own_cpu_ns + CuptiNs(events);
}

double OverheadCosts::PausedNs(const EventCounts& events, bool resting) const {
  const double module_call = resting ? kRestingModuleCall : kPausedModuleCall;
  const double node = resting ? kRestingNode : kPausedNode;
  return ns_per_instruction_ * (events.hook_calls * kPausedHookCall +
                                events.module_calls * module_call + events.nodes * node);
}

double OverheadCosts::CuptiNs(const EventCounts& events) const {
  return events.launches * kCuptiLaunch * ns_per_instruction_ + events.cupti_ns;
}

double MeasureInstructionNs() {
  const base::Clock& clock = base::Clock::Real();
  const std::vector<Line> chain = MakeChain();
  std::array<double, kRounds> rounds;
  uint32_t at = 0;
  volatile uint64_t kept = 0;
  for (double& ns : rounds) {
    const uint64_t begin_ns = clock.MonoNs();
    kept = kept + Walk(chain, &at);
    ns = static_cast<double>(clock.MonoNs() - begin_ns) / (kSteps * kInstructionsAStep);
  }
  // What else the machine did meanwhile is in the others.
  return *std::min_element(rounds.begin(), rounds.end());
}

}  // namespace flopsprof::agent

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/join/launch_latency.h"

#include <algorithm>
#include <utility>

#include "collector/agent/tables/work.h"

namespace flopsprof::agent {
namespace {

// Two clocks that nobody sets drift apart by less: a thousandth of the time between two readings.
constexpr uint64_t kMostDrift = 1000;
// CUPTI gives single kernels a begin before their launch. By so much, and the clocks are not to be
// believed; by less, and it says how far they may be wrong.
constexpr int64_t kMostBefore = 1'000'000;

bool IsMeasured(const shm::ActivityRecord& record) {
  const bool whole_graph = record.kind == static_cast<uint8_t>(shm::ActivityKind::kGraph);
  return record.correlation != 0 && (record.graph_node == 0 || whole_graph) &&
         HasValidTimes(record);
}

}  // namespace

void LaunchLatency::Waits::Add(const Half& whole) {
  const auto wait_ns = static_cast<int64_t>(whole.gpu_ns - whole.mono_ns);
  count++;
  sum_ns += wait_ns;
  min_ns = std::min(min_ns, wait_ns);
  max_ns = std::max(max_ns, wait_ns);
  last_gpu_ns = std::max(last_gpu_ns, whole.gpu_ns);
}

void LaunchLatency::Waits::Add(const Waits& other) {
  count += other.count;
  sum_ns += other.sum_ns;
  min_ns = std::min(min_ns, other.min_ns);
  max_ns = std::max(max_ns, other.max_ns);
  last_gpu_ns = std::max(last_gpu_ns, other.last_gpu_ns);
}

LaunchLatency::Half* LaunchLatency::FindOrAdd(uint32_t correlation, bool* added) {
  const uint64_t found = halves_.Find(correlation);
  *added = found == halves_.kNone;
  if (!*added) return halves_.At(found);
  while (halves_.size() > kKeptDone) {
    const Half* oldest = halves_.At(halves_.first());
    const bool done = oldest == nullptr || (oldest->mono_ns != 0 && oldest->gpu_ns != 0);
    if (!done && halves_.size() < kMaxHalves) break;
    halves_.ForgetOldest();
  }
  return halves_.At(halves_.Add(correlation));
}

// A runtime call and the driver's call inside of it may both tell; the first one counts.
void LaunchLatency::AddLaunch(const shm::LaunchRecord& record) {
  if (record.mono_ns == 0) return;
  if ((record.header.flags & shm::kFlagCaptured) != 0) return;
  row_.set_launches(row_.launches() + 1);
  bool added;
  Half* half = FindOrAdd(record.correlation, &added);
  if (half->mono_ns != 0) return;
  half->mono_ns = record.mono_ns;
  if (half->gpu_ns != 0) Book(*half);
}

void LaunchLatency::Forget(uint32_t correlation) {
  const uint64_t found = halves_.Find(correlation);
  if (found != halves_.kNone) halves_.Erase(found);
}

// Of several pieces of work of one launch, that which was told first.
void LaunchLatency::AddActivity(const shm::ActivityRecord& record) {
  if (!IsMeasured(record)) return;
  bool added;
  Half* half = FindOrAdd(record.correlation, &added);
  if (half->gpu_ns != 0) return;
  half->gpu_ns = record.start_gpu_ns;
  if (half->mono_ns != 0) Book(*half);
}

// The half stays, so that more work of the launch is known to be no first one.
void LaunchLatency::Book(const Half& whole) {
  if (whole.mono_ns <= jumped_mono_ns_) {
    row_.set_clock_unsure(row_.clock_unsure() + 1);
    return;
  }
  newest_.Add(whole);
}

void LaunchLatency::AddClock(const shm::ClockRecord& record) {
  if (record.gpu_ns == 0 || record.mono_ns == 0) return;
  const Pair next = {record.mono_ns, record.gpu_ns, record.gap_ns};
  if (pair_.has_value()) {
    const uint64_t passed_ns = next.mono_ns - std::min(next.mono_ns, pair_->mono_ns);
    const int64_t before_ns = pair_->offset_ns();
    const int64_t now_ns = next.offset_ns();
    const auto [least_ns, most_ns] = std::minmax(before_ns, now_ns);
    const uint64_t apart_ns = static_cast<uint64_t>(most_ns) - static_cast<uint64_t>(least_ns);
    const uint64_t gaps_ns = next.gap_ns / 2 + pair_->gap_ns / 2;
    if (apart_ns > passed_ns / kMostDrift + gaps_ns + 1) {
      Discard(&ripe_);
      Discard(&newest_);
      jumped_mono_ns_ = next.mono_ns;
    } else {
      worst_gap_ns_ = std::max(worst_gap_ns_, apart_ns + gaps_ns);
      Commit(&ripe_);
    }
  }
  pair_ = next;
  ripe_.Add(newest_);
  newest_ = Waits();
}

// What began after the last pair lies between no two.
void LaunchLatency::Finish() {
  for (Waits* waits : {&ripe_, &newest_}) {
    const bool all_before = pair_.has_value() && waits->last_gpu_ns <= pair_->gpu_ns;
    all_before ? Commit(waits) : Discard(waits);
  }
}

void LaunchLatency::Commit(Waits* waits) {
  const Waits taken = std::exchange(*waits, Waits());
  if (taken.count == 0) return;
  const __int128 offset_ns = pair_->offset_ns();
  const __int128 least_ns = taken.min_ns + offset_ns;
  const __int128 most_ns = taken.max_ns + offset_ns;
  if (least_ns < -kMostBefore || most_ns > INT64_MAX) {
    row_.set_clock_unsure(row_.clock_unsure() + taken.count);
    return;
  }
  const auto before_ns = static_cast<uint64_t>(std::max<__int128>(-least_ns, 0));
  const uint64_t error_ns = std::max({worst_gap_ns_, pair_->gap_ns / 2, before_ns});
  const __int128 sum_ns = taken.sum_ns + static_cast<__int128>(taken.count) * offset_ns;
  const auto min_ns = static_cast<uint64_t>(std::max<__int128>(least_ns, 0));
  const auto max_ns = static_cast<uint64_t>(std::max<__int128>(most_ns, 0));
  row_.set_min_ns(row_.measured() == 0 ? min_ns : std::min(row_.min_ns(), min_ns));
  row_.set_max_ns(std::max(row_.max_ns(), max_ns));
  row_.set_sum_ns(row_.sum_ns() + static_cast<uint64_t>(std::max<__int128>(sum_ns, 0)));
  row_.set_error_ns(std::max(row_.error_ns(), error_ns));
  row_.set_measured(row_.measured() + taken.count);
}

void LaunchLatency::Discard(Waits* waits) {
  row_.set_clock_unsure(row_.clock_unsure() + std::exchange(*waits, Waits()).count);
}

}  // namespace flopsprof::agent

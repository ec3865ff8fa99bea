// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/join/correlator.h"

#include <algorithm>
#include <utility>

namespace flopsprof::agent {
namespace {

bool IsWholeGraph(const shm::ActivityRecord& record) {
  return record.kind == static_cast<uint8_t>(shm::ActivityKind::kGraph);
}

bool OfGraph(const shm::ActivityRecord& record) {
  return record.graph_node != 0 || IsWholeGraph(record);
}

}  // namespace

inline uint64_t Correlator::CallKey(RingId ring, uint32_t call) {
  return (uint64_t{ring.generation & 0xffffu} << 48) | (uint64_t{ring.slot & 0xffffu} << 32) | call;
}

inline void Correlator::ForgetOldestLaunch() {
  if (const Launch* launch = launches_.Oldest()) {
    if (launch->activities == 0 && !launch->captured) counters_.launches_without_activity++;
    if (launch->inner != 0) {
      ForgetInner(launch->inner, static_cast<uint32_t>(launches_.KeyOf(launches_.first())));
    }
  }
  launches_.ForgetOldest();
}

// Ids come again: the inner one may be another launch's by now.
void Correlator::ForgetInner(uint32_t inner, uint32_t correlation) {
  const auto found = inner_ids_.find(inner);
  if (found != inner_ids_.end() && found->second == correlation) inner_ids_.erase(found);
}

inline void Correlator::ForgetOldLaunches() {
  while (launches_.size() > kKeptDone) {
    const Launch* oldest = launches_.Oldest();
    const bool done = oldest == nullptr || oldest->done();
    if (!done && launches_.size() < kMaxLaunches) return;
    ForgetOldestLaunch();
  }
}

inline void Correlator::ForgetOldCalls() {
  while (calls_.size() > kKeptDone) {
    if (!calls_.Oldest()->done() && calls_.size() < kMaxCalls) return;
    calls_.ForgetOldest();
  }
}

inline void Correlator::WidenWindow(uint32_t correlation) {
  window_.first = std::min(window_.first, correlation);
  window_.last = std::max(window_.last, correlation);
}

inline uint32_t Correlator::OuterId(uint32_t correlation) const {
  if (inner_ids_.empty()) return correlation;
  const auto inner = inner_ids_.find(correlation);
  return inner == inner_ids_.end() ? correlation : inner->second;
}

inline Correlator::Launch* Correlator::FindLaunch(uint32_t correlation) {
  if (Launch* launch = launches_.FindValue(correlation)) return launch;
  return inner_ids_.empty() ? nullptr : launches_.FindValue(OuterId(correlation));
}

[[gnu::always_inline]] inline Correlator::Launch* Correlator::FindOrAddLaunch(
    uint32_t correlation, const WorkContext& context) {
  ForgetOldLaunches();
  WidenWindow(correlation);
  if (!inner_ids_.empty()) correlation = OuterId(correlation);
  const auto found = launches_.FindOrAdd(correlation);
  // Else it is the runtime's and the driver's callback of one launch.
  if (found.added) {
    news_ = true;
    found.value->context = context;
  }
  return found.value;
}

[[gnu::always_inline]] inline RecentTable<Correlator::Call>::Found Correlator::FindOrAddCall(
    uint64_t key) {
  ForgetOldCalls();
  return calls_.FindOrAdd(key);
}

void Correlator::AddLaunch(RingId ring, const shm::LaunchRecord& record) {
  Launch* launch = FindOrAddLaunch(record.correlation, ContextOf(record.header, record.scope));
  if (record.stack != shm::kNoStack) {  // of either callback
    launch->stack = record.stack;
    launch->stack_launches = record.stack_launches;
  }
  launch->captured = (record.header.flags & shm::kFlagCaptured) != 0;
  if (record.call == shm::kNoCall || launch->captured || launch->call != calls_.kNone) return;
  const auto call = FindOrAddCall(CallKey(ring, record.call));
  launch->call = call.number;
  call.value->launches++;
}

void Correlator::AddGraphLaunch(const shm::GraphLaunch& record) {
  if (record.correlation == 0) return;  // no times
  Launch* launch = FindOrAddLaunch(record.correlation, ContextOf(record.header, record.scope));
  launch->graph = true;
  const uint32_t inner = record.inner_correlation;
  if (inner != 0 && launch->inner == 0 && FindLaunch(inner) != launch) {
    TakeInner(inner, OuterId(record.correlation), launch);
  }
}

void Correlator::TakeInner(uint32_t inner, uint32_t correlation, Launch* launch) {
  WidenWindow(inner);
  news_ = true;
  const uint64_t found = launches_.Find(inner);
  if (found != launches_.kNone) {
    Launch& taken = *launches_.At(found);  // of the driver's callback
    launch->activities += taken.activities;
    launch->nodes += taken.nodes;
    launch->nodes_ns += taken.nodes_ns;
    launch->timed_whole |= taken.timed_whole;
    if (launch->stack == shm::kNoStack) {
      launch->stack = taken.stack;
      launch->stack_launches = taken.stack_launches;
    }
    LeaveCall(&taken);
    if (taken.inner != 0) inner_ids_[taken.inner] = correlation;
    launches_.Erase(found);
  }
  launch->inner = inner;
  inner_ids_[inner] = correlation;
}

void Correlator::SettleGraphLaunch(uint32_t correlation, uint32_t executable) {
  Launch* launch = FindLaunch(correlation);
  if (launch == nullptr) return;
  launch->executable = executable;
  launch->settled = true;
  news_ = true;
}

void Correlator::MarkCaptured(uint32_t correlation) {
  Launch* launch = FindLaunch(correlation);
  if (launch == nullptr || launch->captured) return;
  launch->captured = true;
  LeaveCall(launch);
}

void Correlator::LeaveCall(Launch* launch) {
  if (Call* call = calls_.At(launch->call)) call->launches--;
  launch->call = calls_.kNone;
}

void Correlator::End(RingId ring, uint32_t number, const BookedCall* booked) {
  Call* call = calls_.FindValue(CallKey(ring, number));
  if (call == nullptr || call->ended) return;  // or it has launched nothing that we know of
  call->ended = true;
  call->owns = booked != nullptr;
  if (booked != nullptr) call->booked = *booked;
  news_ = true;
}

// CUPTI may give both for replays that run while it is told to time launches instead of nodes: all
// nodes, or those before the switch. A record without times says nothing of the other kind.
std::optional<uint64_t> Correlator::UnbookedTime(Launch* replay,
                                                 const shm::ActivityRecord& record) {
  const bool valid = HasValidTimes(record);
  const uint64_t ns = valid ? record.end_gpu_ns - record.start_gpu_ns : 0;
  if (!IsWholeGraph(record)) {
    if (replay->timed_whole) {
      counters_.replay_times_twice++;
      return std::nullopt;
    }
    replay->nodes_ns += ns;
    replay->nodes += valid;
    return ns;
  }
  if (!valid) return 0;
  counters_.replay_times_twice += replay->nodes_ns != 0;
  replay->timed_whole = true;
  if (replay->nodes_ns != 0 && ns <= replay->nodes_ns) return std::nullopt;
  return ns - replay->nodes_ns;
}

void Correlator::JoinReplay(const shm::ActivityRecord& record, Launch* launch,
                            JoinedActivity* joined) {
  const std::optional<uint64_t> unbooked = UnbookedTime(launch, record);
  if (!unbooked.has_value()) return;
  joined->duration_ns = *unbooked;
  if (IsWholeGraph(record)) joined->nodes_before = launch->nodes;
  launch->activities++;
  // A graph's nodes are not the work of the call, if any, that launched the graph.
  sink_->OnReplayed(*joined, launch->executable);
}

[[gnu::always_inline]] inline void Correlator::Join(const shm::ActivityRecord& record,
                                                    Launch* launch, Call* call) {
  if ((record.header.flags & shm::kFlagBadTimestamp) != 0) counters_.marked_bad_times++;
  const bool valid_times = HasValidTimes(record);
  // Each field: else the compiler clears the whole first, which takes longer than all else here.
  JoinedActivity joined{.record = record,
                        .context = launch->context,
                        .in_call = false,
                        .call = {},
                        .valid_times = valid_times,
                        .share = false,
                        .stack = launch->stack,
                        .stack_launches = launch->activities == 0 ? launch->stack_launches : 0,
                        .duration_ns = valid_times ? record.end_gpu_ns - record.start_gpu_ns : 0,
                        .nodes_before = 0};
  if (launch->graph || OfGraph(record)) return JoinReplay(record, launch, &joined);
  launch->activities++;
  if (call == nullptr) return sink_->OnJoined(joined);
  call->activities++;
  if (call->owns) {
    joined.in_call = true;
    joined.call = call->booked;
    joined.context = call->booked.context;
    call->gpu_time_ns += joined.duration_ns;
    call->times_valid = call->times_valid && joined.valid_times;
  }
  sink_->OnJoined(joined);
  if (joined.in_call && call->activities == call->launches && call->times_valid &&
      call->booked.row != kNoRow) {
    sink_->OnCallTime(call->booked, call->gpu_time_ns);
  }
}

[[gnu::always_inline]] inline bool Correlator::TryJoin(const shm::ActivityRecord& record) {
  Launch* launch = FindLaunch(record.correlation);
  if (launch == nullptr) return false;
  if ((launch->graph || OfGraph(record)) && !launch->settled) return false;
  Call* call = nullptr;
  if (launch->call != calls_.kNone && !launch->graph) {
    call = calls_.At(launch->call);
    if (call == nullptr || !call->ended) return false;
  }
  Join(record, launch, call);
  return true;
}

void Correlator::AddActivity(const shm::ActivityRecord& record, uint64_t now_ns) {
  if (!TryJoin(record)) Wait(record, now_ns);
}

void Correlator::Wait(const shm::ActivityRecord& record, uint64_t now_ns) {
  waiting_.push_back({record, now_ns});
  if (waiting_.size() <= kMaxWaiting) return;
  GiveUp(waiting_.front().record);
  waiting_.pop_front();
}

void Correlator::GiveUp(const shm::ActivityRecord& record) {
  Launch nobody;
  Launch* launch = FindLaunch(record.correlation);
  if (launch != nullptr) {
    counters_.calls_without_end++;
  } else if (partly_ && record.correlation != 0 && !InWindow(record.correlation)) {
    counters_.activities_outside_windows++;
    return;
  } else {
    counters_.activities_without_launch++;
    launch = &nobody;
    if (record.correlation != 0 && OfGraph(record)) {
      if (unseen_replays_.size() == kMaxUnseenReplays) unseen_replays_.clear();
      launch = &unseen_replays_[record.correlation];
    }
  }
  Join(record, launch, nullptr);
}

void Correlator::EndWindow() {
  partly_ = true;
  if (window_.first > window_.last) return;
  past_windows_.push_back(std::exchange(window_, Window()));
  if (past_windows_.size() > kMaxWindows) past_windows_.pop_front();
}

bool Correlator::InWindow(uint32_t correlation) const {
  const auto holds = [correlation](const Window& window) {
    return correlation >= window.first && correlation <= window.last;
  };
  return holds(window_) || std::any_of(past_windows_.begin(), past_windows_.end(), holds);
}

size_t Correlator::open_launch_count() const {
  size_t count = 0;
  for (uint64_t number = launches_.first(); number < launches_.next(); number++) {
    const Launch* launch = launches_.At(number);
    count += launch != nullptr && launch->activities == 0 && !launch->captured ? 1 : 0;
  }
  return count;
}

void Correlator::Retry(uint64_t now_ns, bool final) {
  if (!waiting_.empty() && (news_ || final || now_ns - waiting_.front().since_ns > kMaxWaitNs)) {
    const size_t count = waiting_.size();
    for (size_t i = 0; i < count; i++) {
      const Waiting waiting = waiting_.front();
      waiting_.pop_front();
      if (TryJoin(waiting.record)) continue;
      if (final || now_ns - waiting.since_ns > kMaxWaitNs) {
        GiveUp(waiting.record);
      } else {
        waiting_.push_back(waiting);
      }
    }
  }
  news_ = false;
  if (!final) return;
  while (launches_.size() > 0) ForgetOldestLaunch();
}

}  // namespace flopsprof::agent

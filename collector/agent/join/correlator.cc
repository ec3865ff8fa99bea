// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/join/correlator.h"

#include <algorithm>
#include <utility>

namespace flopsprof::agent {
namespace {

// A longer kernel is a broken time.
constexpr uint64_t kMaxDurationNs = uint64_t{1} << 47;  // 39 hours

bool HasValidTimes(const shm::ActivityRecord& record) {
  return (record.header.flags & shm::kFlagBadTimestamp) == 0 && record.start_gpu_ns != 0 &&
         record.end_gpu_ns >= record.start_gpu_ns &&
         record.end_gpu_ns - record.start_gpu_ns <= kMaxDurationNs;
}

bool IsWholeGraph(const shm::ActivityRecord& record) {
  return record.kind == static_cast<uint8_t>(shm::ActivityKind::kGraph);
}

bool OfGraph(const shm::ActivityRecord& record) {
  return record.graph_node != 0 || IsWholeGraph(record);
}

}  // namespace

uint64_t Correlator::CallKey(RingId ring, uint32_t call) {
  return (uint64_t{ring.generation & 0xffffu} << 48) | (uint64_t{ring.slot & 0xffffu} << 32) | call;
}

void Correlator::ForgetOldestLaunch() {
  const uint64_t oldest = launches_.first();
  if (const Launch* launch = launches_.At(oldest)) {
    if (launch->activities == 0 && !launch->captured) counters_.launches_without_activity++;
    if (launch->inner != 0) {
      ForgetInner(launch->inner, static_cast<uint32_t>(launches_.KeyOf(oldest)));
    }
  }
  launches_.ForgetOldest();
}

// Ids come again: the inner one may be another launch's by now.
void Correlator::ForgetInner(uint32_t inner, uint32_t correlation) {
  const auto found = inner_ids_.find(inner);
  if (found != inner_ids_.end() && found->second == correlation) inner_ids_.erase(found);
}

void Correlator::ForgetOldLaunches() {
  while (launches_.size() > kKeptDone) {
    const Launch* oldest = launches_.At(launches_.first());
    const bool done = oldest == nullptr || oldest->done();
    if (!done && launches_.size() < kMaxLaunches) return;
    ForgetOldestLaunch();
  }
}

void Correlator::ForgetOldCalls() {
  while (calls_.size() > kKeptDone) {
    if (!calls_.At(calls_.first())->done() && calls_.size() < kMaxCalls) return;
    calls_.ForgetOldest();
  }
}

void Correlator::WidenWindow(uint32_t correlation) {
  window_.first = std::min(window_.first, correlation);
  window_.last = std::max(window_.last, correlation);
}

uint32_t Correlator::OuterId(uint32_t correlation) const {
  if (inner_ids_.empty()) return correlation;
  const auto inner = inner_ids_.find(correlation);
  return inner == inner_ids_.end() ? correlation : inner->second;
}

Correlator::Launch* Correlator::FindLaunch(uint32_t correlation) {
  uint64_t found = launches_.Find(correlation);
  if (found == launches_.kNone) found = launches_.Find(OuterId(correlation));
  return launches_.At(found);
}

Correlator::Launch* Correlator::FindOrAddLaunch(uint32_t correlation, const WorkContext& context) {
  ForgetOldLaunches();
  WidenWindow(correlation);
  correlation = OuterId(correlation);
  const uint64_t found = launches_.Find(correlation);
  // The runtime's and the driver's callback of one launch.
  if (found != launches_.kNone) return launches_.At(found);
  news_ = true;
  Launch* launch = launches_.At(launches_.Add(correlation));
  launch->context = context;
  return launch;
}

uint64_t Correlator::FindOrAddCall(uint64_t key) {
  ForgetOldCalls();
  const uint64_t found = calls_.Find(key);
  return found != calls_.kNone ? found : calls_.Add(key);
}

void Correlator::AddLaunch(RingId ring, const shm::LaunchRecord& record) {
  Launch* launch = FindOrAddLaunch(record.correlation, ContextOf(record.header, record.scope));
  if (record.stack != shm::kNoStack) {  // of either callback
    launch->stack = record.stack;
    launch->stack_launches = record.stack_launches;
  }
  launch->captured = (record.header.flags & shm::kFlagCaptured) != 0;
  if (record.call == shm::kNoCall || launch->captured || launch->call != calls_.kNone) return;
  launch->call = FindOrAddCall(CallKey(ring, record.call));
  calls_.At(launch->call)->launches++;
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

void Correlator::EndCall(RingId ring, uint32_t number, std::optional<BookedCall> booked) {
  Call* call = calls_.At(calls_.Find(CallKey(ring, number)));
  if (call == nullptr || call->ended) return;  // or it has launched nothing that we know of
  call->ended = true;
  call->owns = booked.has_value();
  if (booked.has_value()) call->booked = *booked;
  news_ = true;
}

void Correlator::AddActivity(const shm::ActivityRecord& record, uint64_t now_ns) {
  if (TryJoin(record)) return;
  waiting_.push_back({record, now_ns});
  if (waiting_.size() <= kMaxWaiting) return;
  GiveUp(waiting_.front().record);
  waiting_.pop_front();
}

bool Correlator::TryJoin(const shm::ActivityRecord& record) {
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

void Correlator::Join(const shm::ActivityRecord& record, Launch* launch, Call* call) {
  if ((record.header.flags & shm::kFlagBadTimestamp) != 0) counters_.marked_bad_times++;
  const bool replay = launch->graph || OfGraph(record);
  JoinedActivity joined{record, launch->context};
  joined.valid_times = HasValidTimes(record);
  if (replay) {
    const std::optional<uint64_t> unbooked = UnbookedTime(launch, record);
    if (!unbooked.has_value()) return;
    joined.duration_ns = *unbooked;
    if (IsWholeGraph(record)) joined.nodes_before = launch->nodes;
  } else if (joined.valid_times) {
    joined.duration_ns = record.end_gpu_ns - record.start_gpu_ns;
  }
  joined.stack = launch->stack;
  if (launch->activities == 0) joined.stack_launches = launch->stack_launches;
  launch->activities++;
  // A graph's nodes are not the work of the call, if any, that launched the graph.
  if (replay) return sink_->OnReplayed(joined, launch->executable);
  if (call != nullptr) call->activities++;
  if (call != nullptr && call->owns) {
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

void Correlator::GiveUp(const shm::ActivityRecord& record) {
  if (Launch* launch = FindLaunch(record.correlation)) {
    counters_.calls_without_end++;
    return Join(record, launch, nullptr);
  }
  if (partly_ && record.correlation != 0 && !InWindow(record.correlation)) {
    counters_.activities_outside_windows++;
    return;
  }
  counters_.activities_without_launch++;
  if (record.correlation == 0 || !OfGraph(record)) {
    Launch nobody;
    return Join(record, &nobody, nullptr);
  }
  if (unseen_replays_.size() == kMaxUnseenReplays) unseen_replays_.clear();
  Join(record, &unseen_replays_[record.correlation], nullptr);
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

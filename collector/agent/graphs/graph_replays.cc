// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/graphs/graph_replays.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <variant>

#include "absl/numeric/int128.h"

namespace flopsprof::agent {

using shm::ActivityKind;

namespace {

// As if the call had not been captured.
void SetExecuted(shm::RecordHeader* header, bool in_step) {
  header->flags &= static_cast<uint8_t>(~shm::kFlagCaptured);
  header->step = in_step ? 0 : shm::kNoStep;
}

template <class Record>
void SetExecuted(Record* record, bool in_step) {
  SetExecuted(&record->header, in_step);
}

void SetExecuted(PartedCall* call, bool in_step) {
  for (CallPart& part : call->parts) {
    auto header = PartAs<shm::LibraryCall>(part).header;
    SetExecuted(&header, in_step);
    std::memcpy(part.data(), &header, sizeof header);
  }
}

void Book(Aggregator* to, const shm::GemmCall& call) { to->BookGemm(call); }
void Book(Aggregator* to, const shm::LibraryCall& call) { to->BookLibrary(call); }
void Book(Aggregator* to, const PartedCall& call) { to->BookParted(call); }
void Book(Aggregator* to, const shm::CudnnCall& call) { to->BookCudnn(call); }
void Book(Aggregator* to, const shm::OperationCall& call) { to->BookOperation(call); }
void Book(Aggregator* to, const shm::CollectiveCall& call) { to->BookCollective(call); }
void Book(Aggregator* to, const shm::NamedWork& work) { to->BookNamed(work); }

}  // namespace

const char* GraphReplays::StateText(State state) {
  switch (state) {
    case State::kCounted:
      return "counted";
    case State::kConditional:
      return "counted without the bodies of conditional nodes, which run an unknown number of "
             "times";
    case State::kEdited:
      return "changed after instantiation, node by node or by an unknown child";
    case State::kForgotten:
      return "forgotten: too many graphs were made and destroyed since";
    case State::kUnrecorded:
      return "captured before `flopsprof ctl start`, while nothing was recorded";
    case State::kUnseen:
      break;
  }
  return "captured before profiling began, or in a way that is not seen";
}

uint64_t GraphReplays::CallKey(RingId ring, uint32_t call) {
  return (uint64_t{ring.generation & 0xffffu} << 48) | (uint64_t{ring.slot & 0xffffu} << 32) | call;
}

void GraphReplays::AddCall(RingId ring, const shm::GraphCall& record) {
  if (record.capture == 0) return;  // the injector has counted it
  if (*call_count_ >= kMaxCalls) {
    refused_count_++;
    counters_.unlinked_calls++;
    return;
  }
  auto call = std::make_shared<CapturedCall>(LiveCount(call_count_));
  call->capture = record.capture;
  const uint64_t key = CallKey(ring, record.call);
  open_calls_[key] = call;
  open_calls_order_.push_back(key);
  // Only needed until the call has returned.
  constexpr size_t kOpenCalls = 4096;
  if (open_calls_order_.size() > kOpenCalls) {
    open_calls_.erase(open_calls_order_.front());
    open_calls_order_.pop_front();
  }
}

void GraphReplays::AddCallRecord(RingId ring, uint32_t call, const CallRecord& record) {
  const auto found = open_calls_.find(CallKey(ring, call));
  if (found == open_calls_.end()) return;  // captured, but nobody knows where: counted there
  CapturedCall& captured = *found->second;
  captured.records.push_back(record);
  if (captured.records.size() > 1) return;  // in its capture already
  if (table_.HasEnded(captured.capture)) {
    counters_.unlinked_calls++;
    return;
  }
  table_.OpenCapture(captured.capture)->calls.push_back(found->second);
}

void GraphReplays::AddNode(RingId ring, const shm::GraphNode& record) {
  if (record.source != 0) return table_.AddNodeCopy(record.node, record.source);
  NodeSet* nodes = table_.OpenNodes(static_cast<uint32_t>(record.node >> 32));
  if (nodes == nullptr || *node_count_ >= kMaxNodes) {
    refused_count_++;
    return;
  }
  const auto [found, added] =
      nodes->nodes.try_emplace(static_cast<uint32_t>(record.node), LiveCount(node_count_));
  if (!added) return;
  GraphNode& node = found->second;
  node.context = ContextOf(record.header, record.scope);
  node.kind = static_cast<ActivityKind>(record.kind);
  if (record.call == shm::kNoCall) return;
  const auto call = open_calls_.find(CallKey(ring, record.call));
  if (call == open_calls_.end()) return;
  node.call = call->second;
  node.call->nodes++;
}

void GraphReplays::AddEvent(const shm::GraphEvent& event) {
  event_count_++;
  first_order_ = first_order_ == 0 ? event.order : std::min(first_order_, event.order);
  last_order_ = std::max(last_order_, event.order);
  events_.push_back(event);
}

void GraphReplays::AddLaunch(const shm::GraphLaunch& launch) { launches_.push_back(launch); }

void GraphReplays::EndPass(bool emptied, bool final, Correlator* correlator) {
  const bool full = launches_.size() + aged_launches_.size() > kMaxWaiting ||
                    events_.size() + aged_events_.size() > kMaxWaiting;
  if (emptied || final || full) {
    SettleAged(correlator);
    std::swap(events_, aged_events_);
    std::swap(launches_, aged_launches_);
    if (final) SettleAged(correlator);
  }
  AddWaitingReplays();
  if (final && event_count_ != 0) {
    const uint64_t expected = last_order_ - first_order_ + 1;
    counters_.lost_events = expected - std::min(expected, event_count_);
  }
}

void GraphReplays::SettleAged(Correlator* correlator) {
  // What happened before the newest aged record has come by now, in part only in this pass.
  uint64_t until = 0;
  for (const shm::GraphEvent& event : aged_events_) until = std::max(until, event.order);
  for (const shm::GraphLaunch& launch : aged_launches_) until = std::max(until, launch.order);
  const auto later = std::partition(events_.begin(), events_.end(),
                                    [&](const auto& event) { return event.order <= until; });
  aged_events_.insert(aged_events_.end(), events_.begin(), later);
  events_.erase(events_.begin(), later);
  // Replays between them too: what an executable holds may change many times in a pass.
  const auto later_launch =
      std::partition(launches_.begin(), launches_.end(),
                     [&](const auto& launch) { return launch.order <= until; });
  aged_launches_.insert(aged_launches_.end(), launches_.begin(), later_launch);
  launches_.erase(launches_.begin(), later_launch);
  // What depends on an event has a higher number; without dependence any order is right.
  const auto by_order = [](const auto& a, const auto& b) { return a.order < b.order; };
  std::sort(aged_events_.begin(), aged_events_.end(), by_order);
  std::stable_sort(aged_launches_.begin(), aged_launches_.end(), by_order);
  auto launch = aged_launches_.begin();
  for (const shm::GraphEvent& event : aged_events_) {
    for (; launch != aged_launches_.end() && launch->order < event.order; ++launch) {
      Settle(*launch, correlator);
    }
    table_.Apply(event);
  }
  for (; launch != aged_launches_.end(); ++launch) Settle(*launch, correlator);
  aged_events_.clear();
  aged_launches_.clear();
  // What is captured has room again only when what held it before is gone.
  constexpr size_t kKeptWhenFull = 64;
  if (*call_count_ > kMaxCalls / 2 || *node_count_ > kMaxNodes / 2) {
    table_.ForgetDestroyed(kKeptWhenFull);
  }
}

GraphReplays::State GraphReplays::StateOf(uint32_t executable) {
  if (executable == GraphTable::kUnknown) return State::kUnseen;
  const Executable* known = table_.executable(executable);
  if (known == nullptr) return State::kForgotten;
  if (known->content->unrecorded) return State::kUnrecorded;
  if (known->content->edited) return State::kEdited;
  return known->content->conditional ? State::kConditional : State::kCounted;
}

void GraphReplays::Settle(const shm::GraphLaunch& launch, Correlator* correlator) {
  const uint32_t index = table_.Find(launch.executable, launch.order);
  if (launch.correlation != 0) correlator->SettleGraphLaunch(launch.correlation, index);
  const uint32_t step = launch.header.step;
  if (aggregator_->Unwanted(step)) return;
  const State state = StateOf(index);
  std::shared_ptr<Sum> sum;
  if (state == State::kCounted || state == State::kConditional) sum = SumOf(index, InStep(step));
  aggregator_->WhenWanted(
      step, [this, index, state, sum, step, address = launch.executable](bool later) {
        Row& row = rows_.Change(rows_.FindOrAdd(static_cast<uint32_t>(state)));
        row.replays++;
        if (FirstReplay(index, address)) row.graphs++;
        if (sum == nullptr) {
          counters_.unknown_replays++;
          return;
        }
        row.calls += sum->calls;
        aggregator_->AddReplayFlops(step, sum->flops);
        if (later) return aggregator_->AddReplays(sum->rows, 1);  // nobody may look at it again
        sum->waiting++;
      });
}

bool GraphReplays::FirstReplay(uint32_t index, uint64_t address) {
  if (index == GraphTable::kUnknown) {  // all that are unknown share it: told apart by address
    return unknown_addresses_.size() < kMaxSums && unknown_addresses_.insert(address).second;
  }
  Executable* executable = table_.executable(index);
  return executable != nullptr && !std::exchange(executable->replayed, true);
}

const ReplayWork& GraphReplays::WorkOf(CapturedCall* call, bool in_step) {
  std::optional<ReplayWork>& work = call->work[in_step ? 1 : 0];
  if (work.has_value()) return *work;
  work.emplace();
  aggregator_->BeginDescription(&*work);
  for (const CallRecord& record : call->records) {
    std::visit(
        [&](auto executed) {
          SetExecuted(&executed, in_step);
          Book(aggregator_, executed);
        },
        record);
  }
  aggregator_->EndDescription();
  return *work;
}

std::shared_ptr<GraphReplays::Sum> GraphReplays::SumOf(uint32_t executable, bool in_step) {
  if (sums_.size() >= kMaxSums && !sums_.contains(executable)) {
    AddWaitingReplays();
    sums_.clear();  // they are made again when they are replayed again
  }
  std::shared_ptr<Sum>& sum = sums_[executable][in_step ? 1 : 0];
  if (sum != nullptr) return sum;
  sum = std::make_shared<Sum>();
  for (const std::shared_ptr<CaptureContent>& capture :
       table_.executable(executable)->content->captures) {
    for (const std::shared_ptr<CapturedCall>& call : capture->calls) {
      const ReplayWork& work = WorkOf(call.get(), in_step);
      sum->calls++;
      sum->rows.insert(sum->rows.end(), work.rows.begin(), work.rows.end());
      for (size_t phase = 0; phase < work.flops.size(); phase++) {
        sum->flops[phase] += work.flops[phase];
      }
    }
  }
  return sum;
}

void GraphReplays::AddWaitingReplays() {
  for (auto& [executable, sums] : sums_) {
    for (const std::shared_ptr<Sum>& sum : sums) {
      if (sum == nullptr || sum->waiting == 0) continue;
      aggregator_->AddReplays(sum->rows, sum->waiting);
      sum->waiting = 0;
    }
  }
}

namespace {

// Whether the times of all nodes came before that of the whole: what it has beyond them is gaps.
bool EveryNodeIsTimed(const JoinedActivity& activity, const GraphContent* content) {
  if (activity.nodes_before == 0 || content == nullptr || content->conditional ||
      content->unrecorded) {
    return false;
  }
  size_t nodes = 0;
  for (const std::shared_ptr<NodeSet>& set : content->nodes) nodes += set->nodes.size();
  return nodes != 0 && activity.nodes_before >= nodes;
}

}  // namespace

void GraphReplays::OnReplayed(const JoinedActivity& activity, uint32_t executable) {
  const Executable* known = table_.executable(executable);
  const std::shared_ptr<GraphContent> content = known == nullptr ? nullptr : known->content;
  if (EveryNodeIsTimed(activity, content.get())) return;
  AddTime(StateOf(executable), activity);
  if (activity.record.kind == static_cast<uint8_t>(ActivityKind::kGraph)) {
    // How much of it was spent in conditional bodies is not known.
    const bool shared = content != nullptr && !content->conditional && !content->unrecorded &&
                        ShareOut(activity, *content);
    if (!shared) aggregator_->OnJoined(activity);
    return;
  }
  GraphNode* node = table_.FindNode(activity.record.graph_node, content.get());
  if (node == nullptr) {
    if (content != nullptr) counters_.unknown_nodes++;
    return aggregator_->OnJoined(activity);
  }
  if (activity.valid_times) {
    node->time_ns += activity.duration_ns;
    node->times++;
  }
  static const GraphContent kNothing;
  GiveToNode(activity, node, content == nullptr ? kNothing : *content);
}

void GraphReplays::AddTime(State state, const JoinedActivity& activity) {
  aggregator_->WhenWanted(activity.context.step, [this, state, ns = activity.duration_ns](bool) {
    Row& row = rows_.Change(rows_.FindOrAdd(static_cast<uint32_t>(state)));
    row.activities++;
    row.gpu_time_ns += ns;
  });
}

void GraphReplays::GiveToNode(const JoinedActivity& activity, GraphNode* node,
                              const GraphContent& content) {
  JoinedActivity given = activity;
  given.context.scope = node->context.scope;
  given.context.phase = node->context.phase;
  // Of an executable that was changed, or of a conditional body, the call may not be what ran.
  const bool counted = node->call != nullptr && !node->call->records.empty() && !content.edited &&
                       !content.unrecorded && content.Holds(*node->call);
  if (counted) {
    const ReplayWork& work = WorkOf(node->call.get(), InStep(activity.context.step));
    given.in_call = true;
    given.call = work.booked;
    given.call.context.step = activity.context.step;
    given.context = given.call.context;
  }
  aggregator_->OnJoined(given);
  const bool whole_call = counted && node->call->nodes == 1 && !given.share;
  if (whole_call && given.valid_times && given.call.row != kNoRow) {
    aggregator_->OnCallTime(given.call, given.duration_ns);
  }
}

// By the mean times of the nodes, where all of them were timed before; else equal shares.
bool GraphReplays::ShareOut(const JoinedActivity& activity, const GraphContent& content) {
  if (!activity.valid_times) return false;
  std::vector<GraphNode*> nodes;
  bool timed = true;
  for (const std::shared_ptr<NodeSet>& set : content.nodes) {
    for (auto& [number, node] : set->nodes) {
      nodes.push_back(&node);
      timed = timed && node.time_ns > 0;
    }
  }
  if (nodes.empty()) return false;
  const auto weight = [timed](const GraphNode& node) {
    return timed ? std::max<uint64_t>(node.time_ns / node.times, 1) : 1;
  };
  uint64_t whole = 0;
  for (const GraphNode* node : nodes) whole += weight(*node);
  uint64_t weight_so_far = 0, given_ns = 0;
  uint32_t stack_launches = activity.stack_launches;  // of the one launch, not of each node
  for (GraphNode* node : nodes) {
    weight_so_far += weight(*node);
    const uint64_t until_ns =
        absl::Uint128Low64(absl::uint128(activity.duration_ns) * weight_so_far / whole);
    JoinedActivity share = activity;
    share.share = true;
    share.stack_launches = std::exchange(stack_launches, 0);
    share.record.kind = static_cast<uint8_t>(node->kind);
    share.duration_ns = until_ns - given_ns;
    given_ns = until_ns;
    GiveToNode(share, node, content);
  }
  const State state = content.edited ? State::kEdited : State::kCounted;
  aggregator_->WhenWanted(activity.context.step, [this, state, ns = activity.duration_ns](bool) {
    rows_.Change(rows_.FindOrAdd(static_cast<uint32_t>(state))).shared_ns += ns;
  });
  return true;
}

size_t GraphReplays::Emit(size_t max, v1::ProcessProfile* profile) {
  return rows_.EmitChanged(max, [&](uint32_t state, Row& kept) {
    const Row row = std::exchange(kept, Row());
    v1::GraphRow* out = profile->add_graphs();
    out->set_state(StateText(static_cast<State>(state)));
    out->set_graphs(row.graphs);
    out->set_replays(row.replays);
    out->set_calls(row.calls);
    out->set_activities(row.activities);
    out->set_gpu_time_ns(row.gpu_time_ns);
    out->set_shared_ns(row.shared_ns);
    return true;
  });
}

}  // namespace flopsprof::agent

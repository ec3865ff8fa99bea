// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "collector/agent/graphs/graph_table.h"
#include "collector/agent/join/correlator.h"
#include "collector/agent/rings/ring_reader.h"
#include "collector/agent/rows/aggregator.h"
#include "collector/agent/tables/row_set.h"
#include "flopsprof/v1/profile.pb.h"
#include "proto/shm/records.h"

namespace flopsprof::agent {

// Replays of CUDA graphs of one process: each counts the calls that its executable holds once more,
// in the scope and phase of their capture and the step of the replay, and gives the times of its
// nodes to them.
//
// Rings are read one after the other, so a replay may be read before what it replays. It is
// settled when all rings have been read to their ends after it was read: whatever happened before
// it in the process has come by then, or was lost.
//
// Stands between correlator and aggregator. One thread; does not own the aggregator.
class GraphReplays final : public JoinSink {
 public:
  explicit GraphReplays(Aggregator* aggregator) : aggregator_(aggregator) {}

  void AddCall(RingId ring, const shm::GraphCall& record);
  // The record of a captured call; its GraphCall came before in the same ring.
  void AddCallRecord(RingId ring, uint32_t call, const CallRecord& record);
  void AddNode(RingId ring, const shm::GraphNode& record);
  void AddEvent(const shm::GraphEvent& event);
  void AddLaunch(const shm::GraphLaunch& launch);

  // After each pass over the rings; `emptied`: every ring was read to its end. `final`: nothing
  // more will come.
  void EndPass(bool emptied, bool final, Correlator* correlator);

  void OnJoined(const JoinedActivity& activity) override { aggregator_->OnJoined(activity); }
  void OnCallTime(const BookedCall& call, uint64_t ns) override {
    aggregator_->OnCallTime(call, ns);
  }
  void OnReplayed(const JoinedActivity& activity, uint32_t executable) override;

  size_t Emit(size_t max, v1::ProcessProfile* profile);

  struct Counters {
    uint64_t unknown_replays = 0;  // replays whose calls could not be counted
    uint64_t unknown_nodes = 0;    // timed nodes of known graphs that are none we have seen made
    uint64_t unlinked_calls = 0;   // captured calls of no known capture, or come too late
    uint64_t lost_events = 0;      // holes in the numbers of the events; right after the end
  };
  const Counters& counters() const { return counters_; }
  uint64_t refused_count() const { return refused_count_ + table_.refused_count(); }

 private:
  // Why the work of a replay is counted, or is not.
  enum class State : uint32_t { kCounted, kConditional, kUnseen, kEdited, kForgotten, kUnrecorded };
  static const char* StateText(State state);

  struct Row {
    uint64_t graphs = 0;
    uint64_t replays = 0;
    uint64_t calls = 0;
    uint64_t activities = 0;
    uint64_t gpu_time_ns = 0;
    uint64_t shared_ns = 0;
  };
  // What one replay of an executable adds, before step 0 and in a step.
  struct Sum {
    std::vector<RowChange> rows;
    std::array<model::FlopCount, shm::kPhaseCount> flops = {};
    uint64_t calls = 0;
    uint64_t waiting = 0;  // replays that are not in the rows yet
  };
  using Sums = std::array<std::shared_ptr<Sum>, 2>;
  static constexpr size_t kMaxWaiting = 1 << 16;
  static constexpr size_t kMaxCalls = 1 << 20;
  static constexpr size_t kMaxNodes = 1 << 20;
  static constexpr size_t kMaxSums = 1 << 12;

  static uint64_t CallKey(RingId ring, uint32_t call);
  State StateOf(uint32_t executable);
  void SettleAged(Correlator* correlator);
  void Settle(const shm::GraphLaunch& launch, Correlator* correlator);
  bool FirstReplay(uint32_t index, uint64_t address);
  const ReplayWork& WorkOf(CapturedCall* call, bool in_step);
  std::shared_ptr<Sum> SumOf(uint32_t executable, bool in_step);
  void AddWaitingReplays();
  void AddTime(State state, const JoinedActivity& activity);
  void GiveToNode(const JoinedActivity& activity, GraphNode* node, const GraphContent& content);
  bool ShareOut(const JoinedActivity& activity, const GraphContent& content);

  Aggregator* const aggregator_;
  GraphTable table_;
  absl::flat_hash_map<uint64_t, std::shared_ptr<CapturedCall>> open_calls_;
  std::deque<uint64_t> open_calls_order_;
  const std::shared_ptr<uint64_t> call_count_ = std::make_shared<uint64_t>(0);
  const std::shared_ptr<uint64_t> node_count_ = std::make_shared<uint64_t>(0);

  // Read in this pass and, aged, in one before.
  std::vector<shm::GraphEvent> events_, aged_events_;
  std::vector<shm::GraphLaunch> launches_, aged_launches_;
  absl::flat_hash_map<uint32_t, Sums> sums_;         // by executable
  absl::flat_hash_set<uint64_t> unknown_addresses_;  // replayed executables that are not known
  RowSet<uint32_t, Row> rows_{16};

  uint64_t first_order_ = 0, last_order_ = 0, event_count_ = 0;
  uint64_t refused_count_ = 0;
  Counters counters_;
};

}  // namespace flopsprof::agent

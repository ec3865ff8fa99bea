// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What CUDA graphs hold: library calls, and nodes with the scope and phase of their capture.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "collector/agent/calls/call_parts.h"
#include "collector/agent/rows/aggregator.h"
#include "collector/agent/tables/work.h"
#include "proto/shm/records.h"

namespace flopsprof::agent {

// A call as its hook recorded it.
using CallRecord = std::variant<shm::GemmCall, shm::LibraryCall, PartedCall, shm::CudnnCall,
                                shm::CollectiveCall, shm::OperationCall, shm::NamedWork>;

// Counts its living copies in a number that all of them share: what a process can make us keep is
// bounded, and what it has let go may come again.
class LiveCount {
 public:
  explicit LiveCount(std::shared_ptr<uint64_t> count) : count_(std::move(count)) { ++*count_; }
  ~LiveCount() { --*count_; }
  LiveCount(const LiveCount& other) : LiveCount(other.count_) {}
  LiveCount& operator=(const LiveCount&) = delete;

 private:
  const std::shared_ptr<uint64_t> count_;
};

struct CapturedCall {
  explicit CapturedCall(LiveCount count) : live(count) {}

  const LiveCount live;
  uint64_t capture = 0;             // CUDA's id
  std::vector<CallRecord> records;  // none: the library refused the call
  uint32_t nodes = 0;
  // What one replay adds, before step 0 and in a step; made at the first replay.
  std::array<std::optional<ReplayWork>, 2> work;
};

struct CaptureContent {
  std::vector<std::shared_ptr<CapturedCall>> calls;
};

struct GraphNode {
  explicit GraphNode(LiveCount count) : live(count) {}

  const LiveCount live;
  WorkContext context;
  shm::ActivityKind kind = shm::ActivityKind::kUnspecified;
  std::shared_ptr<CapturedCall> call;  // null: made outside of library calls
  // Sum and number of its times in replays that were timed per node.
  uint64_t time_ns = 0;
  uint64_t times = 0;
};

// Nodes of one graph by their number in it.
struct NodeSet {
  absl::flat_hash_map<uint32_t, GraphNode> nodes;
};

// What a graph, or an executable, holds at one moment.
struct GraphContent {
  std::vector<std::shared_ptr<CaptureContent>> captures;  // one that is in twice runs twice
  std::vector<uint64_t> capture_ids;
  std::vector<std::shared_ptr<NodeSet>> nodes;
  bool conditional = false;  // has bodies that run an unknown number of times
  bool edited = false;       // nodes were changed or switched off
  bool unrecorded = false;   // some of it was captured while work was not recorded

  void Append(const GraphContent& other);
  bool Holds(const CapturedCall& call) const;
};

}  // namespace flopsprof::agent

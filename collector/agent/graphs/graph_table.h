// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "collector/agent/graphs/graph_contents.h"
#include "proto/shm/records.h"

namespace flopsprof::agent {

// An executable graph between one change and the next.
struct Executable {
  std::shared_ptr<GraphContent> content;
  uint64_t address = 0;
  uint32_t id = 0;  // CUPTI's
  bool replayed = false;
};

// Which executable holds what: applies the events of graphs of one process in their order. One
// thread.
class GraphTable {
 public:
  // Events of one process must be applied by rising order.
  void Apply(const shm::GraphEvent& event);

  // What is captured; the content of an ended capture is final.
  std::shared_ptr<CaptureContent> OpenCapture(uint64_t capture);
  bool HasEnded(uint64_t capture) const { return ended_.contains(capture); }

  // Nodes of the graph with this CUPTI id, made when new. Null: too many.
  NodeSet* OpenNodes(uint32_t graph_id);
  // A copied node whose id does not follow from its source's by AddCopy.
  void AddNodeCopy(uint64_t node, uint64_t source);
  // The captured node that a node of an executable is a copy of; nullptr: not known. `content`: of
  // the executable, null if not known.
  GraphNode* FindNode(uint64_t node, const GraphContent* content) const;

  // The executable that had this address after event `order`; kUnknown: none that we know.
  static constexpr uint32_t kUnknown = 0;
  uint32_t Find(uint64_t address, uint64_t order) const;
  // The executable behind an index from Find. nullptr: unknown, or forgotten since.
  Executable* executable(uint32_t index);

  // What destroyed executables held is kept, since times of their last replays are to come, but not
  // for ever: forgets all but this many.
  void ForgetDestroyed(size_t keep);

  uint64_t refused_count() const { return refused_count_; }

 private:
  static constexpr size_t kMaxGraphs = 1 << 16;  // of each kind: open captures, node sets ...
  static constexpr size_t kMaxCopies = 1 << 20;
  static constexpr size_t kMaxHistory = 64;  // executables of one address, one after the other
  static constexpr size_t kKeptDestroyed = 1 << 14;

  struct Entry {
    uint64_t from_order = 0;
    uint32_t executable = kUnknown;
  };
  struct Graph {
    GraphContent content;
    uint32_t id = 0;
  };

  void OnCaptureEnd(const shm::GraphEvent& event);
  void OnInstantiate(const shm::GraphEvent& event);
  void OnChildLaunch(const shm::GraphEvent& event);
  void OnCopy(const shm::GraphEvent& event);  // a clone, or a child that is added
  void OnEdit(const shm::GraphEvent& event);
  void SetExecutable(const shm::GraphEvent& event, std::shared_ptr<GraphContent> content);
  void AddGraphCopy(uint32_t copy, uint32_t source);
  std::shared_ptr<NodeSet> NodesOf(uint32_t graph_id);
  std::shared_ptr<GraphContent> NewestContent(uint64_t executable) const;
  Graph* OpenGraph(uint64_t address);

  absl::flat_hash_map<uint64_t, GraphContent> children_;  // by open capture
  absl::flat_hash_map<uint64_t, std::shared_ptr<CaptureContent>> open_;
  absl::flat_hash_set<uint64_t> ended_;
  std::deque<uint64_t> ended_order_;
  absl::flat_hash_map<uint64_t, Graph> graphs_;                // by address
  absl::flat_hash_map<uint64_t, std::vector<Entry>> history_;  // by address
  absl::flat_hash_map<uint32_t, Executable> executables_;      // by index
  uint32_t newest_executable_ = kUnknown;
  std::deque<uint32_t> destroyed_;                                      // contents still needed
  absl::flat_hash_map<uint32_t, std::shared_ptr<NodeSet>> open_nodes_;  // of graphs in the making
  absl::flat_hash_map<uint32_t, std::weak_ptr<NodeSet>> nodes_;
  absl::flat_hash_map<uint32_t, uint32_t> graph_source_;  // CUPTI ids: copy -> source
  absl::flat_hash_map<uint64_t, uint64_t> node_source_;
  uint64_t refused_count_ = 0;
};

}  // namespace flopsprof::agent

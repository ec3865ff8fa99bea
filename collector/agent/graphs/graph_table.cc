// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/graphs/graph_table.h"

#include <algorithm>
#include <utility>

namespace flopsprof::agent {

using shm::GraphEventKind;

void GraphContent::Append(const GraphContent& other) {
  const auto append = [](auto* to, const auto& from) {
    to->insert(to->end(), from.begin(), from.end());
  };
  append(&captures, other.captures);
  append(&capture_ids, other.capture_ids);
  append(&nodes, other.nodes);
  conditional |= other.conditional;
  edited |= other.edited;
  unrecorded |= other.unrecorded;
}

bool GraphContent::Holds(const CapturedCall& call) const {
  return std::find(capture_ids.begin(), capture_ids.end(), call.capture) != capture_ids.end();
}

void GraphTable::Apply(const shm::GraphEvent& event) {
  switch (static_cast<GraphEventKind>(event.kind)) {
    case GraphEventKind::kCaptureEnd:
      return OnCaptureEnd(event);
    case GraphEventKind::kChildLaunch:
      return OnChildLaunch(event);
    case GraphEventKind::kInstantiate:
    case GraphEventKind::kUpdate:
      return OnInstantiate(event);
    case GraphEventKind::kClone:
    case GraphEventKind::kAddChild:
      return OnCopy(event);
    case GraphEventKind::kExecDestroy:
      return SetExecutable(event, nullptr);
    case GraphEventKind::kGraphDestroy: {
      const auto graph = graphs_.find(event.graph);
      if (graph == graphs_.end()) return;
      open_nodes_.erase(graph->second.id);
      graphs_.erase(graph);
      return;
    }
    case GraphEventKind::kConditional: {
      if (Graph* graph = OpenGraph(event.graph)) graph->content.conditional = true;
      return;
    }
    case GraphEventKind::kUnrecorded: {
      OnCaptureEnd(event);
      if (event.graph == 0) return;
      if (Graph* graph = OpenGraph(event.graph)) graph->content.unrecorded = true;
      return;
    }
    case GraphEventKind::kEdit:
      return OnEdit(event);
    default:
      return;
  }
}

void GraphTable::OnCaptureEnd(const shm::GraphEvent& event) {
  ended_.insert(event.capture);
  ended_order_.push_back(event.capture);
  if (ended_order_.size() > kMaxGraphs) {
    ended_.erase(ended_order_.front());
    ended_order_.pop_front();
  }
  std::shared_ptr<CaptureContent> content = OpenCapture(event.capture);
  open_.erase(event.capture);
  GraphContent children;
  if (const auto found = children_.find(event.capture); found != children_.end()) {
    children = std::move(found->second);
    children_.erase(found);
  }
  std::shared_ptr<NodeSet> nodes = NodesOf(event.graph_id);
  open_nodes_.erase(event.graph_id);
  if (event.graph == 0) return;
  Graph* opened = OpenGraph(event.graph);
  if (opened == nullptr) return;
  Graph& graph = *opened;
  graph.content.captures.push_back(std::move(content));
  graph.content.capture_ids.push_back(event.capture);
  graph.content.Append(children);
  // A graph that several captures went into has its nodes once.
  const bool new_nodes = graph.id == 0 || graph.id != event.graph_id;
  if (new_nodes && nodes != nullptr) graph.content.nodes.push_back(std::move(nodes));
  graph.id = event.graph_id;
}

void GraphTable::OnInstantiate(const shm::GraphEvent& event) {
  AddGraphCopy(event.other_id, event.graph_id);
  const auto graph = graphs_.find(event.graph);
  SetExecutable(event, graph == graphs_.end()
                           ? nullptr
                           : std::make_shared<GraphContent>(graph->second.content));
}

void GraphTable::OnChildLaunch(const shm::GraphEvent& event) {
  const std::shared_ptr<GraphContent> child = NewestContent(event.executable);
  GraphContent& children = children_[event.capture];
  if (child != nullptr) {
    children.Append(*child);
  } else {
    // What the child does is not known: nor is then what the whole does.
    children.edited = true;
  }
}

void GraphTable::OnCopy(const shm::GraphEvent& event) {
  const auto source = graphs_.find(event.source);
  const bool known = source != graphs_.end();
  const bool clone = event.kind == static_cast<uint8_t>(GraphEventKind::kClone);
  if (clone) AddGraphCopy(event.graph_id, event.other_id);
  // What a clone of an unknown graph does is as unknown; a child makes its parent so.
  if (clone && !known) return;
  const GraphContent copied = known ? source->second.content : GraphContent{};
  Graph* graph = OpenGraph(event.graph);  // may move the source
  if (graph == nullptr) return;
  if (clone) *graph = Graph();
  graph->content.Append(copied);
  graph->content.edited |= !known;
}

void GraphTable::OnEdit(const shm::GraphEvent& event) {
  const std::shared_ptr<GraphContent> content = NewestContent(event.executable);
  if (content == nullptr || content->edited) return;  // programs edit node after node
  auto edited = std::make_shared<GraphContent>(*content);
  edited->edited = true;
  SetExecutable(event, std::move(edited));
}

// Null: too many are alive.
GraphTable::Graph* GraphTable::OpenGraph(uint64_t address) {
  const auto found = graphs_.find(address);
  if (found != graphs_.end()) return &found->second;
  if (graphs_.size() >= kMaxGraphs) {
    refused_count_++;
    return nullptr;
  }
  return &graphs_[address];
}

void GraphTable::SetExecutable(const shm::GraphEvent& event,
                               std::shared_ptr<GraphContent> content) {
  const auto known = history_.find(event.executable);
  if (content == nullptr && known == history_.end()) return;  // unknown, as before
  std::vector<Entry>& entries =
      known != history_.end() ? known->second : history_[event.executable];
  if (!entries.empty() && entries.back().executable != kUnknown) {
    destroyed_.push_back(entries.back().executable);
  }
  uint32_t index = kUnknown;
  if (content != nullptr) {
    index = ++newest_executable_;
    executables_[index] = {std::move(content), event.executable, event.other_id, false};
  }
  entries.push_back({event.order, index});
  if (entries.size() > kMaxHistory) entries.erase(entries.begin());
  ForgetDestroyed(kKeptDestroyed);
}

void GraphTable::ForgetDestroyed(size_t keep) {
  for (; destroyed_.size() > keep; destroyed_.pop_front()) {
    const auto executable = executables_.find(destroyed_.front());
    if (executable == executables_.end()) continue;
    const auto history = history_.find(executable->second.address);
    if (history != history_.end()) {
      std::vector<Entry>& entries = history->second;
      const auto last = std::find_if(entries.begin(), entries.end(), [&](const Entry& entry) {
        return entry.executable == destroyed_.front();
      });
      // It and what was before it; a destruction is of no use without what is destroyed.
      if (last != entries.end()) entries.erase(entries.begin(), last + 1);
      if (entries.size() == 1 && entries.front().executable == kUnknown) entries.clear();
      if (entries.empty()) history_.erase(history);
    }
    // An update has left its id to the next one.
    const Executable* newest = this->executable(Find(executable->second.address, UINT64_MAX));
    const uint32_t id = executable->second.id;
    if (newest == nullptr || newest->id != id) graph_source_.erase(id);
    executables_.erase(executable);
  }
}

Executable* GraphTable::executable(uint32_t index) {
  const auto found = executables_.find(index);
  return found == executables_.end() ? nullptr : &found->second;
}

uint32_t GraphTable::Find(uint64_t address, uint64_t order) const {
  const auto found = history_.find(address);
  if (found == history_.end()) return kUnknown;
  for (auto entry = found->second.rbegin(); entry != found->second.rend(); ++entry) {
    if (entry->from_order <= order) return entry->executable;
  }
  return kUnknown;
}

std::shared_ptr<GraphContent> GraphTable::NewestContent(uint64_t address) const {
  const uint32_t index = Find(address, UINT64_MAX);
  const auto found = executables_.find(index);
  return found == executables_.end() ? nullptr : found->second.content;
}

std::shared_ptr<CaptureContent> GraphTable::OpenCapture(uint64_t capture) {
  const auto found = open_.find(capture);
  if (found != open_.end()) return found->second;
  auto content = std::make_shared<CaptureContent>();
  if (open_.size() >= kMaxGraphs) {
    refused_count_++;
    return content;
  }
  open_.emplace(capture, content);
  return content;
}

std::shared_ptr<NodeSet> GraphTable::NodesOf(uint32_t graph_id) {
  const auto found = nodes_.find(graph_id);
  return found == nodes_.end() ? nullptr : found->second.lock();
}

NodeSet* GraphTable::OpenNodes(uint32_t graph_id) {
  if (std::shared_ptr<NodeSet> known = NodesOf(graph_id)) return known.get();
  if (nodes_.size() >= kMaxGraphs) {
    absl::erase_if(nodes_, [](const auto& entry) { return entry.second.expired(); });
    if (nodes_.size() >= kMaxGraphs) {
      refused_count_++;
      return nullptr;
    }
  }
  auto nodes = std::make_shared<NodeSet>();
  nodes_[graph_id] = nodes;
  open_nodes_[graph_id] = nodes;
  return nodes.get();
}

void GraphTable::AddGraphCopy(uint32_t copy, uint32_t source) {
  if (copy == 0 || source == 0) return;
  if (graph_source_.size() >= kMaxCopies) {
    refused_count_++;
    return;
  }
  graph_source_[copy] = source;
}

void GraphTable::AddNodeCopy(uint64_t node, uint64_t source) {
  if (node_source_.size() >= kMaxCopies) {
    refused_count_++;
    return;
  }
  node_source_[node] = source;
}

GraphNode* GraphTable::FindNode(uint64_t node, const GraphContent* content) const {
  // Not by the ids of graphs where it can be avoided: an executable keeps its id when it is
  // updated, and times of replays before the update may still come.
  if (content != nullptr && content->nodes.size() == 1 && !node_source_.contains(node)) {
    auto& nodes = content->nodes.front()->nodes;
    const auto found = nodes.find(static_cast<uint32_t>(node));
    return found == nodes.end() ? nullptr : &found->second;
  }
  constexpr int kMaxGenerations = 16;  // copies of copies
  for (int i = 0; i < kMaxGenerations; i++) {
    const auto set = nodes_.find(static_cast<uint32_t>(node >> 32));
    if (set != nodes_.end()) {
      if (const std::shared_ptr<NodeSet> nodes = set->second.lock()) {
        const auto found = nodes->nodes.find(static_cast<uint32_t>(node));
        if (found != nodes->nodes.end()) return &found->second;
      }
    }
    if (const auto copy = node_source_.find(node); copy != node_source_.end()) {
      node = copy->second;
      continue;
    }
    const auto graph = graph_source_.find(static_cast<uint32_t>(node >> 32));
    if (graph == graph_source_.end()) return nullptr;
    node = uint64_t{graph->second} << 32 | static_cast<uint32_t>(node);
  }
  return nullptr;
}

}  // namespace flopsprof::agent

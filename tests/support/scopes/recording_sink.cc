// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/scopes/recording_sink.h"

#include <string.h>

#include <atomic>
#include <mutex>

namespace flopsprof {

namespace {

struct Sink {
  std::mutex mutex;
  std::vector<test::RecordedRecord> records;
  std::string refused;
  std::vector<std::string> strings{""};
  std::map<std::string, uint32_t> ids;
  std::map<std::string, std::string> notes;
  std::atomic<uint64_t> losses[shm::kLossCounterSlots] = {};
  std::atomic<uint64_t> module_calls{0}, backward_nodes{0};
};

// Read on every record: outside of the sink, whose first use is guarded.
std::atomic<bool> g_discard{false}, g_timed{false};
// One word, as in the segment: the benchmarks count the instructions of a call.
std::atomic<shm::Recording> g_recorded{shm::Recording::kNothing};
std::atomic<uint32_t> g_epoch{0};
thread_local test::RecordedRecord t_ring[8];
thread_local unsigned t_next;

Sink& TheSink() {
  static Sink* const sink = new Sink;
  return *sink;
}

}  // namespace

namespace test {

void BeginRecording() {
  Sink& sink = TheSink();
  std::lock_guard<std::mutex> lock(sink.mutex);
  sink.records.clear();
  sink.notes.clear();
  for (auto& loss : sink.losses) loss = 0;
  sink.module_calls = sink.backward_nodes = 0;
  ++g_epoch;
  g_recorded = g_timed ? shm::Recording::kTimedWork : shm::Recording::kWork;
}
void StopRecording() { g_recorded = shm::Recording::kNothing; }
void RecordHostClock(bool timed) {
  g_timed = timed;
  if (g_recorded.load() == shm::Recording::kNothing) return;
  g_recorded = timed ? shm::Recording::kTimedWork : shm::Recording::kWork;
}
void DiscardRecords(bool discard) { g_discard = discard; }
std::vector<RecordedRecord> TakeRecords() {
  Sink& sink = TheSink();
  std::lock_guard<std::mutex> lock(sink.mutex);
  return std::move(sink.records);
}
std::string RecordedString(uint32_t id) {
  Sink& sink = TheSink();
  std::lock_guard<std::mutex> lock(sink.mutex);
  return id < sink.strings.size() ? sink.strings[id] : "?";
}
void RefuseString(const std::string& text) {
  std::lock_guard<std::mutex> lock(TheSink().mutex);
  TheSink().refused = text;
}
uint64_t RecordedLoss(shm::LossCounter counter) {
  return TheSink().losses[static_cast<uint32_t>(counter)];
}
std::map<std::string, std::string> RecordedNotes() {
  std::lock_guard<std::mutex> lock(TheSink().mutex);
  return TheSink().notes;
}
uint64_t RecordedModuleCalls() { return TheSink().module_calls; }
uint64_t RecordedBackwardNodes() { return TheSink().backward_nodes; }

}  // namespace test

namespace injector {

shm::Recording WhatIsRecorded() { return g_recorded.load(std::memory_order_relaxed); }
bool IsRecording() {
  return g_recorded.load(std::memory_order_relaxed) != shm::Recording::kNothing;
}
bool IsRecordingTimed() {
  return g_recorded.load(std::memory_order_relaxed) == shm::Recording::kTimedWork;
}
bool IsConnected() {
  return g_recorded.load(std::memory_order_relaxed) != shm::Recording::kNothing;
}
uint32_t SessionEpoch() { return g_epoch.load(std::memory_order_relaxed); }

void* ReserveRecord() { return nullptr; }  // all go through EmitRecord

void CommitRecord() {}

bool ReserveRoom(uint64_t) { return IsRecording(); }

bool EmitRecord(const void* record) {
  if (g_recorded.load(std::memory_order_relaxed) == shm::Recording::kNothing) return false;
  if (g_discard.load(std::memory_order_relaxed)) {
    memcpy(t_ring[t_next++ % 8].bytes, record, shm::kRecordBytes);
    return true;
  }
  Sink& sink = TheSink();
  std::lock_guard<std::mutex> lock(sink.mutex);
  test::RecordedRecord copy;
  memcpy(copy.bytes, record, sizeof(copy.bytes));
  sink.records.push_back(copy);
  return true;
}

bool TryInternString(const char* text, size_t bytes, uint32_t* id) {
  Sink& sink = TheSink();
  std::lock_guard<std::mutex> lock(sink.mutex);
  const std::string key(text, bytes);
  *id = 0;
  if (key.empty()) return true;
  if (key == sink.refused) return false;
  auto [found, added] = sink.ids.emplace(key, sink.strings.size());
  if (added) sink.strings.push_back(key);
  *id = found->second;
  return true;
}
uint32_t InternString(const char* text, size_t bytes) {
  uint32_t id;
  TryInternString(text, bytes, &id);
  return id;
}
uint32_t InternString(const char* text) { return InternString(text, strlen(text)); }

void EmitNote(const char* key, const char* value) {
  std::lock_guard<std::mutex> lock(TheSink().mutex);
  TheSink().notes[key] = value;
}

void CountLoss(shm::LossCounter counter, uint64_t count) {
  TheSink().losses[static_cast<uint32_t>(counter)] += count;
}
void CountModuleCalls(uint64_t count) {
  if (g_discard.load(std::memory_order_relaxed)) return;
  TheSink().module_calls += count;
}
void CountBackwardNodes(uint64_t count) {
  if (g_discard.load(std::memory_order_relaxed)) return;
  TheSink().backward_nodes += count;
}

}  // namespace injector
}  // namespace flopsprof

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/transport/record_sink.h"

#include <string.h>

#include <atomic>

#include "injector/base/platform.h"
#include "injector/transport/segment.h"
#include "injector/transport/string_table.h"
#include "injector/transport/thread_state.h"

namespace flopsprof::injector {
namespace {

constexpr uint64_t kFullRingPollNs = 100000;

StringTable strings;

// The program waits for what our thread does: it must not wait for the agent meanwhile.
std::atomic<int> nobody_waits{0};

// The newest value of each key, as ids of strings: key << 32 | value. Keys are few; one beyond is
// not told again.
constexpr int kMostNotes = 64;
std::atomic<uint64_t> notes[kMostNotes];

void KeepNote(uint32_t key, uint32_t value) {
  const uint64_t now = uint64_t{key} << 32 | value;
  for (std::atomic<uint64_t>& note : notes) {
    uint64_t known = note.load(std::memory_order_relaxed);
    while (known == 0 || known >> 32 == key) {
      if (note.compare_exchange_weak(known, now, std::memory_order_relaxed)) return;
    }
  }
}

enum class Outcome { kWritten, kAway, kLost };

// The calling thread's state with a ring, or nullptr when nothing can be written: counted, but
// while the agent is away.
ThreadState* ThreadWithRing(uint64_t lost_if_none, Outcome* outcome) {
  ThreadState* thread = CurrentThread();
  if (!IsAway() && thread != nullptr && EnsureRing(thread)) return thread;
  *outcome = IsAway() ? Outcome::kAway : Outcome::kLost;
  if (*outcome == Outcome::kLost) CountLoss(shm::LossCounter::kNoSlot, lost_if_none);
  return nullptr;
}

// Room for `count` records. Only threads that said so (CUPTI's and our own, never a launching
// thread) wait for the agent.
bool WaitForRoom(ThreadState* thread, uint64_t count) {
  if (count > thread->ring.capacity()) return false;
  while (!thread->ring.HasRoom(count)) {
    if (nobody_waits.load(std::memory_order_relaxed) != 0) return false;
    if (MonoNs() >= thread->patient_until_ns || !IsConnected()) return false;
    SleepNs(kFullRingPollNs);
  }
  return true;
}

void CountRingFull(ThreadState* thread, uint64_t count) {
  thread->ring.CountDropped(count);
  CountLoss(shm::LossCounter::kRingFull, count);
}

}  // namespace

NobodyWaitsForRoom::NobodyWaitsForRoom() { nobody_waits.fetch_add(1, std::memory_order_relaxed); }
NobodyWaitsForRoom::~NobodyWaitsForRoom() { nobody_waits.fetch_sub(1, std::memory_order_relaxed); }

namespace {

Outcome Put(const void* record) {
  Outcome outcome = Outcome::kLost;
  ThreadState* thread = ThreadWithRing(1, &outcome);
  if (thread == nullptr) return outcome;
  if (thread->ring.Write(record)) return Outcome::kWritten;
  if (WaitForRoom(thread, 1) && thread->ring.Write(record)) return Outcome::kWritten;
  CountRingFull(thread, 1);
  return Outcome::kLost;
}

void CountUnwrittenCall(Outcome outcome) {
  shm::SegmentHeader* counts = Statistics();
  if (outcome == Outcome::kAway) {
    counts->calls_away.fetch_add(1, std::memory_order_relaxed);
    counts->loss[static_cast<uint32_t>(shm::LossCounter::kAgentAway)].fetch_add(
        1, std::memory_order_relaxed);
  } else {
    counts->calls_dropped.fetch_add(1, std::memory_order_relaxed);
  }
}

}  // namespace

bool EmitRecord(const void* record) {
  if (!IsConnected()) return false;
  ThreadState* known = current_thread_state;
  if (__builtin_expect(known != nullptr && HasRing(known) && known->ring.Write(record), 1)) {
    return true;
  }
  return Put(record) != Outcome::kLost;
}

bool EmitCall(const void* record) {
  if (!IsConnected()) return false;
  ThreadState* known = current_thread_state;
  Outcome outcome = Outcome::kWritten;
  if (known == nullptr || !HasRing(known) || !known->ring.Write(record)) outcome = Put(record);
  if (outcome == Outcome::kWritten) {
    current_thread_state->ring.CountCall();
  } else {
    CountUnwrittenCall(outcome);
  }
  return outcome != Outcome::kLost;
}

void CommitCall() {
  current_thread_state->ring.Commit();
  current_thread_state->ring.CountCall();
}

void CountCallWithoutRoom() {
  if (IsConnected()) CountUnwrittenCall(IsAway() ? Outcome::kAway : Outcome::kLost);
}

void CountAwayLaunch() {
  shm::SegmentHeader* counts = Statistics();
  counts->launches.fetch_add(1, std::memory_order_relaxed);
  counts->launches_away.fetch_add(1, std::memory_order_relaxed);
  CountLoss(shm::LossCounter::kAgentAway);
}

void* ReserveRecord() {
  if (!IsConnected()) return nullptr;
  ThreadState* thread = current_thread_state;
  return thread != nullptr && HasRing(thread) ? thread->ring.Reserve() : nullptr;
}

void CommitRecord() { current_thread_state->ring.Commit(); }

bool ReserveRoom(uint64_t count) {
  if (!IsConnected()) return false;
  Outcome outcome = Outcome::kLost;
  ThreadState* thread = ThreadWithRing(count, &outcome);
  if (thread == nullptr) {
    if (current_thread_state != nullptr) current_thread_state->has_room = false;
    return outcome == Outcome::kAway;
  }
  thread->has_room = true;
  if (thread->ring.HasRoom(count) || WaitForRoom(thread, count)) return true;
  CountRingFull(thread, count);
  return false;
}

void AwaitRoom(uint64_t count) {
  if (IsAway() || !IsConnected()) return;
  ThreadState* thread = CurrentThread();
  if (thread == nullptr || !EnsureRing(thread)) return;
  const uint64_t most = thread->ring.capacity();
  WaitForRoom(thread, count < most ? count : most);
}

void EmitPart(const void* record) {
  ThreadState* thread = current_thread_state;
  if (thread != nullptr && thread->has_room) thread->ring.Write(record);
}

void EmitLastPart(const void* record) {
  ThreadState* thread = current_thread_state;
  if (thread == nullptr || !thread->has_room) return CountUnwrittenCall(Outcome::kAway);
  thread->ring.Write(record);
  thread->ring.CountCall();
}

size_t LongestBlobBytes() {
  const shm::SegmentHeader* segment = CurrentSegment();
  if (segment == nullptr) return shm::kMaxBlobBytes;
  // Those of the next segment, if it came just now: then the blob has room there, or is counted.
  const uint64_t records = CurrentSlotPlaces().ring_records;
  const uint64_t bytes = sizeof(shm::BlobBegin::data) + (records - 1) * sizeof(shm::BlobPart::data);
  return bytes < shm::kMaxBlobBytes ? bytes : shm::kMaxBlobBytes;
}

bool EmitBlob(shm::BlobKind kind, uint32_t id, const char* data, size_t bytes) {
  if (!IsConnected()) return false;
  if (bytes > shm::kMaxBlobBytes) {
    CountLoss(shm::LossCounter::kBlobTooLarge);
    return false;
  }
  constexpr size_t kBeginBytes = sizeof(shm::BlobBegin::data);
  constexpr size_t kPartBytes = sizeof(shm::BlobPart::data);
  const size_t inline_bytes = bytes < kBeginBytes ? bytes : kBeginBytes;
  const uint64_t record_count = 1 + (bytes - inline_bytes + kPartBytes - 1) / kPartBytes;
  // All or nothing: a blob with a hole would be of no use.
  if (!ReserveRoom(record_count)) return false;
  ThreadState* thread = current_thread_state;
  if (thread == nullptr || !thread->has_room) return true;  // the agent is away
  shm::BlobBegin begin{};
  begin.header.type = static_cast<uint16_t>(shm::RecordType::kBlobBegin);
  begin.header.step = shm::kNoStep;
  begin.kind = static_cast<uint16_t>(kind);
  begin.id = id;
  begin.total_bytes = static_cast<uint32_t>(bytes);
  begin.inline_bytes = static_cast<uint32_t>(inline_bytes);
  memcpy(begin.data, data, inline_bytes);
  thread->ring.Write(&begin);
  for (size_t offset = inline_bytes; offset < bytes; offset += kPartBytes) {
    shm::BlobPart part{};
    part.header.type = static_cast<uint16_t>(shm::RecordType::kBlobPart);
    part.header.step = shm::kNoStep;
    part.id = id;
    part.offset = static_cast<uint32_t>(offset);
    memcpy(part.data, data + offset, bytes - offset < kPartBytes ? bytes - offset : kPartBytes);
    thread->ring.Write(&part);
  }
  return true;
}

bool TryInternString(const char* text, size_t bytes, uint32_t* id) {
  *id = shm::kNoString;
  if (text == nullptr || bytes == 0 || !IsConnected()) return true;
  if (bytes > StringTable::kMaxStringBytes) CountLoss(shm::LossCounter::kBlobTooLarge);
  StringTable::Entry* entry = strings.Intern(text, bytes);
  if (entry == nullptr) {
    CountLoss(shm::LossCounter::kStringTableFull);
    return true;
  }
  const uint32_t epoch = SessionEpoch();
  if (entry->defined_epoch.load(std::memory_order_relaxed) != epoch) {
    // Two threads may both send it: the second definition says the same.
    if (!EmitBlob(shm::BlobKind::kString, entry->id, entry->text, entry->bytes)) {
      return false;
    }
    entry->defined_epoch.store(epoch, std::memory_order_relaxed);
  }
  *id = entry->id;
  return true;
}

uint32_t InternString(const char* text, size_t bytes) {
  uint32_t id;
  TryInternString(text, bytes, &id);
  return id;
}

uint32_t InternString(const char* text) {
  return text == nullptr ? shm::kNoString : InternString(text, strlen(text));
}

void CountModuleCalls(uint64_t count) {
  if (ThreadState* thread = CurrentThread()) AddOwn(&thread->module_calls, count);
}

void CountBackwardNodes(uint64_t count) {
  if (ThreadState* thread = CurrentThread()) AddOwn(&thread->nodes, count);
}

void EmitNote(const char* key, const char* value) {
  shm::NoteRecord note{};
  note.header.type = static_cast<uint16_t>(shm::RecordType::kNote);
  note.header.step = shm::kNoStep;
  // A note without the half that it had no room for would say something else: counted there.
  if (!TryInternString(key, strlen(key), &note.key)) return;
  if (value != nullptr && !TryInternString(value, strlen(value), &note.value)) return;
  if (note.key == shm::kNoString) return;
  KeepNote(note.key, note.value);
  EmitRecord(&note);
}

void TellAgain() {
  const uint32_t epoch = SessionEpoch();
  // Names first: nobody waits for one then whose id was kept, and looks it up no more.
  for (uint32_t id = 1;; ++id) {
    StringTable::Entry* entry = strings.Find(id);
    if (entry == nullptr) break;
    if (entry->defined_epoch.load(std::memory_order_relaxed) == epoch) continue;
    if (SessionEpoch() != epoch) return;
    if (!EmitBlob(shm::BlobKind::kString, entry->id, entry->text, entry->bytes)) continue;
    entry->defined_epoch.store(epoch, std::memory_order_relaxed);
  }
  for (const std::atomic<uint64_t>& kept : notes) {
    const uint64_t words = kept.load(std::memory_order_relaxed);
    if (words == 0) return;
    shm::NoteRecord note{};
    note.header.type = static_cast<uint16_t>(shm::RecordType::kNote);
    note.header.step = shm::kNoStep;
    note.key = static_cast<uint32_t>(words >> 32);
    note.value = static_cast<uint32_t>(words);
    EmitRecord(&note);
  }
}

}  // namespace flopsprof::injector

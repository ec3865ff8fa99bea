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

// The calling thread's state with a ring, or nullptr (counted) when nothing can be written.
ThreadState* ThreadWithRing(uint64_t lost_if_none) {
  ThreadState* thread = CurrentThread();
  if (thread != nullptr && (EnsureRing(thread))) return thread;
  CountLoss(shm::LossCounter::kNoSlot, lost_if_none);
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

bool EmitRecord(const void* record) {
  if (!IsConnected()) return false;
  ThreadState* known = current_thread_state;
  if (__builtin_expect(known != nullptr && HasRing(known) && known->ring.Write(record), 1)) {
    return true;
  }
  ThreadState* thread = ThreadWithRing(1);
  if (thread == nullptr) return false;
  if (thread->ring.Write(record)) return true;
  if (WaitForRoom(thread, 1) && thread->ring.Write(record)) return true;
  CountRingFull(thread, 1);
  return false;
}

void* ReserveRecord() {
  if (!IsConnected()) return nullptr;
  ThreadState* thread = current_thread_state;
  return thread != nullptr && HasRing(thread) ? thread->ring.Reserve() : nullptr;
}

void CommitRecord() { current_thread_state->ring.Commit(); }

bool ReserveRoom(uint64_t count) {
  if (!IsConnected()) return false;
  ThreadState* thread = ThreadWithRing(count);
  if (thread == nullptr) return false;
  if (thread->ring.HasRoom(count) || WaitForRoom(thread, count)) return true;
  CountRingFull(thread, count);
  return false;
}

size_t LongestBlobBytes() {
  const shm::SegmentHeader* segment = CurrentSegment();
  if (segment == nullptr) return shm::kMaxBlobBytes;
  const uint64_t records = segment->ring_records;
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
  if (note.key != shm::kNoString) EmitRecord(&note);
}

}  // namespace flopsprof::injector

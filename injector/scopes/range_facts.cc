// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Records of entries that carry a category or a number, and of marks.

#include "injector/base/platform.h"
#include "injector/scopes/attribution.h"
#include "injector/scopes/scope_stack.h"
#include "injector/scopes/scope_table.h"
#include "injector/scopes/scopes.h"
#include "injector/scopes/started_ranges.h"
#include "injector/scopes/steps.h"
#include "injector/scopes/text_table.h"
#include "injector/transport/record_sink.h"

namespace flopsprof::injector {

namespace {

// Room in the table of strings for all else.
constexpr uint32_t kMaxMarkTexts = 1u << 12;
TextTable<kMaxMarkTexts> g_mark_texts;

}  // namespace

namespace {

// The clock is read last: the rest is not the scope's time.
void Emit(const RangeFacts& facts, uint32_t scope, shm::Phase phase, uint32_t frame, uint64_t range,
          bool timed) {
  shm::ScopeEnter record = {};
  record.header.type = static_cast<uint16_t>(shm::RecordType::kScopeEnter);
  record.header.phase = static_cast<uint8_t>(phase);
  record.header.step = CurrentStep();
  record.scope = scope;
  record.category = facts.category;
  if (facts.category_name != nullptr) record.category_name = InternString(facts.category_name);
  record.payload_type = static_cast<uint8_t>(facts.payload_type);
  record.payload = facts.payload;
  if (timed) {
    record.frame = frame;
    record.range = range;
    record.mono_ns = MonoNs();
  }
  EmitRecord(&record);
}

}  // namespace

uint32_t EmitScopeEnterWith(const RangeFacts& facts, uint32_t scope, shm::Phase phase,
                            uint32_t depth) {
  if (scope == shm::kOutsideScope || !IsConnected()) return depth;
  EnsureScopeDefined(scope);
  if (!IsRecording()) return depth;
  const bool timed = IsRecordingTimed();
  Emit(facts, scope, phase, depth, 0, timed);
  return timed ? ThisThread().MarkTimed() : depth;
}

uint64_t EmitRangeStartWith(const RangeFacts& facts, uint32_t scope, uint64_t id) {
  if (scope == shm::kOutsideScope || !IsConnected()) return id;
  EnsureScopeDefined(scope);
  if (!IsRecording()) return id;
  const bool timed = IsRecordingTimed() && id != 0;
  Emit(facts, scope, shm::Phase::kOther, 0, id, timed);
  return timed ? id | kTimedRangeId : id;
}

bool EndTimedRange(uint64_t id) {
  if ((id & kTimedRangeId) == 0) return false;
  id &= ~kTimedRangeId;
  const uint32_t scope = ScopeOfStartedRange(id);
  if (!EndStartedRange(id)) return false;
  EmitScopeExit(scope, 0, shm::Phase::kOther, shm::ScopeExitKind::kStarted, id);
  return true;
}

void EmitScopeExit(uint32_t scope, uint32_t frame, shm::Phase phase, shm::ScopeExitKind kind,
                   uint64_t range) {
  if (!IsRecordingTimed()) return;
  shm::ScopeExit record = {};
  record.mono_ns = MonoNs();
  record.header.type = static_cast<uint16_t>(shm::RecordType::kScopeExit);
  record.header.phase = static_cast<uint8_t>(phase);
  record.header.step = CurrentStep();
  record.scope = scope;
  record.frame = frame;
  record.range = range;
  record.kind = static_cast<uint8_t>(kind);
  EmitRecord(&record);
}

void ForgetMarksForTesting() { g_mark_texts.ForgetForTesting(); }

void EmitMark(const RangeFacts& facts, const char* domain, const char* name, size_t bytes) {
  if (!IsRecording()) return;
  if (bytes > kMaxScopeNameBytes) {
    bytes = kMaxScopeNameBytes;
    CountLoss(shm::LossCounter::kBlobTooLarge);
  }
  const KeptText* text = g_mark_texts.FindOrAdd(name, bytes);
  if (text == nullptr) CountLoss(shm::LossCounter::kScopeTableFull);
  const Attribution now = CurrentAttribution();
  EnsureScopeDefined(now.scope);
  shm::MarkRecord record = {};
  record.header.type = static_cast<uint16_t>(shm::RecordType::kMark);
  record.header.phase = static_cast<uint8_t>(now.phase);
  record.header.step = now.step;
  record.scope = now.scope;
  record.name = text == nullptr ? InternString("(other)") : InternString(text->text, text->bytes);
  if (domain != nullptr) record.domain = InternString(domain);
  record.category = facts.category;
  if (facts.category_name != nullptr) record.category_name = InternString(facts.category_name);
  record.payload_type = static_cast<uint8_t>(facts.payload_type);
  record.payload = facts.payload;
  EmitRecord(&record);
}

}  // namespace flopsprof::injector

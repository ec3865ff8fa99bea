// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Records of entries that carry a category or a number, and of marks.

#include "injector/scopes/attribution.h"
#include "injector/scopes/scope_table.h"
#include "injector/scopes/scopes.h"
#include "injector/scopes/steps.h"
#include "injector/scopes/text_table.h"
#include "injector/transport/record_sink.h"

namespace flopsprof::injector {

namespace {

// Room in the table of strings for all else.
constexpr uint32_t kMaxMarkTexts = 1u << 12;
TextTable<kMaxMarkTexts> g_mark_texts;

}  // namespace

void EmitScopeEnterWith(const RangeFacts& facts, uint32_t scope, shm::Phase phase) {
  if (scope == shm::kOutsideScope || !IsConnected()) return;
  EnsureScopeDefined(scope);
  if (!IsRecording()) return;
  shm::ScopeEnter record = {};
  record.header.type = static_cast<uint16_t>(shm::RecordType::kScopeEnter);
  record.header.phase = static_cast<uint8_t>(phase);
  record.header.step = CurrentStep();
  record.scope = scope;
  record.category = facts.category;
  if (facts.category_name != nullptr) record.category_name = InternString(facts.category_name);
  record.payload_type = static_cast<uint8_t>(facts.payload_type);
  record.payload = facts.payload;
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

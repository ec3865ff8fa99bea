// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/rows/range_rows.h"

#include <string>
#include <utility>

namespace flopsprof::agent {
namespace {

// Null: wait for it.
const std::string* TextOf(const NameTable& names, uint32_t id, bool final) {
  static const std::string kLost = "(name lost)";
  const std::string* text = names.Find(id);
  return text == nullptr && final ? &kLost : text;
}

template <class Row>
void SetNumbers(const model::NumberSums& numbers, Row* out) {
  out->set_sum(numbers.sum());
  out->set_min(numbers.min());
  out->set_max(numbers.max());
  out->set_last(numbers.last());
}

// Only what the category is called stays.
template <class Row>
Row TakeSums(Row* row) {
  Row empty;
  empty.category_name = row->category_name;
  return std::exchange(*row, empty);
}

// A type that is not known here carries no number.
uint8_t KnownType(uint8_t type) { return type < shm::kPayloadTypeCount ? type : 0; }

}  // namespace

void RangeRows::AddEntry(const shm::ScopeEnter& record) {
  const uint8_t type = KnownType(record.payload_type);
  if (record.category == 0 && type == 0) return;
  const uint32_t index = entries_.FindOrAdd({record.scope, record.category, type});
  if (index == kNoRow) return;
  EntryRow& row = entries_.Change(index);
  row.entries++;
  if (record.category_name != shm::kNoString) row.category_name = record.category_name;
  row.numbers.Add(static_cast<v1::PayloadType>(type), record.payload);
}

void RangeRows::AddMark(const shm::MarkRecord& record) {
  const uint8_t type = KnownType(record.payload_type);
  const uint32_t index = marks_.FindOrAdd({record.scope, record.domain, record.name,
                                           record.category, type, LoopOfStep(record.header.step)});
  if (index == kNoRow) return;
  MarkRow& row = marks_.Change(index);
  row.count++;
  if (record.category_name != shm::kNoString) row.category_name = record.category_name;
  row.numbers.Add(static_cast<v1::PayloadType>(type), record.payload);
  if (!InStep(record.header.step)) return;
  const uint32_t step = record.header.step & shm::kStepKeyMask;
  if (row.in_steps++ == 0) row.steps = {step, step};
  row.steps.Add({step, step});
}

size_t RangeRows::Emit(const NameTable& names, size_t max, bool final,
                       v1::ProcessProfile* profile) {
  const size_t emitted = entries_.EmitChanged(max, [&](const EntryKey& key, EntryRow& kept) {
    const std::string* category_name = TextOf(names, kept.category_name, final);
    if (category_name == nullptr) return false;
    const EntryRow row = TakeSums(&kept);
    v1::RangeRow* out = profile->add_range_rows();
    out->set_scope(std::get<0>(key));
    out->set_category(std::get<1>(key));
    out->set_payload_type(static_cast<v1::PayloadType>(std::get<2>(key)));
    out->set_category_name(*category_name);
    out->set_entries(row.entries);
    SetNumbers(row.numbers, out);
    return true;
  });
  return emitted + EmitMarks(names, max - emitted, final, profile);
}

size_t RangeRows::EmitMarks(const NameTable& names, size_t max, bool final,
                            v1::ProcessProfile* profile) {
  return marks_.EmitChanged(max, [&](const MarkKey& key, MarkRow& kept) {
    const std::string* category_name = TextOf(names, kept.category_name, final);
    const std::string* domain = TextOf(names, std::get<1>(key), final);
    const std::string* name = TextOf(names, std::get<2>(key), final);
    if (category_name == nullptr || domain == nullptr || name == nullptr) return false;
    const MarkRow row = TakeSums(&kept);
    v1::MarkRow* out = profile->add_marks();
    out->set_scope(std::get<0>(key));
    out->set_domain(*domain);
    out->set_name(*name);
    out->set_category(std::get<3>(key));
    out->set_payload_type(static_cast<v1::PayloadType>(std::get<4>(key)));
    out->set_category_name(*category_name);
    out->set_count(row.count);
    out->set_in_steps(row.in_steps);
    out->set_loop(std::get<5>(key));
    out->set_first_step(row.steps.first);
    out->set_last_step(row.steps.last);
    SetNumbers(row.numbers, out);
    return true;
  });
}

}  // namespace flopsprof::agent

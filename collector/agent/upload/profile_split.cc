// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/upload/profile_split.h"

#include <google/protobuf/message.h>

#include <utility>

namespace flopsprof::agent {
namespace {

// What is taken is said with the rows that have it, so that both are stored or lost together.
void CountTaken(const v1::EpochRow& facts, v1::ProcessProfile* part) {
  uint64_t calls = 0;
  uint64_t activities = 0;
  for (v1::CallRow& row : *part->mutable_calls()) {
    calls += row.calls() - row.unrecorded_calls();
    row.clear_unrecorded_calls();
  }
  for (v1::TimeRow& row : *part->mutable_times()) {
    activities += row.activities() - row.unrecorded_activities();
    row.clear_unrecorded_activities();
  }
  if (facts.epoch() == 0 || (calls == 0 && activities == 0)) return;
  v1::EpochRow& epoch = part->epochs_size() > 0 ? *part->mutable_epochs(0) : *part->add_epochs();
  if (epoch.epoch() == 0) epoch = facts;
  epoch.set_calls_taken(epoch.calls_taken() + calls);
  epoch.set_activities_taken(epoch.activities_taken() + activities);
}

// Those of the epoch's row that every part may say.
v1::EpochRow FactsOf(const v1::ProcessProfile& profile) {
  v1::EpochRow facts;
  if (profile.epochs_size() > 0) facts = profile.epochs(0);
  facts.clear_calls_taken();
  facts.clear_launches_taken();
  facts.clear_activities_taken();
  facts.clear_final();
  return facts;
}

}  // namespace

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

std::vector<v1::ProcessProfile> SplitProfile(v1::ProcessProfile profile, size_t max_bytes) {
  std::vector<v1::ProcessProfile> parts;
  const v1::EpochRow facts = FactsOf(profile);
  if (profile.ByteSizeLong() <= max_bytes) {
    CountTaken(facts, &profile);
    parts.push_back(std::move(profile));
    return parts;
  }
  parts.emplace_back();
  if (profile.has_info()) *parts.back().mutable_info() = profile.info();
  size_t bytes = parts.back().ByteSizeLong();
  const Reflection& reflection = *profile.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection.ListFields(profile, &fields);
  for (const FieldDescriptor* field : fields) {
    if (!field->is_repeated()) continue;
    const int count = reflection.FieldSize(profile, field);
    for (int i = 0; i < count; i++) {
      const Message& row = reflection.GetRepeatedMessage(profile, field, i);
      const size_t row_bytes = row.ByteSizeLong();
      if (bytes > 0 && bytes + row_bytes > max_bytes) {
        parts.emplace_back();
        bytes = 0;
      }
      reflection.AddMessage(&parts.back(), field)->CopyFrom(row);
      bytes += row_bytes;
    }
  }
  for (v1::ProcessProfile& part : parts) {
    *part.mutable_key() = profile.key();
    CountTaken(facts, &part);
  }
  return parts;
}

}  // namespace flopsprof::agent

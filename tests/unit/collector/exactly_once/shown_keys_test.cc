// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Work that differs in anything that a row shows has rows of different keys: else the two would be
// added up under the name of one.

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <set>

#include "absl/strings/str_split.h"
#include "collector/agent/rows/aggregator.h"
#include "collector/model/flops/library_table.h"
#include "collector/store/schema.h"
#include "tests/support/fake_injector.h"
#include "tests/support/sanitizers.h"

namespace flopsprof {
namespace {

using agent::Aggregator;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

// The key fields of a row as text.
std::string KeyOf(const store::RowTable& table, const Message& row) {
  Message* key = row.New();
  for (const store::ColumnRule& column : table.columns) {
    if (column.rule != store::Rule::kKey) continue;
    const FieldDescriptor* field = column.field;
    const google::protobuf::Reflection& from = *row.GetReflection();
    if (!from.HasField(row, field)) continue;
    const google::protobuf::Reflection& to = *key->GetReflection();
    switch (field->cpp_type()) {
      case FieldDescriptor::CPPTYPE_STRING:
        to.SetString(key, field, from.GetString(row, field));
        break;
      case FieldDescriptor::CPPTYPE_UINT32:
        to.SetUInt32(key, field, from.GetUInt32(row, field));
        break;
      case FieldDescriptor::CPPTYPE_UINT64:
        to.SetUInt64(key, field, from.GetUInt64(row, field));
        break;
      case FieldDescriptor::CPPTYPE_INT32:
        to.SetInt32(key, field, from.GetInt32(row, field));
        break;
      case FieldDescriptor::CPPTYPE_BOOL:
        to.SetBool(key, field, from.GetBool(row, field));
        break;
      case FieldDescriptor::CPPTYPE_ENUM:
        to.SetEnumValue(key, field, from.GetEnumValue(row, field));
        break;
      default:
        ADD_FAILURE() << field->full_name() << " in a key";
    }
  }
  const std::string text = table.name + ": " + key->ShortDebugString();
  delete key;
  return text;
}

// What a row says besides its key and its numbers: a later one would take its place.
std::string DescriptionOf(const store::RowTable& table, const Message& row) {
  std::unique_ptr<Message> description(row.New());
  description->CopyFrom(row);
  for (const store::ColumnRule& column : table.columns) {
    const bool described =
        column.rule == store::Rule::kNewest || column.rule == store::Rule::kNewestText;
    if (!described) description->GetReflection()->ClearField(description.get(), column.field);
  }
  for (int i = 0; i < table.row_type->field_count(); ++i) {
    if (table.row_type->field(i)->is_repeated()) {
      description->GetReflection()->ClearField(description.get(), table.row_type->field(i));
    }
  }
  return description->ShortDebugString();
}

struct Rows {
  std::set<std::string> keys;
  std::set<std::string> all;                        // with everything
  std::map<std::string, std::string> descriptions;  // by key
};

Rows RowsOf(const std::function<void(Aggregator*)>& work) {
  agent::NameTable names;
  names.Define(1, "first");
  names.Define(2, "second");
  names.Define(3, "[memset]");
  names.Define(4, "first");  // again
  Aggregator aggregator(std::nullopt, nullptr, &names);
  work(&aggregator);
  aggregator.Finish();
  v1::ProcessProfile profile;
  aggregator.Emit(names, 1 << 20, /*final=*/true, &profile);
  Rows rows;
  for (const store::RowTable& table : store::RowTables()) {
    for (int i = 0; i < profile.GetReflection()->FieldSize(profile, table.rows); ++i) {
      const Message& row = profile.GetReflection()->GetRepeatedMessage(profile, table.rows, i);
      const std::string key = KeyOf(table, row);
      rows.keys.insert(key);
      rows.descriptions[key] = DescriptionOf(table, row);
      rows.all.insert(table.name + ": " + row.ShortDebugString());
    }
  }
  return rows;
}

// A size that a function has twice is the same twice, and those that it has not are 0.
void AsAnInjectorWritesIt(shm::LibraryCall* call) {
  const model::LibraryFunction* function = model::FindLibraryFunction(call->api);
  std::vector<std::string> names;
  if (function != nullptr) names = absl::StrSplit(function->sizes, ' ', absl::SkipEmpty());
  names.resize(std::size(call->sizes), "-");
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] == "-") call->sizes[i] = 0;
    if (i > 0 && names[i] == names[i - 1]) call->sizes[i] = call->sizes[i - 1];
  }
  const bool has_variant = function != nullptr && function->variant != nullptr;
  call->variant = has_variant ? call->variant % 2 : 0;
}

class ShownKeysTest : public ::testing::Test {
 protected:
  uint32_t Any(uint32_t count) { return static_cast<uint32_t>(random_() % count); }
  // Another value of a field, mostly a small one.
  template <class Field>
  void Change(Field* field) {
    const Field before = *field;
    while (*field == before) *field = static_cast<Field>(Any(4) == 0 ? random_() % 251 : Any(12));
  }
  void Change(shm::RecordHeader* header) {
    switch (Any(3)) {
      case 0:
        header->phase = static_cast<uint8_t>(Any(shm::kPhaseCount));
        break;
      case 1:
        header->flags ^= shm::kFlagCaptured;
        break;
      default:
        header->step = Any(2) == 0 ? shm::kNoStep : Any(5);
    }
  }

  // The same work twice, but for one field.
  template <class Record, class Book>
  void Check(Record record, const std::vector<std::function<void(Record*)>>& changes, Book book) {
    for (uint32_t i = Any(6); i > 0; --i)
      changes[Any(static_cast<uint32_t>(changes.size()))](&record);
    Record other = record;
    changes[Any(static_cast<uint32_t>(changes.size()))](&other);
    const Rows a = RowsOf([&](Aggregator* to) { book(to, record); });
    const Rows b = RowsOf([&](Aggregator* to) { book(to, other); });
    for (const auto& [key, description] : a.descriptions) {
      const auto found = b.descriptions.find(key);
      if (found != b.descriptions.end()) {
        ASSERT_EQ(description, found->second) << key;
      }
    }
    if (a.keys != b.keys) return;
    std::string only;
    for (const std::string& row : a.all) only += b.all.count(row) == 0 ? row + "\n" : "";
    for (const std::string& row : b.all) only += a.all.count(row) == 0 ? row + "\n" : "";
    ASSERT_EQ(a.all, b.all) << "of one key, and different:\n" << only;
    ++same_[kind_];
  }

  void CheckGemm() {
    using Record = shm::GemmCall;
    Check<Record>(
        testing::Gemm(1, 5, 3, 4, 5),
        {[&](Record* r) { Change(&r->header); },
         [&](Record* r) { r->header.flags ^= shm::kFlagSizesUnknown; },
         [&](Record* r) { Change(&r->scope); }, [&](Record* r) { Change(&r->api); },
         [&](Record* r) { Change(&r->type_a); }, [&](Record* r) { Change(&r->type_b); },
         [&](Record* r) { Change(&r->type_c); },
         [&](Record* r) { r->compute_type = static_cast<uint8_t>(64 + Any(16)); },
         [&](Record* r) { Change(&r->math_mode); }, [&](Record* r) { Change(&r->epilogue); },
         [&](Record* r) { Change(&r->m); }, [&](Record* r) { Change(&r->n); },
         [&](Record* r) { Change(&r->k); }, [&](Record* r) { Change(&r->batch); }},
        [](Aggregator* to, const Record& r) { to->BookGemm(r); });
  }
  void CheckLibrary() {
    using Record = shm::LibraryCall;
    Record record = testing::Library(1, 5, shm::ApiId::cublasStrsm_v2);
    for (int64_t& size : record.sizes) size = 1 + Any(4);
    Check<Record>(
        record,
        {[&](Record* r) { Change(&r->header); }, [&](Record* r) { Change(&r->scope); },
         [&](Record* r) { r->api = static_cast<uint16_t>(Any(1500)); },
         [&](Record* r) { Change(&r->type); }, [&](Record* r) { Change(&r->compute_type); },
         [&](Record* r) { Change(&r->math_mode); }, [&](Record* r) { Change(&r->variant); },
         [&](Record* r) { r->reason = static_cast<uint8_t>(Any(12)); },
         [&](Record* r) { Change(&r->sizes[Any(5)]); }},
        [](Aggregator* to, Record r) {
          AsAnInjectorWritesIt(&r);
          to->BookLibrary(r);
        });
  }
  void CheckCollective() {
    using Record = shm::CollectiveCall;
    Check<Record>(
        testing::AllReduce(1, 5, 10),
        {[&](Record* r) { Change(&r->header); }, [&](Record* r) { Change(&r->scope); },
         [&](Record* r) { Change(&r->api); }, [&](Record* r) { Change(&r->kind); },
         [&](Record* r) { Change(&r->data_type); }, [&](Record* r) { Change(&r->rank_count); },
         [&](Record* r) { Change(&r->count), r->bytes = 4 * r->count; },
         [&](Record* r) { r->group = random_(); },
         [&](Record* r) { r->group ^= (uint64_t{1} << 32 | 1) << Any(32); }},
        [](Aggregator* to, const Record& r) { to->BookCollective(r); });
  }
  void CheckOperation() {
    using Record = shm::OperationCall;
    Check<Record>(testing::Attention(1, 5, static_cast<shm::OperationId>(1 + Any(12))),
                  {[&](Record* r) { Change(&r->header); }, [&](Record* r) { Change(&r->scope); },
                   [&](Record* r) { Change(&r->operation); },
                   [&](Record* r) { r->type = static_cast<int8_t>(Any(18)); },
                   [&](Record* r) { Change(&r->variant); },
                   [&](Record* r) { r->reason = static_cast<uint8_t>(Any(8)); },
                   [&](Record* r) { Change(&r->sizes[Any(10)]); }},
                  [](Aggregator* to, const Record& r) { to->BookOperation(r); });
  }
  void CheckActivity() {
    agent::JoinedActivity activity = {};
    activity.record = testing::Kernel(1, 1, 100, 150);
    activity.context = {5, 0, shm::Phase::kForward};
    activity.valid_times = true;
    activity.duration_ns = 50;
    using Record = agent::JoinedActivity;
    Check<Record>(
        activity,
        {[&](Record* r) { r->record.name = 1 + Any(4); },
         [&](Record* r) { r->record.kind = static_cast<uint8_t>(1 + Any(4)); },
         [&](Record* r) { Change(&r->record.copy_kind); },
         [&](Record* r) { r->record.device = static_cast<uint16_t>(Any(3)); },
         [&](Record* r) { Change(&r->context.scope); },
         [&](Record* r) { r->context.phase = static_cast<shm::Phase>(Any(shm::kPhaseCount)); },
         [&](Record* r) {
           r->context.step = shm::StepAt(static_cast<shm::StepPlace>(Any(3)),
                                         Any(2) << shm::kStepLoopShift | Any(3));
         }},
        [](Aggregator* to, const Record& r) { to->OnJoined(r); });
  }
  void CheckEntry() {
    using Record = shm::ScopeEnter;
    Record record = {};
    record.header = testing::Header(shm::RecordType::kScopeEnter);
    record.scope = 5;
    record.payload = 7;
    Check<Record>(record,
                  {[&](Record* r) { Change(&r->header); }, [&](Record* r) { Change(&r->scope); },
                   [&](Record* r) { Change(&r->category); },
                   [&](Record* r) { r->payload_type = static_cast<uint8_t>(Any(5)); }},
                  [](Aggregator* to, const Record& r) { to->OnScopeEnter(r); });
  }
  void CheckMark() {
    using Record = shm::MarkRecord;
    Record record = {};
    record.header = testing::Header(shm::RecordType::kMark);
    record.name = 1;
    Check<Record>(record,
                  {[&](Record* r) { Change(&r->scope); }, [&](Record* r) { Change(&r->category); },
                   [&](Record* r) { r->name = 1 + Any(3); }, [&](Record* r) { r->domain = Any(3); },
                   [&](Record* r) { r->payload_type = static_cast<uint8_t>(Any(5)); },
                   [&](Record* r) { r->header.step = Any(3) << shm::kStepLoopShift; }},
                  [](Aggregator* to, const Record& r) { to->OnMark(r); });
  }

  std::mt19937_64 random_{7};
  static constexpr int kKinds = 7;
  int kind_ = 0;
  std::array<int, kKinds> same_ = {};
};

// FLOPSPROF_KEY_CASES is another number of cases.
TEST_F(ShownKeysTest, WhatDiffersInAnythingThatIsShownHasAnotherKey) {
  const char* asked = getenv("FLOPSPROF_KEY_CASES");
  const int cases = asked == nullptr ? test::CasesOf(10'000) : atoi(asked);
  for (int i = 0; i < cases && !HasFatalFailure(); ++i) {
    kind_ = i % kKinds;
    switch (kind_) {
      case 0:
        CheckGemm();
        break;
      case 1:
        CheckLibrary();
        break;
      case 2:
        CheckCollective();
        break;
      case 3:
        CheckOperation();
        break;
      case 4:
        CheckActivity();
        break;
      case 5:
        CheckEntry();
        break;
      default:
        CheckMark();
    }
  }
  // Most changes show: not all cases are of things that no row has.
  EXPECT_LT(std::accumulate(same_.begin(), same_.end(), 0), cases / 2);
  for (const int same : same_) EXPECT_LT(same, cases / kKinds * 9 / 10);
}

}  // namespace
}  // namespace flopsprof

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/store/process_reader.h"

#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include "collector/store/profile_writer.h"
#include "collector/store/row_codec.h"
#include "collector/store/schema.h"

namespace flopsprof::store {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

Database EmptyDatabase() {
  Database database = *Database::Open(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  EXPECT_TRUE(database.Execute(SchemaSql()).ok());
  return database;
}

// Gives every stored field of the row a value of its own.
void Fill(int salt, const RowTable& table, Message* row) {
  const google::protobuf::Reflection& reflection = *row->GetReflection();
  for (const FieldDescriptor* field : table.fields()) {
    const int number = salt + field->number();
    switch (field->cpp_type()) {
      case FieldDescriptor::CPPTYPE_INT32:
        reflection.SetInt32(row, field, -number);
        break;
      case FieldDescriptor::CPPTYPE_INT64:
        reflection.SetInt64(row, field, -number - (int64_t{1} << 40));
        break;
      case FieldDescriptor::CPPTYPE_UINT32:
        reflection.SetUInt32(row, field, 0xf0000000u + static_cast<uint32_t>(number));
        break;
      case FieldDescriptor::CPPTYPE_UINT64:
        reflection.SetUInt64(row, field, (uint64_t{1} << 63) + static_cast<uint64_t>(number));
        break;
      case FieldDescriptor::CPPTYPE_BOOL:
        reflection.SetBool(row, field, true);
        break;
      case FieldDescriptor::CPPTYPE_ENUM:
        reflection.SetEnumValue(row, field, 1);
        break;
      case FieldDescriptor::CPPTYPE_STRING:
        reflection.SetString(row, field, "text " + std::to_string(number));
        break;
      default: {
        auto& count = static_cast<v1::Count&>(*reflection.MutableMessage(row, field));
        count.set_low(static_cast<uint64_t>(number));
        count.set_high(7);
      }
    }
  }
}

// A row of every table.
v1::ProcessProfile FullProcess(int pid) {
  v1::ProcessProfile process;
  process.mutable_key()->set_node("node");
  process.mutable_key()->set_pid(pid);
  Fill(pid, InfoTable(), process.mutable_info());
  for (const RowTable& table : RowTables()) {
    Fill(pid, table, process.GetReflection()->AddMessage(&process, table.rows));
  }
  // Of a span of time that there is.
  process.mutable_history(0)->set_begin_utc_ns(pid * 60'000'000'000);
  process.mutable_history(0)->set_width_ns(60'000'000'000);
  process.mutable_device_history(0)->set_begin_utc_ns(pid * 10'000'000'000);
  process.mutable_device_history(0)->set_width_ns(10'000'000'000);
  for (int phase = 0; phase < 3; ++phase) {
    process.mutable_steps(0)->add_flops()->set_low(static_cast<uint64_t>(pid + phase));
    process.mutable_steps(0)->add_gpu_time_ns(static_cast<uint64_t>(phase));
  }
  (*process.mutable_strings())[3] = "three";
  (*process.mutable_loss())["ring_full"] = 5;
  (*process.mutable_notes())["torch"] = "2";
  return process;
}

// As a collector stores it.
void Store(const v1::ProcessProfile& process, Database* database) {
  ProfileWriter writer(database);
  const int64_t id = writer.FindProcess(process.key())->id;
  const absl::Status others = writer.WriteOthers(id, process);
  ASSERT_TRUE(others.ok()) << others;
  for (const RowTable* table : LiveTables()) {
    std::string columns, marks;
    for (const std::string& column : ColumnsOf(table->fields())) {
      columns += "," + QuotedColumn(column);
      marks += ",?";
    }
    Statement insert = *database->Prepare("INSERT INTO " + table->name + "(process_id, place" +
                                          columns + ") VALUES(?,0" + marks + ")");
    insert.BindInt(1, id);
    const google::protobuf::Reflection& reflection = *process.GetReflection();
    BindFields(reflection.GetRepeatedMessage(process, table->rows, 0), table->fields(), 2, &insert);
    ASSERT_TRUE(insert.Run().ok());
  }
}

void ExpectEqual(const v1::ProcessProfile& a, const v1::ProcessProfile& b) {
  google::protobuf::util::MessageDifferencer differencer;
  std::string difference;
  differencer.ReportDifferencesToString(&difference);
  EXPECT_TRUE(differencer.Compare(a, b)) << difference;
}

TEST(ProcessReaderTest, GivesEveryFieldOfEveryTableBack) {
  Database database = EmptyDatabase();
  Store(FullProcess(1), &database);
  Store(FullProcess(2), &database);
  const auto reader = ProcessReader::Create(&database);
  ASSERT_TRUE(reader.ok()) << reader.status();
  for (const int pid : {1, 2}) {
    v1::ProcessProfile process;
    const auto more = (*reader)->Next(&process);
    ASSERT_TRUE(more.ok() && *more);
    ExpectEqual(process, FullProcess(pid));
  }
  v1::ProcessProfile none;
  EXPECT_FALSE(*(*reader)->Next(&none));
}

TEST(ProcessReaderTest, LeavesRowsOfNoProcessOut) {
  Database database = EmptyDatabase();
  for (const int pid : {1, 2, 3}) Store(FullProcess(pid), &database);
  ASSERT_TRUE(database.Execute("DELETE FROM processes WHERE pid=2").ok());
  const auto reader = ProcessReader::Create(&database);
  ASSERT_TRUE(reader.ok()) << reader.status();
  for (const int pid : {1, 3}) {
    v1::ProcessProfile process;
    ASSERT_TRUE(*(*reader)->Next(&process));
    ExpectEqual(process, FullProcess(pid));
  }
}

TEST(ProcessReaderTest, ForASummaryLeavesOutWhatNoneIsMadeFrom) {
  Database database = EmptyDatabase();
  Store(FullProcess(1), &database);
  const auto reader = ProcessReader::Create(&database, RunParts::kForSummary);
  ASSERT_TRUE(reader.ok()) << reader.status();
  v1::ProcessProfile process;
  ASSERT_TRUE(*(*reader)->Next(&process));
  v1::ProcessProfile expected = FullProcess(1);
  expected.clear_scope_kernels();
  expected.clear_call_gradients();
  expected.clear_history();
  expected.clear_device_history();
  ExpectEqual(process, expected);
}

TEST(ProcessReaderTest, TellsTheLongestText) {
  Database database = EmptyDatabase();
  v1::ProcessProfile first = FullProcess(1);
  first.mutable_scopes(0)->set_name(std::string(300, 'x'));
  Store(first, &database);
  Store(FullProcess(2), &database);
  const auto reader = ProcessReader::Create(&database);
  v1::ProcessProfile process;
  ASSERT_TRUE(*(*reader)->Next(&process));
  EXPECT_EQ((*reader)->longest_text_bytes(), 300u);
  v1::ProcessProfile second;
  ASSERT_TRUE(*(*reader)->Next(&second));
  EXPECT_EQ((*reader)->longest_text_bytes(), 9u);  // "ring_full"
}

}  // namespace
}  // namespace flopsprof::store

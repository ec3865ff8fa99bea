// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/store/run_folder.h"

#include <google/protobuf/message.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <fstream>
#include <set>

#include "collector/store/run_reader.h"
#include "collector/store/schema.h"
#include "collector/store/sqlite.h"
#include "sample_request.h"
#include "temporary_folder.h"

namespace flopsprof::store {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using google::protobuf::util::MessageDifferencer;

std::unique_ptr<RunFolder> MakeRun(const std::string& path) {
  RunFolder::Options options;
  options.path = path;
  v1::RunInfo run;
  run.set_job("train.py");
  run.set_command("python train.py");
  run.set_start_utc_ns(1700000000000000000);
  auto folder = RunFolder::Create(options, "run-1", run);
  EXPECT_TRUE(folder.ok()) << folder.status();
  return folder.ok() ? *std::move(folder) : nullptr;
}

v1::ProcessProfile OnlyProcess(const std::string& path) {
  const auto run = ReadRun(path);
  EXPECT_TRUE(run.ok()) << run.status();
  EXPECT_EQ(run->processes.size(), 1u);
  return run->processes.empty() ? v1::ProcessProfile() : run->processes[0];
}

mode_t ModeOf(const std::string& path) {
  struct stat info = {};
  stat(path.c_str(), &info);
  return info.st_mode & 07777;
}

// Gives each field of the message, and of those in it, a value of its own where it has none.
void FillUnsetFields(Message* message) {
  const Reflection& reflection = *message->GetReflection();
  const Descriptor& type = *message->GetDescriptor();
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor* field = type.field(i);
    const int number = 100 + field->number();
    if (field->message_type() == &type) continue;  // ProcessProfile.defined
    if (field->is_repeated()) {
      // Sums by phase and maps are in the sample as they are.
      if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE || field->is_map()) continue;
      for (int row = 0; row < reflection.FieldSize(*message, field); ++row) {
        FillUnsetFields(reflection.MutableRepeatedMessage(message, field, row));
      }
    } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      FillUnsetFields(reflection.MutableMessage(message, field));
    } else if (!reflection.HasField(*message, field)) {
      switch (field->cpp_type()) {
        case FieldDescriptor::CPPTYPE_INT32:
          reflection.SetInt32(message, field, -number);
          break;
        case FieldDescriptor::CPPTYPE_INT64:
          reflection.SetInt64(message, field, -number);
          break;
        case FieldDescriptor::CPPTYPE_UINT32:
          reflection.SetUInt32(message, field, static_cast<uint32_t>(number));
          break;
        case FieldDescriptor::CPPTYPE_UINT64:
          reflection.SetUInt64(message, field, static_cast<uint64_t>(number));
          break;
        case FieldDescriptor::CPPTYPE_BOOL:
          reflection.SetBool(message, field, true);
          break;
        case FieldDescriptor::CPPTYPE_ENUM:
          reflection.SetEnumValue(message, field, 1);
          break;
        case FieldDescriptor::CPPTYPE_STRING:
          reflection.SetString(message, field, field->name());
          break;
        default:
          ADD_FAILURE() << field->full_name() << " is of a type that no column has";
      }
    }
  }
}

TEST(RunFolderTest, TheSampleHasEveryKindOfRow) {
  const v1::UploadRequest request = SampleRequest(1, 5);
  const v1::ProcessProfile& process = request.processes(0);
  const Descriptor& type = *v1::ProcessProfile::descriptor();
  for (int i = 0; i < type.field_count(); ++i) {
    if (!type.field(i)->is_repeated()) continue;
    // Labels would number the sample's steps anew where it is read, and make the rows beside them:
    // KeepsTheLabelsOfSteps and step_labels_test.
    if (type.field(i)->name() == "step_labels" || type.field(i)->name() == "beside_steps") continue;
    if (type.field(i)->name() == "blocks") continue;  // no rows of their own: run_numbers_test
    EXPECT_GT(process.GetReflection()->FieldSize(process, type.field(i)), 0)
        << type.field(i)->name();
  }
  EXPECT_EQ(process.steps(0).flops_size(), v1::Phase_ARRAYSIZE);
  EXPECT_EQ(process.steps(0).gpu_time_ns_size(), v1::Phase_ARRAYSIZE);
}

TEST(RunFolderTest, GivesBackEveryFieldOfEveryRow) {
  TemporaryFolder folder;
  const auto run = MakeRun(folder / "run");
  v1::UploadRequest request = SampleRequest(1, 5);
  FillUnsetFields(request.mutable_processes(0));
  // Within an agent only.
  for (v1::CallRow& row : *request.mutable_processes(0)->mutable_calls()) {
    row.clear_unrecorded_calls();
  }
  for (v1::TimeRow& row : *request.mutable_processes(0)->mutable_times()) {
    row.clear_unrecorded_activities();
  }
  ASSERT_TRUE(run->Apply(request).ok());
  const v1::ProcessProfile read = OnlyProcess(run->path());
  MessageDifferencer differences;
  std::string text;
  differences.ReportDifferencesToString(&text);
  EXPECT_TRUE(differences.Compare(SumOf({request}), read)) << text;
}

TEST(RunFolderTest, KeepsTheLabelsOfSteps) {
  TemporaryFolder folder;
  v1::UploadRequest request = SampleRequest(1, 5);
  v1::StepLabelRow& label = *request.mutable_processes(0)->add_step_labels();
  label.set_step(request.processes(0).steps(0).step());
  label.set_revision(3);
  label.set_optimizer_steps(2);
  label.set_optimizer_end_mono_ns(1234567890123456789);
  label.set_beside_mono_ns(77);
  label.set_helped(true);
  const auto run = MakeRun(folder / "run");
  ASSERT_TRUE(run->Apply(request).ok());
  ASSERT_TRUE(run->Merge().ok());
  auto database = Database::Open(folder / "run/profile.db", SQLITE_OPEN_READONLY);
  ASSERT_TRUE(database.ok());
  EXPECT_EQ(*database->QueryInt("SELECT optimizer_steps FROM step_labels"), 2);
  EXPECT_EQ(*database->QueryInt("SELECT optimizer_end_mono_ns FROM step_labels"),
            1234567890123456789);
  EXPECT_EQ(*database->QueryInt("SELECT beside_mono_ns + helped FROM step_labels"), 78);
}

TEST(RunFolderTest, KeepsTheFactsOfTheRun) {
  TemporaryFolder folder;
  const auto run = MakeRun(folder / "run");
  v1::UploadRequest request = SampleRequest(1, 5);
  request.mutable_run()->set_job("other name");
  request.mutable_run()->set_job_exit_known(true);
  request.mutable_run()->set_job_exit_code(137);
  ASSERT_TRUE(run->Apply(request).ok());
  const auto read = ReadRun(run->path());
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->run_id, "run-1");
  EXPECT_EQ(read->run.job(), "train.py");
  EXPECT_EQ(read->run.start_utc_ns(), 1700000000000000000);
  EXPECT_TRUE(read->run.job_exit_known());
  EXPECT_EQ(read->run.job_exit_code(), 137);
  EXPECT_FALSE(read->run.has_first_step());
}

TEST(RunFolderTest, IsPrivate) {
  TemporaryFolder folder;
  const auto run = MakeRun(folder / "run");
  ASSERT_TRUE(run->Apply(SampleRequest(1, 5)).ok());
  EXPECT_EQ(ModeOf(run->path()), 0700u);
  EXPECT_EQ(ModeOf(run->path() + "/log"), 0700u);
  for (const char* name :
       {"/run.json", "/profile.db", "/profile.db-wal", "/profile.db-shm", "/log/00000001.flog"}) {
    EXPECT_EQ(ModeOf(run->path() + name), 0600u) << name;
  }
}

TEST(RunFolderTest, TheSameRequestTwiceChangesNothing) {
  TemporaryFolder folder;
  const auto run = MakeRun(folder / "run");
  ASSERT_TRUE(run->Apply(SampleRequest(1, 5)).ok());
  const v1::ProcessProfile once = OnlyProcess(run->path());
  ASSERT_TRUE(run->Apply(SampleRequest(1, 5)).ok());
  EXPECT_TRUE(MessageDifferencer::Equals(OnlyProcess(run->path()), once));
}

TEST(RunFolderTest, EveryRowIsMergedByTheRulesOfItsColumns) {
  TemporaryFolder folder;
  const auto run = MakeRun(folder / "run");
  std::vector<v1::UploadRequest> requests;
  for (const uint64_t amount : {300, 0, 100, 200}) {
    requests.push_back(SampleRequest(requests.size() + 1, amount));
    v1::ProcessProfile& process = *requests.back().mutable_processes(0);
    process.mutable_calls(0)->set_min_gpu_time_ns(amount);
    process.mutable_calls(0)->set_max_gpu_time_ns(amount);
    process.mutable_kernels(0)->set_min_ns(amount);
    process.mutable_kernels(0)->set_max_ns(amount);
    process.mutable_device_times(0)->set_first_gpu_ns(amount);
    process.mutable_marks(0)->set_first_step(static_cast<uint32_t>(amount));
    process.mutable_marks(0)->set_last_step(static_cast<uint32_t>(amount));
    process.mutable_scope_kernels(0)->set_first_step(static_cast<uint32_t>(amount));
    process.mutable_info()->set_launches_without_activity(amount);
    process.mutable_info()->set_used_gpu(amount == 0);
    v1::RangeRow& range = *process.mutable_range_rows(0);
    range.set_category_name(amount == 100 ? "" : "serving");
    const std::string text = amount == 0 ? "" : std::to_string(amount);
    range.set_min(text);
    range.set_max(text);
    range.set_last(text);
    if (amount == 0) range.set_sum("");
    ASSERT_TRUE(run->Apply(requests.back()).ok());
  }
  const v1::ProcessProfile read = OnlyProcess(run->path());
  MessageDifferencer differences;
  std::string text;
  differences.ReportDifferencesToString(&text);
  EXPECT_TRUE(differences.Compare(SumOf(requests), read)) << text;
}

TEST(RunFolderTest, ARequestWithANumberThatWasPassedChangesNothing) {
  TemporaryFolder folder;
  const auto run = MakeRun(folder / "run");
  ASSERT_TRUE(run->Apply(SampleRequest(2, 9)).ok());
  ASSERT_TRUE(run->Apply(SampleRequest(1, 5)).ok());
  EXPECT_TRUE(MessageDifferencer::Equals(OnlyProcess(run->path()), SumOf({SampleRequest(2, 9)})));
  const auto read = ReadRun(run->path());
  ASSERT_EQ(read->agents.size(), 1u);
  EXPECT_EQ(read->agents[0].newest_sequence, 2u);
  EXPECT_EQ(read->agents[0].missing, 1u);
}

TEST(RunFolderTest, FlopsCarryBetweenTheirColumns) {
  TemporaryFolder folder;
  const auto run = MakeRun(folder / "run");
  for (uint64_t n = 1; n <= 3; ++n) {
    v1::UploadRequest request = SampleRequest(n, 1);
    request.mutable_processes(0)->mutable_calls(0)->mutable_flops()->set_high(0);
    request.mutable_processes(0)->mutable_calls(0)->mutable_flops()->set_low(
        999'999'999'999'999'999);
    ASSERT_TRUE(run->Apply(request).ok());
  }
  ASSERT_TRUE(run->Merge().ok());
  auto database = Database::Open(run->path() + "/profile.db", SQLITE_OPEN_READONLY);
  EXPECT_EQ(*database->QueryInt("SELECT flops_high FROM calls"), 2);
  EXPECT_EQ(*database->QueryInt("SELECT flops_low FROM calls"), 999'999'999'999'999'997);
}

TEST(RunFolderTest, EveryFieldHasARuleOrIsMadeByReadersOrStaysWithinAnAgent) {
  const std::set<std::string> without_rule = {
      "flopsprof.v1.CallRow.unrecorded_calls",
      "flopsprof.v1.TimeRow.unrecorded_activities",
      "flopsprof.v1.StepRow.exposed_communication_ns",
      "flopsprof.v1.WindowRow.number",
      "flopsprof.v1.InstantRow.number",
      "flopsprof.v1.StepRow.flops",
      "flopsprof.v1.StepRow.gpu_time_ns"};  // the last two: step_phases
  std::vector<RowTable> tables = RowTables();
  tables.push_back(InfoTable());
  for (const RowTable& table : tables) {
    std::set<std::string> with_rule;
    for (const ColumnRule& column : table.columns) with_rule.insert(column.field->full_name());
    for (int i = 0; i < table.row_type->field_count(); ++i) {
      const std::string name = table.row_type->field(i)->full_name();
      EXPECT_NE(with_rule.count(name), without_rule.count(name)) << name;
    }
  }
}

TEST(RunFolderTest, ARowWithoutCallsAddsItsFlops) {
  TemporaryFolder folder;
  const auto run = MakeRun(folder / "run");
  for (const uint64_t sequence : {1, 2}) {
    v1::UploadRequest request = SampleRequest(sequence, 5);
    v1::CallRow& recompute = *request.mutable_processes(0)->mutable_calls(0);
    recompute.set_phase(v1::PHASE_RECOMPUTE);
    recompute.set_calls(0);
    recompute.set_kernels(0);
    recompute.set_gpu_time_ns(0);
    recompute.mutable_flops()->set_low(100 * sequence);
    ASSERT_TRUE(run->Apply(request).ok());
  }
  EXPECT_EQ(OnlyProcess(run->path()).calls(0).flops().low(), 300u);
}

TEST(RunFolderTest, RowsOfProcessesWithTheSamePidAreApart) {
  TemporaryFolder folder;
  const auto run = MakeRun(folder / "run");
  v1::UploadRequest other = SampleRequest(2, 9);
  other.mutable_processes(0)->mutable_key()->set_start_ticks(100);
  ASSERT_TRUE(run->Apply(SampleRequest(1, 5)).ok());
  ASSERT_TRUE(run->Apply(other).ok());
  EXPECT_EQ(ReadRun(run->path())->processes.size(), 2u);
}

TEST(RunFolderTest, ImagesOfOneProcessAreApart) {
  TemporaryFolder folder;
  const auto run = MakeRun(folder / "run");
  v1::UploadRequest other = SampleRequest(2, 9);
  other.mutable_processes(0)->mutable_key()->set_image(0xffff800000000012);
  ASSERT_TRUE(run->Apply(SampleRequest(1, 5)).ok());
  ASSERT_TRUE(run->Apply(other).ok());
  const auto read = ReadRun(run->path());
  ASSERT_EQ(read->processes.size(), 2u);
  EXPECT_EQ(read->processes[1].key().image(), 0xffff800000000012u);
}

// The state that session says, with an exit code where it has ended.
v1::UploadRequest StateOf(uint64_t sequence, uint32_t session, v1::ProcessState state) {
  v1::UploadRequest request = SampleRequest(sequence, 1);
  v1::ProcessInfo& info = *request.mutable_processes(0)->mutable_info();
  info.set_session(session);
  info.set_state(state);
  info.set_exit_code_known(state == v1::PROCESS_STATE_EXITED);
  info.set_exit_code(state == v1::PROCESS_STATE_EXITED ? 7 : 0);
  return request;
}

TEST(RunFolderTest, AnAgentThatHasGoneSaysNothingOfTheEndThatTheNextOneSees) {
  TemporaryFolder folder;
  const auto run = MakeRun(folder / "run");
  std::vector<v1::UploadRequest> requests = {
      StateOf(1, 1, v1::PROCESS_STATE_RUNNING), StateOf(2, 2, v1::PROCESS_STATE_RUNNING),
      StateOf(3, 2, v1::PROCESS_STATE_EXITED), StateOf(4, 1, v1::PROCESS_STATE_LOST)};
  for (const v1::UploadRequest& request : requests) ASSERT_TRUE(run->Apply(request).ok());
  const v1::ProcessProfile process = OnlyProcess(run->path());
  EXPECT_EQ(process.info().state(), v1::PROCESS_STATE_EXITED);
  EXPECT_EQ(process.info().exit_code(), 7);
  EXPECT_EQ(process.info().session(), 2u);
  EXPECT_TRUE(MessageDifferencer::Equals(process, SumOf(requests)));
}

TEST(RunFolderTest, CountsAreWholeInBothColumnsAndReadableInTheView) {
  TemporaryFolder folder;
  const auto run = MakeRun(folder / "run");
  ASSERT_TRUE(run->Apply(SampleRequest(1, 5)).ok());
  ASSERT_TRUE(run->Merge().ok());
  auto database = Database::Open(run->path() + "/profile.db", SQLITE_OPEN_READONLY);
  ASSERT_TRUE(database.ok());
  // 2^64 + 10 = 18 * 10^18 + 446744073709551626
  EXPECT_EQ(*database->QueryInt("SELECT flops_high FROM calls"), 18);
  EXPECT_EQ(*database->QueryInt("SELECT flops_low FROM calls"), 446744073709551626);
  EXPECT_EQ(*database->QueryInt("SELECT flops > 1.8e19 FROM call_view"), 1);
  EXPECT_EQ(*database->QueryInt("SELECT count(*) FROM time_view WHERE category = 'exact'"), 1);
  EXPECT_EQ(*database->QueryInt("SELECT count(*) FROM kernel_view WHERE phase = 'forward'"), 1);
  EXPECT_EQ(*database->QueryInt("SELECT flops = 10 FROM step_view"), 1);
  EXPECT_EQ(*database->QueryInt("PRAGMA user_version"), kSchemaVersion);
}

// One session of a process, with the card that it calls device 0.
v1::UploadRequest UsesCard(uint64_t sequence, const std::string& node, int pid, uint64_t epoch,
                           const std::string& uuid) {
  v1::UploadRequest request;
  request.set_run_id("run-1");
  request.set_agent_id("agent");
  request.set_sequence(sequence);
  request.set_format(v1::UPLOAD_FORMAT_INCREMENTS);
  v1::ProcessProfile& process = *request.add_processes();
  process.mutable_key()->set_node(node);
  process.mutable_key()->set_pid(pid);
  process.mutable_key()->set_start_ticks(1);
  v1::EpochRow& row = *process.add_epochs();
  row.set_epoch(epoch);
  row.set_session(static_cast<uint32_t>(epoch));
  v1::EpochDevice& device = *process.add_epoch_devices();
  device.set_epoch(epoch);
  device.set_uuid(uuid);
  v1::Device& known = *process.add_devices();
  known.set_uuid(uuid);
  return request;
}

TEST(RunFolderTest, SqlSaysWhichSessionUsedWhichCard) {
  TemporaryFolder folder;
  const auto run = MakeRun(folder / "run");
  ASSERT_TRUE(run->Apply(UsesCard(1, "a", 7, 1, "GPU-1")).ok());
  ASSERT_TRUE(run->Apply(UsesCard(2, "a", 8, 1, "GPU-1")).ok());  // the same card
  ASSERT_TRUE(run->Apply(UsesCard(3, "b", 7, 1, "GPU-2")).ok());  // another one of that number
  ASSERT_TRUE(run->Apply(UsesCard(4, "b", 7, 2, "GPU-3")).ok());  // after its next agent came
  ASSERT_TRUE(run->Apply(UsesCard(5, "b", 9, 1, "")).ok());
  ASSERT_TRUE(run->Merge().ok());
  auto database = Database::Open(run->path() + "/profile.db", SQLITE_OPEN_READONLY);
  ASSERT_TRUE(database.ok());
  const auto count = [&](const std::string& where) {
    return *database->QueryInt("SELECT count(*) FROM session_device_view WHERE " + where);
  };
  EXPECT_EQ(count("ordinal = 0"), 5);
  EXPECT_EQ(count("uuid = 'GPU-1' AND node = 'a'"), 2);
  EXPECT_EQ(count("uuid = 'GPU-2' AND node = 'b' AND pid = 7 AND session = 1"), 1);
  EXPECT_EQ(count("uuid = 'GPU-3' AND node = 'b' AND pid = 7 AND session = 2"), 1);
  EXPECT_EQ(count("uuid IS NULL"), 1) << "not known";
  EXPECT_EQ(
      *database->QueryInt("SELECT count(*) FROM (SELECT 1 FROM session_device_view WHERE uuid "
                          "IS NOT NULL GROUP BY uuid HAVING count(*) > 1)"),
      1);
}

TEST(RunFolderTest, WaitsOfLaunchesThatWereNotMeasuredAreNotKnown) {
  TemporaryFolder folder;
  const auto run = MakeRun(folder / "run");
  v1::UploadRequest request = UsesCard(1, "a", 7, 1, "GPU-1");
  request.mutable_processes(0)->add_launch_latencies()->set_launches(5);
  ASSERT_TRUE(run->Apply(request).ok());
  request = UsesCard(2, "a", 8, 1, "GPU-1");
  v1::LaunchLatencyRow& row = *request.mutable_processes(0)->add_launch_latencies();
  row.set_measured(2);
  row.set_sum_ns(3'000'000'000);
  row.set_max_ns(2'000'000'000);
  ASSERT_TRUE(run->Apply(request).ok());
  ASSERT_TRUE(run->Merge().ok());
  auto database = Database::Open(run->path() + "/profile.db", SQLITE_OPEN_READONLY);
  ASSERT_TRUE(database.ok());
  const auto count = [&](const std::string& where) {
    return *database->QueryInt("SELECT count(*) FROM launch_latency_view WHERE " + where);
  };
  EXPECT_EQ(count("pid = 7 AND launches = 5 AND mean_s IS NULL AND min_s IS NULL AND max_s IS NULL "
                  "AND error_s IS NULL"),
            1);
  EXPECT_EQ(count("pid = 8 AND mean_s = 1.5 AND min_s = 0 AND max_s = 2"), 1);
}

TEST(RunFolderTest, HostileNamesAreTextAndNothingElse) {
  TemporaryFolder folder;
  const auto run = MakeRun(folder / "run");
  v1::UploadRequest request = SampleRequest(1, 5);
  request.mutable_processes(0)->mutable_key()->set_node("../../x'); DROP TABLE calls;--");
  request.mutable_processes(0)->mutable_scopes(0)->set_name("\x1b[2J<script>=cmd\n");
  ASSERT_TRUE(run->Apply(request).ok());
  EXPECT_TRUE(MessageDifferencer::Equals(OnlyProcess(run->path()), SumOf({request})));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

// SampleRequest(1, 5) and (2, 9).
void ExpectBothOnce(const std::string& path) {
  EXPECT_TRUE(MessageDifferencer::Equals(OnlyProcess(path),
                                         SumOf({SampleRequest(1, 5), SampleRequest(2, 9)})));
}

TEST(RunFolderTest, AnotherCollectorGoesOnWithAFolder) {
  TemporaryFolder folder;
  const std::string path = folder / "run";
  ASSERT_TRUE(MakeRun(path)->Apply(SampleRequest(1, 5)).ok());
  auto again = RunFolder::Open(path);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ((*again)->run_id(), "run-1");
  ASSERT_TRUE((*again)->Apply(SampleRequest(2, 9)).ok());
  ExpectBothOnce(path);
}

TEST(RunFolderTest, FinishLeavesOneWholeFile) {
  TemporaryFolder folder;
  const auto run = MakeRun(folder / "run");
  ASSERT_TRUE(run->Apply(SampleRequest(1, 5)).ok());
  ASSERT_TRUE(run->Finish().ok());
  std::filesystem::copy_file(run->path() + "/profile.db", folder / "alone.db");
  EXPECT_TRUE(
      MessageDifferencer::Equals(OnlyProcess(folder / "alone.db"), SumOf({SampleRequest(1, 5)})));
  EXPECT_TRUE(ReadManifest(run->path())->finished);
}

TEST(RunFolderTest, TakesRequestsAfterFinish) {
  TemporaryFolder folder;
  const auto run = MakeRun(folder / "run");
  ASSERT_TRUE(run->Apply(SampleRequest(1, 5)).ok());
  ASSERT_TRUE(run->Finish().ok());
  ASSERT_TRUE(run->Apply(SampleRequest(2, 9)).ok());
  ExpectBothOnce(run->path());
}

TEST(RunFolderTest, AnUnwritableFolderSaysWhatToDo) {
  RunFolder::Options options;
  options.path = "/proc/flopsprof-run";
  const auto run = RunFolder::Create(options, "run-1", v1::RunInfo());
  ASSERT_FALSE(run.ok());
  const std::string text(run.status().message());
  EXPECT_NE(text.find("/proc/flopsprof-run"), std::string::npos) << text;
  EXPECT_NE(text.find("without a profile"), std::string::npos) << text;
  EXPECT_NE(text.find("-o DIR"), std::string::npos) << text;
}

// Runs `body` in a child, so that limits and kills touch nothing else. Returns its wait status.
template <typename Body>
int InChild(Body body) {
  const pid_t child = fork();
  if (child == 0) {
    body();
    _exit(0);
  }
  EXPECT_GT(child, 0);
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

TEST(RunFolderTest, AFullDiskIsAnErrorAndWhatWasStoredStays) {
  TemporaryFolder folder;
  const std::string path = folder / "run";
  const int status = InChild([&] {
    const auto run = MakeRun(path);
    if (run == nullptr || !run->Apply(SampleRequest(1, 5)).ok()) _exit(1);
    signal(SIGXFSZ, SIG_IGN);
    struct stat info = {};
    stat((path + "/log/00000001.flog").c_str(), &info);
    rlimit limit = {static_cast<rlim_t>(info.st_size), RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &limit);
    const absl::Status full = run->Apply(SampleRequest(2, 9));
    if (!absl::IsResourceExhausted(full)) _exit(2);
    if (full.message().find("free space") == absl::string_view::npos) _exit(3);
    // Space returns: the same request is accepted.
    limit.rlim_cur = RLIM_INFINITY;
    setrlimit(RLIMIT_FSIZE, &limit);
    if (!run->Apply(SampleRequest(2, 9)).ok()) _exit(4);
  });
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  ExpectBothOnce(path);
}

// Requests 1, 2 ... n came, each once, and n is at least what was acknowledged: as in a run of
// these requests whose writer was not killed.
void ExpectExactlyOnce(const std::string& path, uint64_t acknowledged) {
  const auto run = ReadRun(path);
  ASSERT_TRUE(run.ok()) << run.status();
  ASSERT_EQ(run->processes.size(), 1u);
  const uint64_t newest = run->processes[0].info().activities();
  EXPECT_GE(newest, acknowledged);
  EXPECT_LE(newest, acknowledged + 1);  // the one that was being sent
  MessageDifferencer differences;
  std::string text;
  differences.ReportDifferencesToString(&text);
  // A request is there as a whole.
  EXPECT_TRUE(differences.Compare(SampleSum(newest), run->processes[0])) << text;
  ASSERT_EQ(run->agents.size(), 1u);
  EXPECT_EQ(run->agents[0].missing, 0u);
  EXPECT_EQ(run->agents[0].newest_sequence, newest);
  EXPECT_TRUE(run->problems.empty());
  EXPECT_TRUE(run->log_damage.empty());
}

// A writer that is killed at an arbitrary moment: all that it had acknowledged can be read.
void KillAWriterAfter(const std::string& path, int microseconds) {
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    const auto run = MakeRun(path);
    for (uint64_t sequence = 1; run != nullptr; ++sequence) {
      if (!run->Apply(SampleRequest(sequence, sequence)).ok()) _exit(1);
      if (write(pipe_ends[1], &sequence, sizeof(sequence)) != sizeof(sequence)) _exit(1);
    }
    _exit(1);
  }
  ASSERT_GT(child, 0);
  close(pipe_ends[1]);
  uint64_t acknowledged = 0;
  // Wait for the first acknowledgement, then let it run on for the given time.
  ASSERT_EQ(read(pipe_ends[0], &acknowledged, sizeof(acknowledged)),
            static_cast<ssize_t>(sizeof(acknowledged)));
  timespec pause = {0, microseconds * 1000L};
  nanosleep(&pause, nullptr);
  kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  while (read(pipe_ends[0], &acknowledged, sizeof(acknowledged)) == sizeof(acknowledged)) {
  }
  close(pipe_ends[0]);
  ExpectExactlyOnce(path, acknowledged);
  {
    // A collector that goes on with it, and one that ends it.
    ASSERT_TRUE(RunFolder::Open(path).ok());
    auto run = RunFolder::Open(path);
    ASSERT_TRUE(run.ok()) << run.status();
    ASSERT_TRUE((*run)->Finish().ok());
  }
  ExpectExactlyOnce(path, acknowledged);
}

// 50 kills; FLOPSPROF_KILLS is another number.
TEST(RunFolderTest, NothingAcknowledgedIsLostWhenTheWriterIsKilled) {
  TemporaryFolder folder;
  const char* asked = getenv("FLOPSPROF_KILLS");
  const int kills = asked == nullptr ? 50 : atoi(asked);
  for (int kill_number = 0; kill_number < kills; ++kill_number) {
    const std::string path = folder / ("run" + std::to_string(kill_number));
    // Spread over the few milliseconds of a commit, and over several of them.
    KillAWriterAfter(path, 397 * kill_number % 15000);
    if (HasFailure()) FAIL() << "kill " << kill_number;
    std::filesystem::remove_all(path);
  }
}

}  // namespace
}  // namespace flopsprof::store

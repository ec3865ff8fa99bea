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

#include "collector/store/run_reader.h"
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
  ASSERT_TRUE(run->Apply(request).ok());
  const v1::ProcessProfile read = OnlyProcess(run->path());
  MessageDifferencer differences;
  std::string text;
  differences.ReportDifferencesToString(&text);
  EXPECT_TRUE(differences.Compare(request.processes(0), read)) << text;
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
  for (const char* name : {"/run.json", "/profile.db", "/profile.db-wal", "/profile.db-shm"}) {
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

TEST(RunFolderTest, ALaterRequestReplacesAndAnEarlierOneDoesNot) {
  TemporaryFolder folder;
  const auto run = MakeRun(folder / "run");
  ASSERT_TRUE(run->Apply(SampleRequest(2, 9)).ok());
  ASSERT_TRUE(run->Apply(SampleRequest(1, 5)).ok());
  const v1::UploadRequest newest = SampleRequest(2, 9);
  EXPECT_TRUE(MessageDifferencer::Equals(OnlyProcess(run->path()), newest.processes(0)));
}

TEST(RunFolderTest, AnEarlierRowWithoutCallsDoesNotReplaceALaterOne) {
  TemporaryFolder folder;
  const auto run = MakeRun(folder / "run");
  for (const uint64_t sequence : {2, 1}) {
    v1::UploadRequest request = SampleRequest(sequence, 5);
    v1::CallRow& recompute = *request.mutable_processes(0)->mutable_calls(0);
    recompute.set_phase(v1::PHASE_RECOMPUTE);
    recompute.set_calls(0);
    recompute.set_kernels(0);
    recompute.set_gpu_time_ns(0);
    recompute.mutable_flops()->set_low(100 * sequence);
    ASSERT_TRUE(run->Apply(request).ok());
  }
  EXPECT_EQ(OnlyProcess(run->path()).calls(0).flops().low(), 200u);
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

TEST(RunFolderTest, CountsAreWholeInBothColumnsAndReadableInTheView) {
  TemporaryFolder folder;
  const auto run = MakeRun(folder / "run");
  ASSERT_TRUE(run->Apply(SampleRequest(1, 5)).ok());
  auto database = Database::Open(run->path() + "/profile.db", SQLITE_OPEN_READONLY);
  ASSERT_TRUE(database.ok());
  // 2^64 + 10 = 18 * 10^18 + 446744073709551626
  EXPECT_EQ(*database->QueryInt("SELECT flops_high FROM calls"), 18);
  EXPECT_EQ(*database->QueryInt("SELECT flops_low FROM calls"), 446744073709551626);
  EXPECT_EQ(*database->QueryInt("SELECT flops > 1.8e19 FROM call_view"), 1);
  EXPECT_EQ(*database->QueryInt("SELECT count(*) FROM time_view WHERE category = 'exact'"), 1);
  EXPECT_EQ(*database->QueryInt("SELECT count(*) FROM kernel_view WHERE phase = 'forward'"), 1);
  EXPECT_EQ(*database->QueryInt("SELECT flops = 10 FROM step_view"), 1);
  EXPECT_EQ(*database->QueryInt("PRAGMA user_version"), 1);
}

TEST(RunFolderTest, HostileNamesAreTextAndNothingElse) {
  TemporaryFolder folder;
  const auto run = MakeRun(folder / "run");
  v1::UploadRequest request = SampleRequest(1, 5);
  request.mutable_processes(0)->mutable_key()->set_node("../../x'); DROP TABLE calls;--");
  request.mutable_processes(0)->mutable_scopes(0)->set_name("\x1b[2J<script>=cmd\n");
  ASSERT_TRUE(run->Apply(request).ok());
  EXPECT_TRUE(MessageDifferencer::Equals(OnlyProcess(run->path()), request.processes(0)));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(RunFolderTest, AnotherCollectorGoesOnWithAFolder) {
  TemporaryFolder folder;
  const std::string path = folder / "run";
  ASSERT_TRUE(MakeRun(path)->Apply(SampleRequest(1, 5)).ok());
  auto again = RunFolder::Open(path);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ((*again)->run_id(), "run-1");
  ASSERT_TRUE((*again)->Apply(SampleRequest(2, 9)).ok());
  EXPECT_EQ(OnlyProcess(path).info().activities(), 9u);
}

TEST(RunFolderTest, FinishLeavesOneWholeFile) {
  TemporaryFolder folder;
  const auto run = MakeRun(folder / "run");
  ASSERT_TRUE(run->Apply(SampleRequest(1, 5)).ok());
  ASSERT_TRUE(run->Finish().ok());
  std::filesystem::copy_file(run->path() + "/profile.db", folder / "alone.db");
  EXPECT_EQ(OnlyProcess(folder / "alone.db").info().activities(), 5u);
  EXPECT_TRUE(ReadManifest(run->path())->finished);
}

TEST(RunFolderTest, TakesRequestsAfterFinish) {
  TemporaryFolder folder;
  const auto run = MakeRun(folder / "run");
  ASSERT_TRUE(run->Apply(SampleRequest(1, 5)).ok());
  ASSERT_TRUE(run->Finish().ok());
  ASSERT_TRUE(run->Apply(SampleRequest(2, 9)).ok());
  EXPECT_EQ(OnlyProcess(run->path()).info().activities(), 9u);
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
  int status = 0;
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
    stat((path + "/profile.db-wal").c_str(), &info);
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
  EXPECT_EQ(OnlyProcess(path).info().activities(), 9u);
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
  const v1::ProcessProfile process = OnlyProcess(path);
  EXPECT_GE(process.info().activities(), acknowledged);
  // A request is there as a whole.
  ASSERT_EQ(process.calls_size(), 1);
  EXPECT_EQ(process.calls(0).calls(), process.info().activities());
  EXPECT_EQ(process.times(0).gpu_time_ns(), 10 * process.info().activities());
  EXPECT_EQ(process.loss().at("ring_full"), process.info().activities());
}

TEST(RunFolderTest, NothingAcknowledgedIsLostWhenTheWriterIsKilled) {
  TemporaryFolder folder;
  for (int kill_number = 0; kill_number < 50; ++kill_number) {
    // Spread over the few milliseconds of a commit.
    KillAWriterAfter(folder / ("run" + std::to_string(kill_number)), 397 * kill_number % 15000);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace flopsprof::store

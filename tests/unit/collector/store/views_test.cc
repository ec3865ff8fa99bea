// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// What plain SQLite, without any function of ours, answers.

#include <gtest/gtest.h>

#include <ctime>
#include <utility>

#include "collector/store/run_folder.h"
#include "collector/store/run_reader.h"
#include "collector/store/sqlite.h"
#include "temporary_folder.h"

namespace flopsprof::store {
namespace {

class ViewsTest : public ::testing::Test {
 protected:
  ViewsTest() {
    RunFolder::Options options;
    options.path = folder_ / "run";
    auto run = RunFolder::Create(options, "run-1", v1::RunInfo());
    EXPECT_TRUE(run.ok()) << run.status();
    run_ = *std::move(run);
    request_.set_run_id("run-1");
    request_.set_agent_id("a");
    request_.set_sequence(1);
    request_.set_format(v1::UPLOAD_FORMAT_INCREMENTS);
    request_.mutable_run()->set_node("node-a");
    process_ = request_.add_processes();
    process_->mutable_key()->set_node("node-a");
    process_->mutable_key()->set_pid(1);
    process_->mutable_info()->set_rank(0);
  }

  void AddCall(int number, uint64_t flops) {
    v1::CallRow& call = *process_->add_calls();
    call.set_phase(v1::PHASE_FORWARD);
    call.set_kind(v1::CALL_KIND_GEMM);
    call.set_api("cublasSgemm_v2");
    call.set_shape(std::to_string(number));
    call.set_calls(1);
    call.set_flops_known(true);
    call.mutable_flops()->set_low(flops);
  }

  void AddScope(uint32_t id, uint32_t parent, const std::string& name) {
    v1::Scope& scope = *process_->add_scopes();
    scope.set_id(id);
    scope.set_parent(parent);
    scope.set_kind(v1::SCOPE_KIND_RANGE);
    scope.set_name(name);
  }

  // Columns of the first row, joined by "|"; "error: ..." when the query fails.
  std::string Ask(const std::string& sql, int columns = 1) {
    if (!applied_) {
      EXPECT_TRUE(run_->Apply(request_).ok());
      EXPECT_TRUE(run_->Merge().ok());
      applied_ = true;
    }
    auto database = Database::Open(folder_ / "run/profile.db", SQLITE_OPEN_READONLY);
    auto statement = database->Prepare(sql);
    if (!statement.ok()) return "error: " + std::string(statement.status().message());
    const auto row = statement->Step();
    if (!row.ok()) return "error: " + std::string(row.status().message());
    if (!*row) return "no row";
    std::string text = statement->Text(0);
    for (int i = 1; i < columns; ++i) text += "|" + statement->Text(i);
    return text;
  }

  TemporaryFolder folder_;
  std::unique_ptr<RunFolder> run_;
  v1::UploadRequest request_;
  v1::ProcessProfile* process_ = nullptr;
  bool applied_ = false;
};

// Labels 0 to 5: two of no step, then two for each of two steps; an evaluation after the first.
class StepViewsTest : public ViewsTest {
 protected:
  StepViewsTest() {
    constexpr uint32_t kNone = 4294967295;
    for (const uint32_t number : {kNone, kNone, 0u, 0u, 1u, 1u}) {
      const auto label = static_cast<uint32_t>(process_->step_labels_size());
      v1::StepLabelRow& row = *process_->add_step_labels();
      row.set_step(label);
      row.set_revision(1);
      row.set_number(number);
      AddStep(label, 10 * (label + 1));
    }
    AddStep(2u << 30 | 3, 500);
    AddStep(2u << 30 | ((1u << 30) - 1), 600);
  }

  void AddStep(uint32_t step, uint64_t flops) {
    v1::StepRow& row = *process_->add_steps();
    row.set_step(step);
    row.set_begin_mono_ns(1'000'000'000 * uint64_t{step});
    row.set_end_mono_ns(1'000'000'000 * (uint64_t{step} + 1));
    row.set_complete(true);
    row.add_flops()->set_low(flops);
    row.add_gpu_time_ns(1);
  }
};

TEST_F(StepViewsTest, AStepHasItsNumberAndTheWorkOfAllItsLabels) {
  EXPECT_EQ(Ask("SELECT group_concat(line, ' ') FROM (SELECT step || ':' || flops || ':' || wall_s "
                "AS line FROM step_view WHERE place = 'in' ORDER BY step)"),
            "0:70.0:2.0 1:110.0:2.0");
  EXPECT_EQ(Ask("SELECT step, flops FROM step_view WHERE place = 'beside'", 2), "0|500.0");
  EXPECT_EQ(Ask("SELECT step IS NULL, flops FROM step_view WHERE place = 'before'", 2), "1|600.0");
  EXPECT_EQ(Ask("SELECT step IS NULL, flops FROM step_view WHERE place = 'none'", 2), "1|30.0");
}

TEST_F(StepViewsTest, KernelsAndMarksHaveNumbersOfSteps) {
  for (uint32_t first = 0; first < 5; ++first) {
    v1::MarkRow& mark = *process_->add_marks();
    mark.set_name("from " + std::to_string(first));
    mark.set_count(1);
    mark.set_in_steps(1);
    mark.set_first_step(first);
    mark.set_last_step(first + 1);
    v1::ScopeKernelRow& kernel = *process_->add_scope_kernels();
    kernel.set_scope(first);
    kernel.set_in_step(true);
    kernel.set_count(first + 1);
    kernel.set_first_step(first);
    kernel.set_last_step(first + 1);
  }
  const std::string expected = "none 0-0 0-0 0-1 1-1";
  const std::string lines = " AS line FROM ";
  const std::string span = "(SELECT coalesce(first_step || '-' || last_step, 'none')" + lines;
  EXPECT_EQ(Ask("SELECT group_concat(line, ' ') FROM " + span + "mark_view ORDER BY name)"),
            expected);
  EXPECT_EQ(Ask("SELECT group_concat(line, ' ') FROM " + span + "launch_view ORDER BY count)"),
            expected);
}

TEST_F(ViewsTest, LoopsOfThreadsAreStepsOfTheirOwn) {
  const uint32_t second = 1u << 26;
  for (const uint32_t step : {0u, 1u, second, second | 1}) {
    v1::StepRow& row = *process_->add_steps();
    row.set_step(step);
    row.set_begin_mono_ns(1'000'000'000 * uint64_t{1 + (step & 1) + (step < second ? 0 : 10)});
    row.set_end_mono_ns(row.begin_mono_ns() + 1'000'000'000);
    row.set_complete(true);
    row.add_flops()->set_low(step < second ? 5 : 7);
    row.add_gpu_time_ns(1);
  }
  EXPECT_EQ(Ask("SELECT group_concat(line, ' ') FROM (SELECT loop || '/' || step || ':' || flops "
                "|| ':' || wall_s AS line FROM step_view ORDER BY loop, step)"),
            "0/0:5.0:1.0 0/1:5.0:1.0 1/0:7.0:1.0 1/1:7.0:1.0");
}

TEST_F(ViewsTest, KernelsAndMarksOfAnotherThreadHaveTheNumbersOfItsLoop) {
  constexpr uint32_t kNone = 4294967295;
  const uint32_t second = 1u << 26;
  const std::pair<uint32_t, uint32_t> labels[] = {{0, kNone}, {1, kNone},     {2, kNone},
                                                  {3, kNone}, {4, 0},         {second | 3, 7},
                                                  {5, 1},     {second | 4, 8}};
  for (const auto& [step, number] : labels) {
    v1::StepLabelRow& row = *process_->add_step_labels();
    row.set_step(step);
    row.set_revision(1);
    row.set_number(number);
  }
  const std::pair<uint32_t, uint32_t> spans[] = {
      {second, second | 2}, {second | 1, second | 3}, {1, 2}, {1, 4}};
  for (const auto& [first, last] : spans) {
    v1::ScopeKernelRow& kernel = *process_->add_scope_kernels();
    kernel.set_scope(static_cast<uint32_t>(process_->scope_kernels_size()));
    kernel.set_in_step(true);
    kernel.set_count(static_cast<uint64_t>(process_->scope_kernels_size()));
    kernel.set_first_step(first);
    kernel.set_last_step(last);
    v1::MarkRow& mark = *process_->add_marks();
    mark.set_count(kernel.count());
    mark.set_category(kernel.scope());
    mark.set_in_steps(1);
    mark.set_first_step(first);
    mark.set_last_step(last);
  }
  const std::string lines =
      "SELECT group_concat(line, ' ') FROM "
      "(SELECT coalesce(first_step || '-' || last_step, 'none') AS line FROM ";
  EXPECT_EQ(Ask(lines + "launch_view ORDER BY count)"), "0-2 1-7 none 0-0");
  EXPECT_EQ(Ask(lines + "mark_view ORDER BY count)"), "0-2 1-7 none 0-0");
}

// Many labels of no step, and kernels and marks that began under the first of them.
class DroppedLabelsTest : public ViewsTest {
 protected:
  static constexpr int kLabels = 20'000;
  static constexpr int kRows = 500;

  DroppedLabelsTest() {
    for (int label = 0; label <= kLabels; ++label) {
      v1::StepLabelRow& row = *process_->add_step_labels();
      row.set_step(static_cast<uint32_t>(label));
      row.set_revision(1);
      row.set_number(label < kLabels ? 4294967295 : 0);
    }
    for (int i = 0; i < kRows; ++i) {
      v1::ScopeKernelRow& kernel = *process_->add_scope_kernels();
      kernel.set_scope(static_cast<uint32_t>(i));
      kernel.set_in_step(true);
      kernel.set_last_step(kLabels);
      v1::MarkRow& mark = *process_->add_marks();
      mark.set_scope(static_cast<uint32_t>(i));
      mark.set_in_steps(1);
      mark.set_last_step(kLabels);
    }
    EXPECT_TRUE(run_->Apply(request_).ok());
    EXPECT_TRUE(run_->Merge().ok());
  }

  // Thousands of SQLite's own steps that the sum of a view's first and last steps takes; -1: the
  // sum is not 0.
  int ThousandsOfSteps(const std::string& view) {
    int thousands = 0;
    sqlite3* db = nullptr;
    EXPECT_EQ(sqlite3_open((folder_ / "run/profile.db").c_str(), &db), SQLITE_OK);
    sqlite3_progress_handler(
        db, 1000, [](void* count) { return ++*static_cast<int*>(count) > 100'000 ? 1 : 0; },
        &thousands);
    bool zero = false;
    const std::string sql = "SELECT sum(first_step + last_step) FROM " + view;
    sqlite3_exec(
        db, sql.c_str(),
        [](void* result, int, char** values, char**) {
          *static_cast<bool*>(result) = values[0] != nullptr && std::string(values[0]) == "0";
          return 0;
        },
        &zero, nullptr);
    sqlite3_close(db);
    return zero ? thousands : -1;
  }
};

// By hand: less than 200 steps a row; over all labels of no step it is 5 * 20,000 for each.
TEST_F(DroppedLabelsTest, CostKernelsAndMarksNoMore) {
  for (const char* view : {"launch_view", "mark_view"}) {
    const int thousands = ThousandsOfSteps(view);
    EXPECT_GT(thousands, 0) << view;
    EXPECT_LT(thousands, kRows * 200 / 1000) << view;
  }
}

TEST_F(ViewsTest, ExactFlopsDoNotOverflowAtElevenRowsOf9e17) {
  for (int i = 0; i < 11; ++i) AddCall(i, 900'000'000'000'000'000);
  EXPECT_EQ(Ask("SELECT sum(flops_low) FROM calls"), "error: SQL failed: integer overflow");
  // By hand: 11 * 9e17 = 9,900,000,000 * 10^9.
  EXPECT_EQ(Ask("SELECT sum(flops_e27), sum(flops_e18), sum(flops_e9), sum(flops_e0) "
                "FROM exact_flops",
                4),
            "0|0|9900000000|0");
  EXPECT_EQ(Ask("SELECT rank, phase, flops FROM exact_totals", 3), "0|forward|9900000000000000000");
}

TEST_F(ViewsTest, ExactTotalsCarry) {
  for (int i = 0; i < 3; ++i) AddCall(i, 999'999'999'999'999'999);
  process_->mutable_calls(0)->mutable_flops()->set_high(1);  // 2^64 more
  // 3 * (10^18 - 1) + 18446744073709551616
  EXPECT_EQ(Ask("SELECT flops FROM exact_totals"), "21446744073709551613");
}

TEST_F(ViewsTest, ExactTotalsOfTheLargestCounts) {
  for (int i = 0; i < 2; ++i) {
    AddCall(i, UINT64_MAX);
    process_->mutable_calls(i)->mutable_flops()->set_high(UINT64_MAX >> 6);
  }
  // 2 * (2^122 - 1)
  EXPECT_EQ(Ask("SELECT flops FROM exact_totals"), "10633823966279326983230456482242756606");
}

TEST_F(ViewsTest, ExactTotalsOfNothingAre0) {
  AddCall(0, 0);
  EXPECT_EQ(Ask("SELECT flops FROM exact_totals"), "0");
}

TEST_F(ViewsTest, DeepScopesCostNoMoreThanTheyAre) {
  for (uint32_t id = 1; id <= 50000; ++id) AddScope(id, id - 1, "push");
  AddCall(0, 5);
  process_->mutable_calls(0)->set_scope(50000);
  const std::clock_t begin = std::clock();
  // 256 times "push", 255 dots.
  EXPECT_EQ(Ask("SELECT length(scope_path), flops FROM call_view", 2), "1279|5.0");
  EXPECT_EQ(Ask("SELECT max(length(user_range)), count(*) FROM scope_places", 2), "1279|50000");
  EXPECT_LT((std::clock() - begin) / CLOCKS_PER_SEC, 10);
}

TEST_F(ViewsTest, ACircleOfScopesHasNoPath) {
  AddScope(1, 2, "a");
  AddScope(2, 1, "b");
  AddScope(3, 3, "c");
  EXPECT_EQ(Ask("SELECT count(*) FROM scope_paths"), "0");
  EXPECT_EQ(Ask("SELECT count(*) FROM scope_places"), "0");
}

TEST_F(ViewsTest, AgentsAndTheirEndsAreRead) {
  ASSERT_TRUE(run_->Apply(request_).ok());
  auto read = ReadRun(folder_ / "run");
  ASSERT_TRUE(read.ok());
  ASSERT_EQ(read->agents.size(), 1u);
  EXPECT_EQ(read->agents[0].node, "node-a");
  EXPECT_FALSE(read->agents[0].finished);
  EXPECT_EQ(read->agents[0].newest_sequence, 1u);
  EXPECT_EQ(read->agents[0].missing, 0u);
  EXPECT_GT(read->agents[0].newest_utc_ns, 0);
  EXPECT_FALSE(read->finished);
  request_.set_sequence(3);
  request_.set_last(true);
  ASSERT_TRUE(run_->Apply(request_).ok());
  ASSERT_TRUE(run_->Merge().ok());  // node-a is the first agent
  ASSERT_TRUE(run_->NoteRefusal("b", "node-b", "too long").ok());
  ASSERT_TRUE(run_->NoteProblem("nothing works").ok());
  ASSERT_TRUE(run_->NoteProblem("nothing works").ok());
  ASSERT_TRUE(run_->Finish().ok());
  read = ReadRun(folder_ / "run");
  ASSERT_EQ(read->agents.size(), 2u);
  EXPECT_TRUE(read->agents[0].finished);
  EXPECT_EQ(read->agents[0].newest_sequence, 3u);
  EXPECT_EQ(read->agents[0].missing, 1u);
  EXPECT_EQ(read->agents[1].refused, "too long");
  EXPECT_EQ(read->problems, std::vector<std::string>{"nothing works"});
  EXPECT_TRUE(read->finished);
}

TEST_F(ViewsTest, AStoredRunIsReadWithinTheBounds) {
  std::string name;
  for (int i = 0; i < 16000; ++i) name += "a.";
  AddScope(1, 0, name);
  for (uint32_t id = 2; id <= 1000; ++id) AddScope(id, id - 1, "push");
  ASSERT_TRUE(run_->Apply(request_).ok());
  const auto read = ReadRun(folder_ / "run");
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->processes[0].loss().at("names_cut"), 1u);
  // 999 below the first, of which 127 have room.
  EXPECT_EQ(read->processes[0].loss().at("scopes_cut"), 872u);
}

}  // namespace
}  // namespace flopsprof::store

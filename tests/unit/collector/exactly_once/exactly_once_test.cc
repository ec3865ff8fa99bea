// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Random records of a few processes, uploads in parts of random sizes, which come twice or are cut
// off, agents that are replaced, a collector that is killed: the run has what a plain sum has.

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <deque>
#include <memory>
#include <random>

#include "collector/agent/processes/process_recorder.h"
#include "collector/agent/upload/row_numbers.h"
#include "collector/store/run_database.h"
#include "collector/store/run_folder.h"
#include "collector/store/run_reader.h"
#include "measures.h"
#include "tests/support/fake_injector.h"
#include "tests/support/sanitizers.h"
#include "tests/support/temp_folder.h"

namespace flopsprof {
namespace {

using testing::FakeInjector;
using testing::Measures;
using testing::Named;

constexpr uint64_t kProduct = 2 * 120 * 8 * 400;

// A collector in a process of its own, which may be killed at any moment.
class CollectorProcess {
 public:
  explicit CollectorProcess(std::string path) : path_(std::move(path)) { Start(); }
  ~CollectorProcess() { Kill(); }

  void Start() {
    ++starts_;
    int to[2], from[2];
    ASSERT_EQ(pipe(to), 0);
    ASSERT_EQ(pipe(from), 0);
    child_ = fork();
    ASSERT_GE(child_, 0);
    if (child_ == 0) {
      close(to[1]);
      close(from[0]);
      Serve(to[0], from[1]);
    }
    close(to[0]);
    close(from[1]);
    to_ = to[1];
    from_ = from[0];
  }
  void Kill() {
    if (child_ <= 0) return;  // others would be killed
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
    child_ = -1;
    close(to_);
    close(from_);
  }
  void Send(const v1::UploadRequest& request) const {
    const std::string bytes = request.SerializeAsString();
    const auto size = static_cast<uint32_t>(bytes.size());
    ASSERT_EQ(write(to_, &size, sizeof size), static_cast<ssize_t>(sizeof size));
    ASSERT_EQ(write(to_, bytes.data(), size), static_cast<ssize_t>(size));
  }
  // Whether it is stored, as it has said.
  bool TakeAnswer() const {
    char answer = 0;
    return read(from_, &answer, 1) == 1 && answer == 1;
  }

 private:
  [[noreturn]] void Serve(int in, int out) const {
    // Every other one stores live rows only when it must.
    store::RunFolder::Options options;
    if (starts_ % 2 == 0) options.least_save_pause = absl::InfiniteDuration();
    auto run = store::RunFolder::Open(path_, options);
    uint32_t size = 0;
    while (run.ok() && read(in, &size, sizeof size) == static_cast<ssize_t>(sizeof size)) {
      std::string bytes(size, '\0');
      for (size_t at = 0; at < size;) {
        const ssize_t count = read(in, bytes.data() + at, size - at);
        if (count <= 0) _exit(1);
        at += static_cast<size_t>(count);
      }
      v1::UploadRequest request;
      const char answer = request.ParseFromString(bytes) && (*run)->Apply(request).ok() ? 1 : 0;
      if (write(out, &answer, 1) != 1) _exit(1);
    }
    _exit(1);
  }

  const std::string path_;
  int starts_ = 0;
  pid_t child_ = -1;
  int to_ = -1, from_ = -1;
};

// One profiled process under one agent: what it writes, and what the agent makes of it.
class Process {
 public:
  Process(int pid, uint64_t* clock_ns) : pid_(pid), clock_ns_(*clock_ns) {
    agent::Segment segment = *agent::Segment::Create({.slot_count = 2, .ring_records = 4096});
    injector_ = std::make_unique<FakeInjector>(segment.fd(), segment.bytes());
    v1::ProcessKey key;
    key.set_node("n1");
    key.set_pid(pid);
    recorder_ = std::make_unique<agent::ProcessRecorder>(std::move(segment), key, v1::ProcessInfo(),
                                                         std::nullopt);
    ring_ = std::make_unique<FakeInjector::Ring>(injector_->Claim());
    ring_->WriteString(1, "gemm_kernel");
    ring_->WriteString(2, "relu_kernel");
  }

  // A product and a kernel outside of it, an all-reduce, a range with a number, now and then a
  // step.
  void Work(std::mt19937_64* random) {
    const auto any = [&](uint32_t count) { return static_cast<uint32_t>((*random)() % count); };
    const std::string process = std::to_string(pid_);
    const uint32_t scope = 1 + any(4);
    const uint32_t step = any(300);  // in any order: late work too
    const uint32_t number = ++number_;
    const uint64_t ns = 1 + any(1000);
    switch (any(4)) {
      case 0:
        ring_->Write(testing::Launch(number, scope, number, shm::Phase::kForward, step));
        ring_->Write(testing::Gemm(number, scope, 120, 8, 400, shm::Phase::kForward, step));
        written_.Add(Named("cublasSgemm_v2", process, scope), 1);
        written_.Add(Named("cublasSgemm_v2", process, scope) + "/flops", kProduct);
        written_.Add(Named("cublasSgemm_v2", process, scope) + "/ns", ns);
        written_.Add(Named("step", process, step) + "/flops", kProduct);
        written_.Add(Named("history", process, v1::PHASE_FORWARD) + "/calls", 1);
        written_.Add(Named("history", process, v1::PHASE_FORWARD) + "/flops", kProduct);
        return WriteKernel(1, scope, step, ns);
      case 1:
        ring_->Write(testing::Launch(number, scope, shm::kNoCall, shm::Phase::kForward, step));
        return WriteKernel(2, scope, step, ns);
      case 2: {
        ring_->Write(testing::AllReduce(number, scope, 10 + any(3)));
        return;
      }
      default:
        WriteEntry(scope, ns);
        ring_->Write(testing::Step(step, shm::StepEvent::kOptimizerEnd, clock_ns_++));
        written_.Add(Named("optimizer", process, step), 1);
    }
  }

  // False: nothing new. Else a part of at most about so many rows.
  bool Emit(size_t max_rows, v1::ProcessProfile* part) {
    while (recorder_->Drain(clock_ns_)) {
    }
    if (!recorder_->Emit(max_rows, part)) return false;
    emitted_.Add(testing::MeasuresOf(*part));
    return true;
  }

  agent::RowNumbers& numbers() { return numbers_; }
  const Measures& written() const { return written_; }
  const Measures& emitted() const { return emitted_; }

 private:
  void WriteKernel(uint32_t name, uint32_t scope, uint32_t step, uint64_t ns) {
    const std::string process = std::to_string(pid_);
    clock_ns_ += 2000;  // kernels do not touch each other
    ring_->Write(testing::Kernel(number_, name, clock_ns_, clock_ns_ + ns));
    const std::string kernel = process + (name == 1 ? "/gemm_kernel" : "/relu_kernel");
    written_.Add(kernel, 1);
    written_.Add(kernel + "/ns", ns);
    written_.Add(Named("history", process, v1::PHASE_FORWARD) + "/activities", 1);
    written_.Add(Named("history", process, v1::PHASE_FORWARD) + "/ns", ns);
    written_.Add(Named("history_busy", process, 0), ns);
    written_.Bound(kernel, ns, ns);
    written_.Add(Named("placed", process, scope), 1);
    written_.Add(Named("placed", process, scope) + "/ns", ns);
    const std::string in_step = Named("step", process, step);
    written_.Add(in_step + "/activities", 1);
    written_.Add(in_step + "/ns", ns);
    written_.Add(in_step + "/busy", ns);
    written_.Add(Named("busy", process, 0), ns);
    written_.Bound(Named("busy", process, 0), clock_ns_, clock_ns_ + ns);
  }
  void WriteEntry(uint32_t scope, uint64_t payload) {
    shm::ScopeEnter entry = {};
    entry.header = testing::Header(shm::RecordType::kScopeEnter);
    entry.scope = scope;
    entry.payload = payload;
    entry.payload_type = static_cast<uint8_t>(shm::PayloadType::kUnsigned);
    ring_->Write(entry);
    const std::string process = std::to_string(pid_);
    written_.Add(Named("entered", process, scope), 1);
    written_.Add(Named("range", process, scope), 1);
    written_.Add(Named("range", process, scope) + "/sum", payload);
    written_.Bound(Named("range", process, scope), payload, payload);
  }

  const int pid_;
  uint64_t& clock_ns_;
  std::unique_ptr<FakeInjector> injector_;
  std::unique_ptr<agent::ProcessRecorder> recorder_;
  std::unique_ptr<FakeInjector::Ring> ring_;
  uint32_t number_ = 0;
  agent::RowNumbers numbers_;
  Measures written_, emitted_;
};

class ExactlyOnceTest : public ::testing::Test {
 protected:
  ExactlyOnceTest() {
    signal(SIGPIPE, SIG_IGN);  // a collector that could not start is an assertion, not our end
    store::RunFolder::Options options;
    options.path = path_;
    EXPECT_TRUE(store::RunFolder::Create(options, "run", v1::RunInfo()).ok());
    collector_ = std::make_unique<CollectorProcess>(path_);
    ReplaceAgent();
  }

  uint32_t Any(uint32_t count) { return static_cast<uint32_t>(random_() % count); }

  // What the old one had not got acknowledged is lost, here and in the reference.
  void ReplaceAgent() {
    agent_id_ = "agent " + std::to_string(++agents_);
    sequence_ = 0;
    waiting_.clear();
    sums_.clear();
    processes_.clear();  // what the old one had sent may still come again
    for (int pid = 1; pid <= 3; ++pid) {
      processes_.push_back(std::make_unique<Process>(pid, &clock_ns_));
    }
  }

  bool EmitPart(Process* process) {
    v1::UploadRequest request;
    request.set_run_id("run");
    request.set_agent_id(agent_id_);
    request.set_format(v1::UPLOAD_FORMAT_INCREMENTS);
    if (!process->Emit(1 + Any(20), request.add_processes())) return false;
    request.set_sequence(++sequence_);
    sums_.push_back(testing::MeasuresOf(request.processes(0)));
    // Rows may come as rows too.
    if (Any(10) != 0) process->numbers().ToBlocks(request.mutable_processes(0));
    if (Any(100) == 0) process->numbers().Restart(process->numbers().numbering() + 1);
    waiting_.push_back(std::move(request));
    return true;
  }

  // The oldest one goes; `killed`: the collector is, before or after it has stored it.
  void SendOldest(bool killed) {
    if (waiting_.empty()) return;
    collector_->Send(waiting_.front());
    if (killed) {
      // Surely after it was stored, the answer being lost; or at any moment.
      if (Any(2) == 0) {
        ASSERT_TRUE(collector_->TakeAnswer());
        kills_after_storing_++;
      } else {
        usleep(Any(3000));
      }
      Restart();
      collector_->Send(waiting_.front());  // nobody had acknowledged it
    }
    ASSERT_TRUE(collector_->TakeAnswer());
    reference_.Add(sums_.front());
    sums_.pop_front();
    taken_.push_back(waiting_.front());
    if (taken_.size() > 5) taken_.pop_front();
    waiting_.pop_front();
  }

  // After a connection was lost, what was acknowledged may come again.
  void SendAgain() {
    if (taken_.empty()) return;
    collector_->Send(taken_[Any(static_cast<uint32_t>(taken_.size()))]);
    ASSERT_TRUE(collector_->TakeAnswer());
  }

  void Restart() {
    collector_->Kill();
    collector_->Start();
  }

  void Compare() {
    for (const auto& process : processes_) {
      while (EmitPart(process.get())) {
      }
      Measures written = process->written();
      Measures emitted = process->emitted();
      // Not in the reference of records: which row a collective is in.
      std::erase_if(emitted.sum, [](const auto& each) {
        return each.first.find("ncclAllReduce") != std::string::npos;
      });
      ASSERT_EQ(written.sum, emitted.sum);
      ASSERT_TRUE(written == emitted);
    }
    const auto run = store::ReadRun(path_);
    ASSERT_TRUE(run.ok()) << run.status();
    Measures stored;
    for (const v1::ProcessProfile& process : run->processes) {
      stored.Add(testing::MeasuresOf(process));
    }
    // Readers leave out what is known of labels whose steps have not come.
    std::erase_if(stored.sum, [](const auto& each) {
      return each.first.find("optimizer") != std::string::npos;
    });
    AddOptimizerSteps(&stored);
    ASSERT_EQ(stored.sum, reference_.sum);
    ASSERT_TRUE(stored == reference_);
    for (const auto& state : run->agents) ASSERT_EQ(state.missing, 0u);
  }

  void AddOptimizerSteps(Measures* stored) {
    auto run = store::RunDatabase::Open(path_);
    ASSERT_TRUE(run.ok());
    auto rows = (*run)->database()->Prepare(
        "SELECT pid, step, optimizer_steps FROM step_labels JOIN processes ON id = process_id");
    ASSERT_TRUE(rows.ok());
    while (*rows->Step()) {
      stored->Add(Named("optimizer", rows->Text(0), static_cast<uint64_t>(rows->Int(1))),
                  static_cast<uint64_t>(rows->Int(2)));
    }
  }

  testing::TempFolder folder_;
  const std::string path_ = folder_.File("run");
  std::mt19937_64 random_{20261130};
  uint64_t clock_ns_ = 1'000'000;
  std::unique_ptr<CollectorProcess> collector_;
  std::vector<std::unique_ptr<Process>> processes_;
  std::string agent_id_;
  int agents_ = 0;
  uint64_t sequence_ = 0;
  std::deque<v1::UploadRequest> waiting_;  // not acknowledged
  std::deque<Measures> sums_;              // of those
  std::deque<v1::UploadRequest> taken_;    // the newest that were, also of an agent before
  int kills_after_storing_ = 0;
  Measures reference_;
};

// FLOPSPROF_MODEL_STEPS is another number of steps.
TEST_F(ExactlyOnceTest, TheRunHasWhatAPlainSumHas) {
  const char* asked = getenv("FLOPSPROF_MODEL_STEPS");
  const int steps = asked == nullptr ? test::CasesOf(10'000) : atoi(asked);
  for (int step = 0; step < steps && !HasFatalFailure(); ++step) {
    Process& process = *processes_[Any(3)];
    const uint32_t action = Any(1000);
    if (action < 550) {
      for (uint32_t i = 0; i <= Any(5); ++i) process.Work(&random_);
    } else if (action < 750) {
      EmitPart(&process);
    } else if (action < 950) {
      SendOldest(/*killed=*/false);
    } else if (action < 975) {
      SendAgain();
    } else if (action < 985) {
      SendOldest(/*killed=*/true);
    } else if (action < 990) {
      Restart();
    } else if (action < 995) {
      ReplaceAgent();
    } else {
      Compare();
    }
  }
  if (HasFatalFailure()) return;
  while (!waiting_.empty() && !HasFatalFailure()) SendOldest(/*killed=*/false);
  Compare();
  EXPECT_GT(reference_.sum.size(), 100u);
  EXPECT_GT(kills_after_storing_, steps / 1000);
}

}  // namespace
}  // namespace flopsprof

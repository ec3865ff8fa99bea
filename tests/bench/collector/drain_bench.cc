// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// What one record costs the agent: drained, decoded, joined and summed. A call is three records
// (launch, call, kernel) over 64 scopes, 40 shapes and 40 kernel names. Goal: <= 40 ns a record.

#include <benchmark/benchmark.h>

#include <array>
#include <string>
#include <vector>

#include "collector/agent/processes/process_recorder.h"
#include "tests/support/fake_injector.h"

namespace flopsprof {
namespace {

constexpr uint32_t kCallsPerRound = 1000;

void Drain(benchmark::State& state) {
  agent::Segment segment = *agent::Segment::Create({.slot_count = 4, .ring_records = 8192});
  testing::FakeInjector injector(segment.fd(), segment.bytes());
  agent::ProcessRecorder recorder(std::move(segment), {}, {}, std::nullopt);
  testing::FakeInjector::Ring main = injector.Claim();
  testing::FakeInjector::Ring cupti = injector.Claim();
  for (uint32_t i = 1; i <= 40; i++) main.WriteString(i, "kernel " + std::to_string(i));
  uint32_t number = 0;
  uint64_t now_ns = 1'000'000'000;
  for (auto round : state) {
    state.PauseTiming();
    const uint32_t step = number / kCallsPerRound;
    main.Write(testing::Step(step, shm::StepEvent::kBegin, now_ns));
    for (uint32_t i = 0; i < kCallsPerRound; i++) {
      number++;
      const uint32_t scope = 1 + i % 64;
      main.Write(testing::Launch(number, scope, number, shm::Phase::kForward, step));
      main.Write(testing::Gemm(number, scope, 64 + i % 40, 8, 400, shm::Phase::kForward, step));
      now_ns += 2000;
      cupti.Write(testing::Kernel(number, 1 + i % 40, now_ns, now_ns + 1500));
    }
    state.ResumeTiming();
    while (recorder.Drain(now_ns)) {
    }
  }
  if (recorder.dropped_count() != 0) state.SkipWithError("the ring was full");
  const double records = static_cast<double>(recorder.record_count());
  state.counters["records"] = records;
  state.counters["ns_per_record"] =
      benchmark::Counter(records * 1e-9, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(Drain);
// As many records each time: tests/bench/run.sh counts its instructions.
BENCHMARK(Drain)->Name("DrainCounted")->Iterations(50);

// Sizes, scopes and kernels of the mix: nothing that is guessed comes twice in the same order.
class Dice {
 public:
  uint32_t Below(uint32_t end) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<uint32_t>((state_ >> 33) % end);
  }

 private:
  uint64_t state_ = 1;
};

// A job that is not in the ideal order: two threads, whose rings are read one after the other,
// kernels that come in another order than their launches, kernels of no call, scopes, calls of
// three libraries, and a graph of 100 nodes in place of every hundredth piece of work.
class Mix {
 public:
  static constexpr uint32_t kPieces = 1000;  // a round
  static constexpr uint32_t kNodes = 100;

  explicit Mix(testing::FakeInjector* injector)
      : threads_{injector->Claim(), injector->Claim()}, cupti_(injector->Claim()) {
    for (uint32_t i = 1; i <= 40; i++) threads_[0].WriteString(i, "kernel " + std::to_string(i));
    threads_[0].WriteBlob(
        shm::BlobKind::kCudnnPlan, 9,
        R"({"tensors":[{"name":"1","dataType":"CUDNN_DATA_HALF","dim":[1,2,4,4]},)"
        R"({"name":"2","dataType":"CUDNN_DATA_HALF","dim":[3,2,1,1]},)"
        R"({"name":"3","dataType":"CUDNN_DATA_HALF","dim":[1,3,4,4]}],"nodes":[)"
        R"({"operation":"CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR",)"
        R"("X":"1","W":"2","Y":"3"}]})");
    Capture();
  }

  void WriteRound(uint32_t step) {
    threads_[0].Write(testing::Step(step, shm::StepEvent::kBegin, now_ns_));
    for (uint32_t i = 0; i < kPieces; i++) {
      testing::FakeInjector::Ring& thread = threads_[dice_.Below(2)];
      if (i % 100 == 99) {
        WriteReplay(step);
      } else {
        WritePiece(&thread, step);
      }
      if (kernels_.size() >= 16) WriteKernels();
    }
    WriteKernels();
  }
  uint64_t now_ns() const { return now_ns_; }

 private:
  void Capture() {
    for (uint32_t node = 1; node <= kNodes; node++) {
      number_++;
      threads_[0].Write(testing::CallInCapture(number_, 1 + node % 64, kCapture));
      threads_[0].Write(testing::NodeOfCall(number_, 1 + node % 64, kGraphId, node));
      shm::GemmCall gemm = testing::Gemm(number_, 1 + node % 64, 64 + node % 40, 8, 400);
      gemm.header.flags = shm::kFlagCaptured;
      threads_[0].Write(gemm);
    }
    shm::GraphEvent event = testing::GraphChange(1, shm::GraphEventKind::kCaptureEnd, kGraph);
    event.capture = kCapture;
    event.graph_id = kGraphId;
    threads_[0].Write(event);
    event = testing::GraphChange(2, shm::GraphEventKind::kInstantiate, kGraph, kExec);
    event.graph_id = kGraphId;
    event.other_id = kExecId;
    threads_[0].Write(event);
  }

  void WriteReplay(uint32_t step) {
    threads_[0].Write(testing::Replay(++number_, kExec, 2, step));
    for (uint32_t node = 1; node <= kNodes; node++) {
      shm::ActivityRecord record = Next(1 + node % 40);
      record.graph_node = uint64_t{kExecId} << 32 | node;
      kernels_.push_back(record);
    }
  }

  void WritePiece(testing::FakeInjector::Ring* thread, uint32_t step) {
    const uint32_t scope = 1 + dice_.Below(64);
    const uint32_t what = dice_.Below(8);
    number_++;
    shm::ScopeEnter entry = {};
    entry.header = testing::Header(shm::RecordType::kScopeEnter, shm::Phase::kForward, step);
    entry.scope = scope;
    thread->Write(entry);
    const bool alone = what == 0;  // a kernel of no call
    thread->Write(testing::Launch(number_, scope, alone ? shm::kNoCall : number_,
                                  shm::Phase::kForward, step));
    if (what == 1) {
      shm::LibraryCall call = testing::Library(number_, scope, shm::ApiId::cublasStrsm_v2);
      call.header.step = step;
      call.sizes[0] = 64 + dice_.Below(8);
      call.sizes[1] = 32;
      thread->Write(call);
    } else if (what == 2) {
      shm::CudnnCall call = testing::Cudnn(number_, scope, 9);
      call.header.step = step;
      thread->Write(call);
    } else if (!alone) {
      thread->Write(
          testing::Gemm(number_, scope, 64 + dice_.Below(40), 8, 400, shm::Phase::kForward, step));
    }
    kernels_.push_back(Next(1 + dice_.Below(40)));
  }

  shm::ActivityRecord Next(uint32_t name) {
    now_ns_ += 2000;
    return testing::Kernel(number_, name, now_ns_, now_ns_ + 1500);
  }
  // As CUPTI gives them: those of a stream together.
  void WriteKernels() {
    for (size_t first = 0; first < 2; first++) {
      for (size_t i = first; i < kernels_.size(); i += 2) cupti_.Write(kernels_[i]);
    }
    kernels_.clear();
  }

  static constexpr uint64_t kGraph = 0x100, kExec = 0xe00, kCapture = 71;
  static constexpr uint32_t kGraphId = 7, kExecId = 9;

  std::array<testing::FakeInjector::Ring, 2> threads_;
  testing::FakeInjector::Ring cupti_;
  std::vector<shm::ActivityRecord> kernels_;
  Dice dice_;
  uint32_t number_ = 0;
  uint64_t now_ns_ = 1'000'000'000;
};

void DrainMix(benchmark::State& state) {
  agent::Segment segment = *agent::Segment::Create({.slot_count = 4, .ring_records = 8192});
  testing::FakeInjector injector(segment.fd(), segment.bytes());
  agent::ProcessRecorder recorder(std::move(segment), {}, {}, std::nullopt);
  Mix mix(&injector);
  uint32_t step = 0;
  for (auto round : state) {
    state.PauseTiming();
    mix.WriteRound(step++);
    state.ResumeTiming();
    while (recorder.Drain(mix.now_ns())) {
    }
  }
  if (recorder.dropped_count() != 0) state.SkipWithError("the ring was full");
  const double records = static_cast<double>(recorder.record_count());
  state.counters["records"] = records;
  state.counters["ns_per_record"] =
      benchmark::Counter(records * 1e-9, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(DrainMix);
BENCHMARK(DrainMix)->Name("DrainMixCounted")->Iterations(50);

// What a second's update costs when every row has changed.
void Emit(benchmark::State& state) {
  agent::Segment segment = *agent::Segment::Create({.slot_count = 4, .ring_records = 8192});
  testing::FakeInjector injector(segment.fd(), segment.bytes());
  agent::ProcessRecorder recorder(std::move(segment), {}, {}, std::nullopt);
  testing::FakeInjector::Ring main = injector.Claim();
  uint32_t number = 0;
  for (auto round : state) {
    state.PauseTiming();
    for (uint32_t i = 0; i < 1000; i++) main.Write(testing::Gemm(++number, i, 64, 8, 400));
    recorder.Drain(1'000'000'000);
    state.ResumeTiming();
    v1::ProcessProfile profile;
    recorder.Emit(10'000, &profile);
    benchmark::DoNotOptimize(profile.calls_size());
  }
  state.SetItemsProcessed(state.iterations() * 1000);
}
BENCHMARK(Emit);

}  // namespace
}  // namespace flopsprof

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// What a row of an upload costs the collector until it may be acknowledged: the request, as gRPC
// hands it over, made durable in a run folder. One agent sends one request after another, as over
// one stream; in another case 16 do. A request: 100 or 1000 rows (calls, times, kernels, kernels of
// scopes) of a process, all of them changed since the last one. Then what a row costs to merge.

#include <benchmark/benchmark.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "collector/store/log/log_reader.h"
#include "collector/store/log/log_writer.h"
#include "collector/store/log_merge.h"
#include "collector/store/run_folder.h"

namespace flopsprof::store {
namespace {

constexpr int kKinds = 4;

// FLOPSPROF_BENCH_DIR: on the disk that is meant, where the one for temporary files is another, or
// memory.
std::string FreshFolder() {
  const char* parent = std::getenv("FLOPSPROF_BENCH_DIR");
  std::string name =
      (parent == nullptr ? std::filesystem::temp_directory_path().string() : std::string(parent)) +
      "/store-bench-XXXXXX";
  return mkdtemp(name.data());
}

v1::UploadRequest Request(int agent, int rows) {
  v1::UploadRequest request;
  request.set_run_id("run");
  request.set_format(v1::UPLOAD_FORMAT_INCREMENTS);
  request.set_agent_id("node-" + std::to_string(agent));
  v1::ProcessProfile& process = *request.add_processes();
  process.mutable_key()->set_node("node-" + std::to_string(agent));
  process.mutable_key()->set_pid(4711);
  for (int i = 0; i < rows / kKinds; ++i) {
    const auto number = static_cast<uint32_t>(i);
    v1::CallRow& call = *process.add_calls();
    call.set_scope(1 + number % 64);
    call.set_phase(v1::PHASE_FORWARD);
    call.set_kind(v1::CALL_KIND_GEMM);
    call.set_api("cublasGemmEx");
    call.set_shape("N N m=4096 n=" + std::to_string(i) + " k=11008");
    call.set_compute_type("bf16");
    call.set_in_step(true);
    v1::TimeRow& time = *process.add_times();
    time.set_scope(number);
    time.set_phase(v1::PHASE_FORWARD);
    time.set_category(v1::TIME_CATEGORY_EXACT);
    v1::KernelRow& kernel = *process.add_kernels();
    kernel.set_name("ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x" + std::to_string(i));
    kernel.set_category(v1::TIME_CATEGORY_EXACT);
    kernel.set_phase(v1::PHASE_FORWARD);
    v1::ScopeKernelRow& placed = *process.add_scope_kernels();
    placed.set_scope(number);
    placed.set_phase(v1::PHASE_FORWARD);
    placed.set_api(2);
    placed.set_name(number);
    placed.set_kind("kernel");
  }
  return request;
}

void Grow(v1::UploadRequest* request) {
  request->set_sequence(request->sequence() + 1);
  const uint64_t amount = request->sequence();
  v1::ProcessProfile& process = *request->mutable_processes(0);
  for (int i = 0; i < process.calls_size(); ++i) {
    const uint64_t time_ns = amount * (123'457 + 997 * static_cast<uint64_t>(i));
    process.mutable_calls(i)->set_calls(amount);
    process.mutable_calls(i)->mutable_flops()->set_low(amount * 2'199'023'255'552);
    process.mutable_calls(i)->set_gpu_time_ns(time_ns);
    process.mutable_times(i)->set_activities(amount);
    process.mutable_times(i)->set_gpu_time_ns(time_ns);
    process.mutable_kernels(i)->set_count(amount);
    process.mutable_kernels(i)->set_gpu_time_ns(time_ns);
    process.mutable_scope_kernels(i)->set_count(amount);
    process.mutable_scope_kernels(i)->set_gpu_time_ns(time_ns);
  }
}

// From a request that gRPC has parsed to what may be acknowledged.
class ApplyBench : public benchmark::Fixture {
 public:
  void SetUp(benchmark::State& state) override {
    if (state.thread_index() != 0) return;
    folder_ = FreshFolder();
    RunFolder::Options options;
    options.path = folder_ + "/run";
    run_ = *RunFolder::Create(options, "run", v1::RunInfo());
  }
  void TearDown(benchmark::State& state) override {
    if (state.thread_index() != 0) return;
    run_.reset();
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

 protected:
  std::string folder_;
  std::unique_ptr<RunFolder> run_;
};

BENCHMARK_DEFINE_F(ApplyBench, Apply)(benchmark::State& state) {
  v1::UploadRequest request = Request(state.thread_index(), static_cast<int>(state.range(0)));
  for (auto round : state) {
    state.PauseTiming();
    Grow(&request);
    state.ResumeTiming();
    if (!run_->Apply(request).ok()) state.SkipWithError("not stored");
  }
  state.counters["s_per_row"] = benchmark::Counter(
      static_cast<double>(state.iterations()) * static_cast<double>(state.range(0)),
      benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK_REGISTER_F(ApplyBench, Apply)
    ->ArgName("rows")
    ->Arg(100)
    ->Arg(1000)
    ->UseRealTime()
    ->Iterations(200)
    ->Threads(1)
    ->Threads(16);

// From the log into profile.db, with nothing else to do.
BENCHMARK_DEFINE_F(ApplyBench, Merge)(benchmark::State& state) {
  constexpr int kRequests = 100;
  v1::UploadRequest request = Request(0, static_cast<int>(state.range(0)));
  run_->Finish().IgnoreError();
  LogWriter::Options options;
  options.folder = folder_ + "/other-log";
  const auto log = *LogWriter::Open(options);
  Database database = *Database::Open(folder_ + "/run/profile.db", SQLITE_OPEN_READWRITE);
  database.Execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL").IgnoreError();
  ProfileWriter writer(&database);
  LogMerge merge("run", &database, &writer, MergedTo());
  LogReader reader(*LogSegments::Open(options.folder), 0, 0);
  for (auto round : state) {
    state.PauseTiming();
    for (int i = 0; i < kRequests; ++i) {
      Grow(&request);
      log->Append(request.SerializeAsString(), 1).status().IgnoreError();
    }
    reader.Extend(log->end()).IgnoreError();
    state.ResumeTiming();
    absl::StatusOr<bool> more = true;
    while (more.ok() && *more)
      more = merge.Some(&reader, absl::Milliseconds(500), absl::Milliseconds(500));
    if (!more.ok()) state.SkipWithError("not merged");
  }
  if (reader.last_sequence() != request.sequence()) state.SkipWithError("some are missing");
  state.counters["rows_per_s"] = benchmark::Counter(
      static_cast<double>(state.iterations()) * kRequests * static_cast<double>(state.range(0)),
      benchmark::Counter::kIsRate);
}
BENCHMARK_REGISTER_F(ApplyBench, Merge)
    ->ArgName("rows")
    ->Arg(100)
    ->Arg(1000)
    ->UseRealTime()
    ->Iterations(3);

}  // namespace
}  // namespace flopsprof::store

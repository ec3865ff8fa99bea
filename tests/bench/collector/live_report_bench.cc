// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// How long the report of a run that is being written takes: from the memory of its collector, and
// from its folder. All ranks are copies of those of a run that flopsprof_make_run has written, with
// keys of their own; each has sent all of its rows.
//
//     flopsprof_live_report_bench RUN [--ranks N] [--peer]
//
//   --peer  also as before: a copy of profile.db in memory, into which the log is merged

#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>

#include "absl/strings/str_cat.h"
#include "collector/base/clock.h"
#include "collector/model/run_sums.h"
#include "collector/server/collector.h"
#include "collector/store/run_reader.h"
#include "flopsprof/v1/query.grpc.pb.h"

namespace flopsprof {
namespace {

constexpr uint32_t kRanksOfANode = 8;

double CpuSeconds() {
  timespec now = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double Seconds() { return 1e-9 * static_cast<double>(base::Clock::Real().MonoNs()); }

double PeakMb() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024 / 1e6;
}

class Bench {
 public:
  Bench(const std::string& sample, uint32_t ranks)
      : ranks_(ranks), sample_(*store::ReadRun(sample)) {
    const char* parent = std::getenv("FLOPSPROF_BENCH_DIR");
    std::string name =
        (parent == nullptr ? std::filesystem::temp_directory_path().string() : parent) +
        "/live-report-bench-XXXXXX";
    folder_ = mkdtemp(name.data());
    server::Collector::Options options;
    options.listen = {"unix:" + folder_ + "/socket"};
    options.output = folder_ + "/run";
    options.run_id = "run";
    collector_ = *server::Collector::Create(options);
    run_ = collector_->run("run");
    stub_ = v1::Query::NewStub(
        grpc::CreateChannel(options.listen[0], grpc::InsecureChannelCredentials()));
  }
  ~Bench() {
    run_.reset();
    collector_.reset();
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  // All rows of all ranks come, once more.
  bool SendAll() {
    ++sequence_;
    for (uint32_t rank = 0; rank < ranks_; ++rank) {
      v1::UploadRequest request;
      request.set_run_id("run");
      request.set_format(v1::UPLOAD_FORMAT_INCREMENTS);
      request.set_agent_id(absl::StrCat("agent-", rank));
      request.set_sequence(sequence_);
      v1::ProcessProfile& process = *request.add_processes();
      process = sample_.processes[rank % sample_.processes.size()];
      process.clear_call_gradients();
      process.mutable_key()->set_node(absl::StrCat("node-", rank / kRanksOfANode));
      process.mutable_key()->set_pid(static_cast<int32_t>(rank + 1));
      v1::ProcessInfo& info = *process.mutable_info();
      info.set_rank(static_cast<int32_t>(rank));
      info.set_local_rank(static_cast<int32_t>(rank % kRanksOfANode));
      info.set_world_size(static_cast<int32_t>(ranks_));
      absl::Status status = run_->Apply(request);
      while (absl::IsUnavailable(status)) status = run_->Apply(request);
      if (!status.ok()) {
        fprintf(stderr, "%s\n", status.ToString().c_str());
        return false;
      }
    }
    // Merges what is left, for 5 s each time.
    absl::Status merged = absl::UnavailableError("");
    while (absl::IsUnavailable(merged)) merged = run_->AllAgentsHaveEnded().status();
    return merged.ok();
  }

  // Over the socket, to where a report can be rendered.
  bool Ask(const char* what, uint32_t patience_ms) {
    const double begin_s = Seconds(), cpu_begin_s = CpuSeconds();
    grpc::ClientContext context;
    v1::ReportRequest request;
    request.set_form(v1::REPORT_FORM_SUMS);
    request.set_made_by(std::string(model::SumsMadeBy()));
    request.set_patience_ms(patience_ms);
    const auto reader = stub_->GetReport(&context, request);
    v1::ReportPart part;
    v1::ReportHead head;
    std::string bytes;
    while (reader->Read(&part)) {
      if (part.has_head()) head = part.head();
      bytes += part.bytes();
    }
    const grpc::Status status = reader->Finish();
    if (!status.ok() || !model::FromBytes(bytes).has_value()) {
      fprintf(stderr, "%s: %s\n", what, status.error_message().c_str());
      return false;
    }
    printf(
        "  %s: %.3f s, CPU %.3f s, %.1f MB, %llu uploads behind, merge stopped %.2f ms, peak %.0f "
        "MB\n",
        what, Seconds() - begin_s, CpuSeconds() - cpu_begin_s,
        static_cast<double>(bytes.size()) / 1e6,
        static_cast<unsigned long long>(head.newest_record() - head.record()),
        static_cast<double>(head.merge_stopped_ns()) * 1e-6, PeakMb());
    return true;
  }

  bool AskAsBefore() {
    const double begin_s = Seconds(), cpu_begin_s = CpuSeconds();
    const auto database = store::RunDatabase::Open(folder_ + "/run");
    if (!database.ok() || !store::SumRun(database->get()).ok()) return false;
    printf("  from the folder: %.3f s, CPU %.3f s, peak %.0f MB\n", Seconds() - begin_s,
           CpuSeconds() - cpu_begin_s, PeakMb());
    return true;
  }

 private:
  const uint32_t ranks_;
  const model::RunProfile sample_;
  std::string folder_;
  std::unique_ptr<server::Collector> collector_;
  std::shared_ptr<store::RunFolder> run_;
  std::unique_ptr<v1::Query::Stub> stub_;
  uint64_t sequence_ = 0;
};

}  // namespace
}  // namespace flopsprof

int main(int argc, char** argv) {
  uint32_t ranks = 1000;
  bool peer = false;
  std::string sample;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--ranks") == 0 && i + 1 < argc) {
      ranks = static_cast<uint32_t>(std::strtoul(argv[++i], nullptr, 10));
    } else if (std::strcmp(argv[i], "--peer") == 0) {
      peer = true;
    } else {
      sample = argv[i];
    }
  }
  constexpr uint32_t kLong = 1'000'000'000, kShort = 100;
  flopsprof::Bench bench(sample, ranks);
  printf("%u simulated ranks\n", ranks);
  bool good = bench.SendAll();
  printf("  collected: peak %.0f MB\n", flopsprof::PeakMb());
  good = good && bench.Ask("first report", kLong) && bench.Ask("nothing new since", kLong);
  good = good && bench.SendAll() && bench.Ask("all has changed, the kept one", kShort);
  good = good && bench.Ask("all has changed, a new one", kLong);
  if (good && peer) good = bench.AskAsBefore();
  return good ? 0 : 1;
}

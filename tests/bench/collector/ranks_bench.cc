// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// What a row of many simulated ranks costs a collector: from the bytes of a request as they came to
// where it is in the log, acknowledged, and merged in memory. All ranks run the same model; each
// sends a request a window, with all its rows changed, as an agent makes it of rows.
//
//     flopsprof_ranks_bench [--ranks N] [--rows N] [--windows N] [--save] [--peer] [--defining N]
//
//   --save  then stores all that is in memory in profile.db, and once more when all has changed
//   --peer  as before: each row a statement of SQLite, of a few ranks
//   --defining N  only this: requests of one new row each where N are known

#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "collector/agent/upload/row_numbers.h"
#include "collector/server/request_check.h"
#include "collector/store/live/live_process.h"
#include "collector/store/row_codec.h"
#include "collector/store/run_folder.h"
#include "collector/store/schema.h"

namespace flopsprof {
namespace {

constexpr uint32_t kRanksOfANode = 8;
constexpr double kWindowSeconds = 10;

double CpuSeconds(clockid_t clock) {
  timespec now = {};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Resident now, in MB.
double MemoryMb() {
  std::ifstream status("/proc/self/statm");
  uint64_t pages = 0, resident = 0;
  status >> pages >> resident;
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e6;
}

// The rows of a rank, a quarter each of calls, times, kernels and kernels by scope.
v1::ProcessProfile Rows(uint32_t rows, uint32_t window) {
  v1::ProcessProfile part;
  for (uint32_t i = 0; i < rows / 4; ++i) {
    const uint64_t count = 100 + (i + window) % 900;
    const uint64_t time_ns = count * (20'000 + 997 * (i % 500));
    v1::CallRow& call = *part.add_calls();
    call.set_scope(1 + i % 200);
    call.set_phase(v1::PHASE_FORWARD);
    call.set_kind(v1::CALL_KIND_GEMM);
    call.set_api("cublasGemmEx");
    call.set_shape(absl::StrCat("N N m=4096 n=", i, " k=11008 a=bf16 b=bf16 c=bf16"));
    call.set_compute_type("bf16");
    call.set_in_step(true);
    call.set_flops_known(true);
    call.set_calls(count);
    call.mutable_flops()->set_low(count * 2'199'023'255'552);
    call.set_kernels(count);
    call.set_gpu_time_ns(time_ns);
    call.set_min_gpu_time_ns(19'000 + i);
    call.set_max_gpu_time_ns(time_ns / count + 1'000 + i);
    v1::TimeRow& time = *part.add_times();
    time.set_scope(i);
    time.set_phase(v1::PHASE_FORWARD);
    time.set_category(v1::TIME_CATEGORY_EXACT);
    time.set_in_step(true);
    time.set_activities(count);
    time.set_gpu_time_ns(time_ns);
    v1::KernelRow& kernel = *part.add_kernels();
    kernel.set_name(absl::StrCat("ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x", i));
    kernel.set_category(v1::TIME_CATEGORY_EXACT);
    kernel.set_phase(v1::PHASE_FORWARD);
    kernel.set_kind("kernel");
    kernel.set_count(count);
    kernel.set_gpu_time_ns(time_ns);
    kernel.set_min_ns(19'000 + i);
    kernel.set_max_ns(time_ns / count + 1'000 + i);
    v1::ScopeKernelRow& placed = *part.add_scope_kernels();
    placed.set_scope(i);
    placed.set_phase(v1::PHASE_FORWARD);
    placed.set_api(0x9e3779b97f4a7c15u);
    placed.set_name(0x9e3779b97f4a7c15u * i);
    placed.set_kind("kernel");
    placed.set_category(v1::TIME_CATEGORY_EXACT);
    placed.set_in_step(true);
    placed.set_count(count);
    placed.set_gpu_time_ns(time_ns);
    placed.set_first_step(window * 100);
    placed.set_last_step(window * 100 + 99);
  }
  return part;
}

std::string RequestBytes(uint32_t rank, uint64_t sequence, const std::string& part) {
  v1::UploadRequest request;
  request.set_run_id("run");
  request.set_format(v1::UPLOAD_FORMAT_INCREMENTS);
  request.set_agent_id(absl::StrCat("node-", rank / kRanksOfANode, "/1/1/1"));
  request.set_sequence(sequence);
  v1::ProcessProfile process;
  process.mutable_key()->set_node(absl::StrCat("node-", rank / kRanksOfANode));
  process.mutable_key()->set_pid(static_cast<int32_t>(rank));
  v1::ProcessLife& life = *process.add_process_lives();
  life.set_until_utc_ns(static_cast<int64_t>(sequence));
  v1::EpochRow& epoch = *process.add_epochs();
  epoch.set_epoch(rank + 1);
  epoch.set_calls_taken(100);
  // The fields of a message may come in any order, and a message in pieces.
  std::string bytes = request.SerializeAsString();
  const std::string head = process.SerializeAsString();
  bytes.push_back(v1::UploadRequest::kProcessesFieldNumber << 3 | 2);
  for (size_t size = head.size() + part.size(); true; size >>= 7) {
    bytes.push_back(static_cast<char>(size < 0x80 ? size : size | 0x80));
    if (size < 0x80) break;
  }
  return bytes + head + part;
}

class Bench {
 public:
  Bench(uint32_t ranks, uint32_t rows) : ranks_(ranks), rows_(rows / 4 * 4) {
    const char* parent = std::getenv("FLOPSPROF_BENCH_DIR");
    std::string name =
        (parent == nullptr ? std::filesystem::temp_directory_path().string() : parent) +
        "/ranks-bench-XXXXXX";
    folder_ = mkdtemp(name.data());
    store::RunFolder::Options options;
    options.path = folder_ + "/run";
    options.least_save_pause = absl::InfiniteDuration();
    run_ = *store::RunFolder::Create(options, "run", v1::RunInfo());
  }
  ~Bench() {
    std::error_code ignored;
    run_.reset();
    std::filesystem::remove_all(folder_, ignored);
  }

  bool RunWindows(uint32_t windows) {
    agent::RowNumbers numbers;
    printf("%u simulated ranks, %u rows a rank\n", ranks_, rows_);
    double known_s = 0;
    std::string bytes;
    for (uint32_t window = 0; window <= windows; ++window) {
      if (window < 2) {  // then the same again: making it is the agents' cost
        v1::ProcessProfile part = Rows(rows_, window);
        numbers.ToBlocks(&part);
        bytes = part.SerializeAsString();
      }
      bytes_of_known_ = bytes;
      const double cost_s = Window(window, bytes);
      if (cost_s < 0) return false;
      if (window == 0) {
        Print("new rows", cost_s, 1);
      } else {
        known_s += cost_s;
      }
    }
    if (windows > 0) Print("known rows", known_s, windows);
    printf("  memory %.0f MB, %.0f B a row\n", MemoryMb(), MemoryMb() * 1e6 / ranks_ / rows_);
    return true;
  }

  // All rows change once more.
  bool RunWindow(uint32_t window) { return Window(window, bytes_of_known_) >= 0; }

  bool Save() {
    bytes_ = 0;
    const double begin_s = CpuSeconds(CLOCK_PROCESS_CPUTIME_ID);
    const bool saved = run_->Merge().ok();
    Print("rows into profile.db", CpuSeconds(CLOCK_PROCESS_CPUTIME_ID) - begin_s, 1);
    return saved;
  }

 private:
  // CPU time of the collector for a request of each rank; negative: it has refused one.
  double Window(uint32_t window, const std::string& part) {
    const double begin_s = CpuSeconds(CLOCK_PROCESS_CPUTIME_ID);
    double making_s = 0;
    const server::RequestLimits limits;
    for (uint32_t rank = 0; rank < ranks_; ++rank) {
      const double making_from_s = CpuSeconds(CLOCK_THREAD_CPUTIME_ID);
      const uint64_t sequence = uint64_t{window} * kRanksOfANode + rank % kRanksOfANode + 1;
      const std::string bytes = RequestBytes(rank, sequence, part);
      bytes_ += bytes.size();
      making_s += CpuSeconds(CLOCK_THREAD_CPUTIME_ID) - making_from_s;
      v1::UploadRequest& request = request_;  // kept, as gRPC's is by a stream
      if (!request.ParseFromString(bytes)) return Failed("is no request");
      absl::Status status = server::CheckRequest(request, limits);
      server::BoundRequest(&request);
      if (status.ok()) status = run_->Apply(request);
      while (absl::IsUnavailable(status)) status = run_->Apply(request);
      if (!status.ok()) return Failed(status.ToString());
    }
    const auto merged = run_->AllAgentsHaveEnded();  // merges what is left
    if (!merged.ok()) return Failed(merged.status().ToString());
    return CpuSeconds(CLOCK_PROCESS_CPUTIME_ID) - begin_s - making_s;
  }

  static double Failed(const std::string& why) {
    fprintf(stderr, "%s\n", why.c_str());
    return -1;
  }

  void Print(const char* what, double cost_s, uint32_t windows) {
    const double rows = double{1} * ranks_ * rows_ * windows;
    printf("  %s: %.1f ns CPU a row, %.2f %% of a core with windows of %.0f s", what,
           cost_s * 1e9 / rows, cost_s / windows / kWindowSeconds * 100, kWindowSeconds);
    if (bytes_ > 0) printf(", %.1f B a row", static_cast<double>(bytes_) / rows);
    printf("\n");
    bytes_ = 0;
  }

  const uint32_t ranks_;
  const uint32_t rows_;
  std::string folder_;
  std::unique_ptr<store::RunFolder> run_;
  uint64_t bytes_ = 0;
  std::string bytes_of_known_;  // of a part whose rows are known
  v1::UploadRequest request_;
};

// A process of `known` rows, of which each request defines one more.
bool RunDefining(uint32_t known) {
  store::RunKeys keys;
  store::LiveProcess process;
  store::PreparedPart prepared;
  agent::RowNumbers numbers;
  const auto add = [&](uint32_t first, uint32_t count) {
    v1::ProcessProfile part;
    for (uint32_t i = 0; i < count; ++i) {
      v1::TimeRow& row = *part.add_times();
      row.set_scope(first + i);
      row.set_activities(1);
    }
    numbers.ToBlocks(&part);
    const double begin_s = CpuSeconds(CLOCK_PROCESS_CPUTIME_ID);
    if (!process.Prepare(part, "agent", &keys, &prepared).ok()) return -1.0;
    process.Apply(prepared, &keys.table);
    process.SetStored();
    return CpuSeconds(CLOCK_PROCESS_CPUTIME_ID) - begin_s;
  };
  constexpr uint32_t kRequests = 1000;
  double cost_s = add(0, known) < 0 ? -1 : 0;
  for (uint32_t i = 0; i < kRequests && cost_s >= 0; ++i) {
    const double more_s = add(known + i, 1);
    cost_s = more_s < 0 ? -1 : cost_s + more_s;
  }
  printf("a request that defines one row where %u are known: %.1f us CPU\n", known,
         cost_s / kRequests * 1e6);
  return cost_s >= 0;
}

// The row path of before: a statement a row, into tables whose keys are texts.
bool RunPeer(uint32_t ranks, uint32_t rows) {
  auto database = store::Database::Open("", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  if (!database.ok()) return false;
  std::vector<store::Statement> statements;
  for (const store::RowTable* table : store::LiveTables()) {
    std::vector<std::string> key = {"process_id"};
    for (const store::ColumnRule& column : table->columns) {
      if (column.rule == store::Rule::kKey)
        key.push_back(store::QuotedColumn(column.field->name()));
    }
    std::vector<std::string> columns = {"process_id"};
    for (const std::string& column : store::ColumnsOf(table->fields())) {
      columns.push_back(store::QuotedColumn(column));
    }
    const std::string sql =
        absl::StrCat("CREATE TABLE ", table->name, "(", absl::StrJoin(columns, ","),
                     ", PRIMARY KEY(", absl::StrJoin(key, ","), ")) WITHOUT ROWID");
    if (!database->Execute(sql).ok()) return false;
    statements.push_back(*database->Prepare(table->merge_sql));
  }
  for (uint32_t window = 0; window < 2; ++window) {
    const v1::ProcessProfile part = Rows(rows, window);
    const google::protobuf::Reflection& reflection = *part.GetReflection();
    const double begin_s = CpuSeconds(CLOCK_PROCESS_CPUTIME_ID);
    if (!database->Execute("BEGIN").ok()) return false;
    for (uint32_t rank = 0; rank < ranks; ++rank) {
      for (size_t at = 0; at < statements.size(); ++at) {
        const store::RowTable& table = *store::LiveTables()[at];
        const auto fields = table.fields();
        for (int i = 0; i < reflection.FieldSize(part, table.rows); ++i) {
          statements[at].BindInt(1, rank);
          store::BindFields(reflection.GetRepeatedMessage(part, table.rows, i), fields, 2,
                            &statements[at]);
          if (!statements[at].Run().ok()) return false;
        }
      }
    }
    if (!database->Execute("COMMIT").ok()) return false;
    const double cost_s = CpuSeconds(CLOCK_PROCESS_CPUTIME_ID) - begin_s;
    printf("  peer, a statement a row, %u ranks, %s rows: %.1f ns CPU a row\n", ranks,
           window == 0 ? "new" : "known", cost_s * 1e9 / ranks / (rows / 4 * 4));
  }
  return true;
}

}  // namespace
}  // namespace flopsprof

int main(int argc, char** argv) {
  uint32_t ranks = 1000, rows = 2000, windows = 3;
  bool save = false, peer = false;
  for (int i = 1; i < argc; ++i) {
    const auto number = [&] {
      return i + 1 < argc ? static_cast<uint32_t>(std::strtoul(argv[++i], nullptr, 10)) : 0;
    };
    if (std::strcmp(argv[i], "--ranks") == 0) ranks = number();
    if (std::strcmp(argv[i], "--rows") == 0) rows = number();
    if (std::strcmp(argv[i], "--windows") == 0) windows = number();
    if (std::strcmp(argv[i], "--defining") == 0) return flopsprof::RunDefining(number()) ? 0 : 1;
    save = save || std::strcmp(argv[i], "--save") == 0;
    peer = peer || std::strcmp(argv[i], "--peer") == 0;
  }
  flopsprof::Bench bench(ranks, rows);
  bool good = bench.RunWindows(windows);
  // New rows, then rows that are there.
  if (good && save) good = bench.Save() && bench.RunWindow(windows + 1) && bench.Save();
  if (good && peer) good = flopsprof::RunPeer(std::min(ranks, 100u), rows);
  return good ? 0 : 1;
}

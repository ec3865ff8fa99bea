// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// flopsprof_report_bench RUN: what each stage of `flopsprof report RUN` takes, in seconds of CPU
// time and of the clock, and the most memory that the process has had.
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <string>

#include "collector/model/summary.h"
#include "collector/model/summary_json.h"
#include "collector/store/run_reader.h"
#include "viewer/report/report.h"

namespace flopsprof {
namespace {

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

class Stage {
 public:
  explicit Stage(const char* name)
      : name_(name), cpu_s_(CpuSeconds()), begin_(std::chrono::steady_clock::now()) {}
  ~Stage() {
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin_;
    rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    std::printf("%-9s cpu_s %.3f wall_s %.3f peak_MiB %ld\n", name_, CpuSeconds() - cpu_s_,
                wall.count(), usage.ru_maxrss / 1024);
  }

 private:
  static double CpuSeconds() {
    rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return Seconds(usage.ru_utime) + Seconds(usage.ru_stime);
  }

  const char* name_;
  double cpu_s_;
  std::chrono::steady_clock::time_point begin_;
};

int Measure(const std::string& folder) {
  const Stage all("all");
  absl::StatusOr<model::RunProfile> run = absl::UnknownError("not read");
  {
    const Stage stage("read");
    run = store::ReadRun(folder, store::RunParts::kForSummary);
  }
  if (!run.ok()) {
    std::fprintf(stderr, "flopsprof_report_bench: %s\n",
                 std::string(run.status().message()).c_str());
    return 1;
  }
  model::Summary summary;
  {
    const Stage stage("summarize");
    summary = model::Summarize(*run);
  }
  {
    const Stage stage("render");
    viewer::RenderReport(summary, *run, folder, {}, viewer::Terminal());
  }
  {
    const Stage stage("json");
    model::ToJson(summary);
  }
  return 0;
}

}  // namespace
}  // namespace flopsprof

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: flopsprof_report_bench RUN\n");
    return 2;
  }
  return flopsprof::Measure(argv[1]);
}

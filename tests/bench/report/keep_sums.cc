// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// keep_sums RUN [MOST]: adds up a finished run and keeps the sums in its profile.db, with the
// functions that launcher and collector do it with when a run ends. MOST: so many processes are in
// memory at once.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "collector/store/run_reader.h"
#include "collector/store/stored_sums.h"

namespace flopsprof {
namespace {

absl::StatusOr<store::SummedRun> Sum(const std::string& folder, int64_t most_at_once) {
  const absl::StatusOr<std::unique_ptr<store::RunDatabase>> run = store::RunDatabase::Open(folder);
  if (!run.ok()) return run.status();
  return store::SumRun(run->get(), {}, most_at_once);
}

absl::Status Keep(const std::string& folder, int64_t most_at_once) {
  const absl::StatusOr<store::SummedRun> run = Sum(folder, most_at_once);
  if (!run.ok()) return run.status();
  if (!run->profile.state.has_value()) {
    return absl::FailedPreconditionError("the run is not finished");
  }
  return store::KeepSumsOf(folder, run->sums, *run->profile.state);
}

}  // namespace
}  // namespace flopsprof

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: keep_sums RUN [MOST]\n");
    return 2;
  }
  const int64_t most = argc > 2 ? std::atoll(argv[2]) : flopsprof::store::kMostAtOnce;
  const absl::Status status = flopsprof::Keep(argv[1], most);
  if (!status.ok()) std::fprintf(stderr, "keep_sums: %s\n", std::string(status.message()).c_str());
  return status.ok() ? 0 : 1;
}

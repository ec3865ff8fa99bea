// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Prints summary.json of hand-made runs: one with everything, one without times, an empty one.
#include <cstdio>
#include <string>

#include "collector/model/summary.h"
#include "collector/model/summary_json.h"
#include "sample_run.h"

int main(int argc, char** argv) {
  using namespace flopsprof;
  const std::string kind = argc > 1 ? argv[1] : "full";
  model::RunProfile run = model::SampleRun();
  if (kind == "empty") run.processes.clear();
  if (kind == "no-times") {
    for (v1::ProcessProfile& process : run.processes) process.clear_times();
    (*run.processes[0].mutable_loss())["cupti_taken"] = 1;
    run.processes[1].mutable_info()->set_state(v1::PROCESS_STATE_LOST);
    run.processes[1].clear_devices();
    // A count beyond 64 bits.
    run.processes[0].mutable_calls(0)->mutable_flops()->set_high(1);
  }
  std::fputs(model::ToJson(model::Summarize(run)).c_str(), stdout);
  return 0;
}

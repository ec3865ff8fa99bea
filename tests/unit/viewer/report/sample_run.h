// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "collector/model/summary.h"

namespace flopsprof::viewer {

// A run made by hand: two ranks, three steps, a model with four equal layers. Its figures fit
// together: each layer has 2000 forward and 4000 backward flops in 1000 and 2000 ns.

inline void SetPhase(int phase, uint64_t flops, uint64_t ns, model::Work* work) {
  work->flops[static_cast<size_t>(phase)] = flops;
  work->gpu_time_ns[static_cast<size_t>(phase)] = ns;
}

inline model::Work MakeWork(uint64_t forward, uint64_t forward_ns, uint64_t backward,
                            uint64_t backward_ns, uint64_t other_ns = 0) {
  model::Work work;
  for (int phase = 0; phase < model::kPhaseCount; ++phase) SetPhase(phase, 0, 0, &work);
  for (auto& count : work.flops_modelled) count = 0;
  SetPhase(v1::PHASE_FORWARD, forward, forward_ns, &work);
  SetPhase(v1::PHASE_BACKWARD, backward, backward_ns, &work);
  SetPhase(v1::PHASE_OTHER, 0, other_ns, &work);
  if (forward_ns + backward_ns > 0) {
    work.flop_per_s = static_cast<double>(forward + backward) /
                      (static_cast<double>(forward_ns + backward_ns) * 1e-9);
  }
  return work;
}

inline model::ModuleSummary MakeModule(const std::string& path, const std::string& class_name,
                                       uint64_t params, uint64_t calls,
                                       const model::Work& inclusive, const model::Work& self) {
  model::ModuleSummary module;
  module.path = path;
  module.class_name = class_name;
  module.params = params;
  module.calls = calls;
  module.inclusive = inclusive;
  module.self = self;
  return module;
}

inline model::Summary SampleSummary() {
  const model::Work nothing = MakeWork(0, 0, 0, 0);
  model::Summary summary;
  summary.simulated = true;
  summary.job.id = "train-20261127T235200Z-1";
  summary.job.name = "train";
  summary.job.command = "torchrun --nproc-per-node 2 train.py";
  summary.job.start_utc_ns = 1795823520000000000;
  summary.job.world_size = 2;
  summary.job.nodes = {"node-a"};
  summary.steps.taken_from = "optimizer";
  summary.steps.measured = 4;
  summary.steps.profiled = 3;
  summary.steps.first = 0;
  summary.steps.last = 2;
  summary.steps.median_ns = 5000000;
  summary.steps.p95_ns = 6000000;
  summary.steps.left_out = 1;
  summary.coverage.times_known = true;
  summary.coverage.gpu_time_ns = 100000;
  summary.coverage.category_ns = {{v1::TIME_CATEGORY_EXACT, 72000},
                                  {v1::TIME_CATEGORY_NO_PRODUCTS, 15000},
                                  {v1::TIME_CATEGORY_UNKNOWN, 3000},
                                  {v1::TIME_CATEGORY_COMMUNICATION, 10000}};
  summary.coverage.reasons = {"2 kernels of unknown operations: triton_poi_fused_add_0"};
  summary.totals.work = MakeWork(48000, 24000, 96000, 48000, 28000);
  summary.totals.flops_by_type = {{"tf32", 144000}};
  summary.totals.gpu_busy_ns = 90000;
  summary.totals.idle_ns = 29910000;
  summary.totals.exposed_communication_ns = 4000;
  summary.modules = {
      MakeModule("", "Net", 1010, 6, MakeWork(48000, 24000, 96000, 48000), nothing),
      MakeModule("layers", "ModuleList", 1010, 0, MakeWork(48000, 24000, 96000, 48000), nothing)};
  const model::Work layer = MakeWork(12000, 6000, 24000, 12000);
  for (int i = 0; i < 4; ++i) {
    const std::string path = "layers." + std::to_string(i);
    summary.modules.push_back(MakeModule(path, "Block", 250, 6, layer, nothing));
    summary.modules.push_back(MakeModule(path + ".fc", "Linear", 250, 6, layer, layer));
  }
  model::ModuleSummary outside =
      MakeModule("(outside)", "", 0, 0, MakeWork(0, 0, 0, 0, 28000), MakeWork(0, 0, 0, 0, 28000));
  outside.params.reset();
  outside.calls.reset();
  outside.inclusive.unknown_gpu_time_ns = 3000;
  summary.modules.push_back(outside);
  for (int i = 0; i < 2; ++i) {
    model::RankSummary rank;
    rank.rank = i;
    rank.node = "node-a";
    rank.pid = 100 + i;
    rank.state = i == 0 ? "exited" : "signal 9";
    if (i == 0) rank.exit_code = 0;
    rank.devices = {{static_cast<uint32_t>(i), "NVIDIA H100 80GB HBM3", "", std::nullopt}};
    rank.work = MakeWork(24000, 12000, 48000, 24000, 14000);
    if (i == 1) rank.loss = {{"ring_full", 7}};
    rank.overhead.hook_calls = 24;
    rank.overhead.module_calls = 60;
    rank.overhead.estimated_s = 8e-6;
    summary.ranks.push_back(rank);
  }
  summary.coverage.records_lost = 7;
  summary.kernels = {{"ampere_sgemm_128x64_tn", "kernel", "exact", "backward", 24, 48000, 1, 1},
                     {"_ZN2at6native4axpyEv", "kernel", "unknown", "other", 6, 3000, 1, 1}};
  summary.collectives = {{"ncclAllReduce", "2 ranks", "backward", "features.0", "0-1", 6, 24240,
                          10000, 6, 10000, 4000, 10000, 2500}};
  summary.findings = {{model::FindingKind::kProcessEnded, "warning",
                       "rank 1 was killed by signal 9 (SIGKILL)", "its counts stop at step 2",
                       "look at the kernel log for the OOM killer"}};
  summary.method = {{"cupti", "13.0, subscribed"}, {"backward", "sequence numbers"}};
  return summary;
}

inline model::RunProfile SampleRun() {
  model::RunProfile run;
  for (int rank = 0; rank < 2; ++rank) {
    v1::ProcessProfile process;
    for (uint32_t step = 0; step < 3; ++step) {
      v1::StepRow* row = process.add_steps();
      row->set_step(step);
      row->set_begin_mono_ns(1000 + step * 5000000ull);
      row->set_end_mono_ns(1000 + (step + 1) * 5000000ull);
      row->set_complete(true);
      row->set_gpu_busy_ns(15000);
      row->add_flops()->set_low(24000);
    }
    v1::CallRow* call = process.add_calls();
    call->set_api("cublasSgemm_v2");
    call->set_shape("m=120 n=8 k=400 batch=1 a=f32 b=f32 c=f32 math=tf32");
    call->set_compute_type("tf32");
    call->set_calls(24);
    call->set_kernels(24);
    call->mutable_flops()->set_low(72000);
    call->set_flops_known(true);
    call->set_gpu_time_ns(36000);
    v1::TimeRow* time = process.add_times();
    time->set_category(v1::TIME_CATEGORY_EXACT);
    time->set_in_step(true);
    time->set_activities(24);
    time->set_gpu_time_ns(36000);
    run.processes.push_back(process);
  }
  return run;
}

}  // namespace flopsprof::viewer

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>

#include "profile_builder.h"

namespace flopsprof::model {

// One rank of a small net under DDP: conv1 (1000 + 2000 flops) and fc (300 + 600), an unknown
// kernel in the root's forward, an all-reduce and an optimizer outside.
inline v1::ProcessProfile SampleRank(int rank, uint64_t conv_forward_ns) {
  ProfileBuilder b(rank, 100 + rank);
  b.ModuleScope(1, 0, "", "DistributedDataParallel", 9)
      .ModuleScope(2, 1, "module", "Net", 10)
      .ModuleScope(3, 2, "features.0", "Conv2d", 12)
      .ModuleScope(4, 2, "fc", "Linear", 13)
      .Listed(1, 0, "", "DistributedDataParallel", 9, 62)
      .Listed(1, 1, "module", "Net", 10, 62)
      .Listed(1, 2, "module.features", "ModuleList", 11, 40)
      .Listed(1, 3, "module.features.0", "Conv2d", 12, 40)
      .Listed(1, 4, "module.fc", "Linear", 13, 22);
  for (const uint32_t scope : {1, 2, 3, 4}) b.Entered(scope, v1::PHASE_FORWARD, 2);
  b.Gemm(3, v1::PHASE_FORWARD, 1000, 2).set_compute_type("tf32");
  b.Gemm(3, v1::PHASE_BACKWARD, 2000, 2).set_compute_type("tf32");
  b.Gemm(4, v1::PHASE_FORWARD, 300, 2);
  b.Gemm(4, v1::PHASE_BACKWARD, 600, 2);
  v1::CallRow& reduce = b.Gemm(0, v1::PHASE_BACKWARD, 0, 2);
  reduce.set_kind(v1::CALL_KIND_COLLECTIVE);
  reduce.set_api("ncclAllReduce");
  reduce.set_detail("ranks=2");
  reduce.set_bytes(248);
  reduce.set_gpu_time_ns(40);
  b.Time(3, v1::PHASE_FORWARD, v1::TIME_CATEGORY_EXACT, conv_forward_ns)
      .Time(3, v1::PHASE_BACKWARD, v1::TIME_CATEGORY_EXACT, 200)
      .Time(4, v1::PHASE_FORWARD, v1::TIME_CATEGORY_EXACT, 30)
      .Time(4, v1::PHASE_BACKWARD, v1::TIME_CATEGORY_EXACT, 60)
      .Time(2, v1::PHASE_FORWARD, v1::TIME_CATEGORY_UNKNOWN, 10)
      .Time(0, v1::PHASE_BACKWARD, v1::TIME_CATEGORY_COMMUNICATION, 40)
      .Time(0, v1::PHASE_OPTIMIZER, v1::TIME_CATEGORY_NO_PRODUCTS, 20)
      .Time(0, v1::PHASE_OTHER, v1::TIME_CATEGORY_COPY, 5, /*in_step=*/false);
  v1::CommunicationRow& hidden = *b.profile().add_communications();
  hidden.set_phase(v1::PHASE_BACKWARD);
  hidden.set_api("ncclAllReduce");
  hidden.set_shape(reduce.shape());
  hidden.set_in_step(true);
  hidden.set_compared_ns(40);
  hidden.set_hidden_ns(15);
  v1::Device& device = *b.profile().add_devices();
  device.set_name("NVIDIA A100-SXM4-80GB");
  device.set_uuid("GPU-0");
  v1::DeviceTime& busy = *b.profile().add_device_times();
  busy.set_busy_ns(300);
  busy.set_not_communication_ns(280);
  busy.set_first_gpu_ns(1000);
  busy.set_last_gpu_ns(3000);
  for (uint32_t step = 0; step < 2; ++step) {
    v1::StepRow& row = b.Step(step, 1000 + 1000 * step, 2000 + 1000 * step);
    row.mutable_flops(v1::PHASE_FORWARD)->set_low(650);
    row.mutable_flops(v1::PHASE_BACKWARD)->set_low(1300);
    row.set_gpu_busy_ns(150);
    row.set_exposed_communication_ns(10);
  }
  v1::KernelRow& kernel = *b.profile().add_kernels();
  kernel.set_name("relu_kernel");
  kernel.set_kind("kernel");
  kernel.set_category(v1::TIME_CATEGORY_UNKNOWN);
  kernel.set_phase(v1::PHASE_FORWARD);
  kernel.set_count(2);
  kernel.set_gpu_time_ns(10);
  kernel.set_min_ns(4);
  kernel.set_max_ns(6);
  return b.profile();
}

inline RunProfile SampleRun() {
  RunProfile run;
  run.run_id = "run-1";
  run.run.set_job("train.py");
  run.run.set_command("torchrun train.py");
  run.run.set_start_utc_ns(1700000000000000000);
  run.processes.push_back(SampleRank(0, 100));
  run.processes.push_back(SampleRank(1, 300));
  // torchrun itself.
  ProfileBuilder launcher(-1, 99);
  launcher.info().set_used_gpu(false);
  run.processes.push_back(launcher.profile());
  return run;
}

}  // namespace flopsprof::model

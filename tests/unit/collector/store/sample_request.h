// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "flopsprof/v1/ingest.pb.h"
#include "proto/flopsprof/text_id.h"
#include "tests/support/profile_sum.h"

namespace flopsprof::store {

// A request of one process that has every kind of row, one of each. `amount` is what it adds to its
// sums and how far others have come.
inline v1::UploadRequest SampleRequest(uint64_t sequence, uint64_t amount) {
  v1::UploadRequest request;
  request.set_run_id("run-1");
  request.set_agent_id("node-a/1/1");
  request.set_sequence(sequence);
  request.set_format(v1::UPLOAD_FORMAT_INCREMENTS);
  v1::ProcessProfile& process = *request.add_processes();
  process.mutable_key()->set_node("node-a");
  process.mutable_key()->set_pid(42);
  process.mutable_key()->set_start_ticks(99);
  v1::ProcessInfo& info = *process.mutable_info();
  info.set_rank(1);
  info.set_command("python train.py");
  info.set_state(v1::PROCESS_STATE_RUNNING);
  info.set_activities(amount);
  (*process.mutable_strings())[TextId("name")] = "name";
  v1::EpochRow& epoch = *process.add_epochs();
  epoch.set_epoch(0xffff800000000011);  // beyond 2^63
  epoch.set_session(1);
  epoch.set_until_mono_ns(amount);
  epoch.set_calls_made(amount);
  epoch.set_calls_taken(amount);
  epoch.set_rank(1);
  epoch.set_job("job");
  v1::Device& device = *process.add_devices();
  device.set_ordinal(0);
  device.set_name("NVIDIA A100-SXM4-80GB");
  v1::Scope& scope = *process.add_scopes();
  scope.set_id(1);
  scope.set_kind(v1::SCOPE_KIND_MODULE);
  scope.set_class_name("Net");
  scope.set_object(0xffff800000000010);  // beyond 2^63
  v1::Module& module = *process.add_modules();
  module.set_root_scope(1);
  module.set_class_name("Net");
  module.set_order(2);
  module.set_total_params(62006);
  v1::ModuleSizes& sizes = *process.add_module_sizes();
  sizes.set_root_scope(1);
  sizes.set_local_params(31003);
  sizes.set_buffers(12);
  sizes.set_param_bytes(248024);
  v1::ModuleAlias& alias = *process.add_module_aliases();
  alias.set_root_scope(1);
  alias.set_alias("decoder.embedding");
  alias.set_path("embedding");
  v1::RangeRow& range = *process.add_range_rows();
  range.set_scope(1);
  range.set_category(7);
  range.set_payload_type(v1::PAYLOAD_TYPE_UNSIGNED);
  range.set_category_name("serving");
  range.set_entries(amount);
  range.set_sum("55340232221128654852");  // beyond 2^64
  v1::MarkRow& mark = *process.add_marks();
  mark.set_scope(1);
  mark.set_domain("engine");
  mark.set_name("evicted");
  mark.set_count(amount);
  mark.set_in_steps(amount);
  mark.set_last_step(1);
  v1::ModuleWeights& weights = *process.add_module_weights();
  weights.set_root_scope(1);
  weights.set_weights("84x120 10x84");
  v1::WindowRow& window = *process.add_windows();
  window.set_number(1);
  window.set_begin_mono_ns(5);
  window.set_end_mono_ns(amount);
  window.set_first_step(-1);
  window.set_end_step(4);
  window.set_process_until_mono_ns(amount);
  v1::InstantRow& instant = *process.add_instants();
  instant.set_number(1);
  instant.set_name("halved");
  instant.set_utc_ns(1'800'000'000'000'000'000);
  instant.set_step(3);
  v1::ProcessLife& life = *process.add_process_lives();
  life.set_until_utc_ns(1'800'000'000'000'000'000 + static_cast<int64_t>(amount));
  life.set_ancestor_pid(7);
  v1::EpochDevice& used = *process.add_epoch_devices();
  used.set_epoch(epoch.epoch());
  used.set_uuid("GPU-1");
  v1::LaunchLatencyRow& latency = *process.add_launch_latencies();
  latency.set_launches(2 * amount);
  latency.set_measured(amount);
  latency.set_sum_ns(7 * amount);
  latency.set_min_ns(3);
  latency.set_max_ns(10 + amount);
  latency.set_error_ns(2);
  latency.set_clock_unsure(1);
  v1::CostRow& cost = *process.add_costs();
  cost.set_budget_ppm(10'000);
  cost.set_wall_ns(amount);
  cost.set_cost_ns(amount / 100);
  cost.set_switches(3);
  v1::CallRow& call = *process.add_calls();
  call.set_scope(1);
  call.set_phase(v1::PHASE_FORWARD);
  call.set_kind(v1::CALL_KIND_GEMM);
  call.set_api("cublasSgemm_v2");
  call.set_shape("m=1 n=1 k=1");
  call.set_compute_type("fp32");
  call.set_in_step(true);
  call.set_calls(amount);
  call.mutable_flops()->set_low(2 * amount);
  call.mutable_flops()->set_high(1);
  call.set_flops_known(true);
  call.set_kernels(amount);
  call.set_gpu_time_ns(10 * amount);
  v1::CallGradient& gradient = *process.add_call_gradients();
  gradient.set_scope(1);
  gradient.set_phase(v1::PHASE_BACKWARD);
  gradient.set_kind(v1::CALL_KIND_GEMM);
  gradient.set_api("cublasSgemm_v2");
  gradient.set_shape("m=1 n=1 k=1");
  gradient.set_compute_type("fp32");
  gradient.set_in_step(true);
  gradient.set_gradient(v1::GRADIENT_WEIGHT);
  v1::ScopeKernelRow& placed = *process.add_scope_kernels();
  placed.set_scope(1);
  placed.set_phase(v1::PHASE_FORWARD);
  placed.set_api(TextId("cublasSgemm_v2"));
  placed.set_name(TextId("gemm_kernel"));
  placed.set_kind("kernel");
  placed.set_category(v1::TIME_CATEGORY_EXACT);
  placed.set_in_step(true);
  placed.set_count(amount);
  placed.set_gpu_time_ns(10 * amount);
  placed.set_last_step(1);
  for (const char* text : {"gemm_kernel", "cublasSgemm_v2"}) {
    (*process.mutable_strings())[TextId(text)] = text;
  }
  v1::CollectiveRow& collective = *process.add_collectives();
  collective.set_scope(1);
  collective.set_phase(v1::PHASE_BACKWARD);
  collective.set_api("ncclAllReduce");
  collective.set_shape("count=1000 type=f32 ranks=2");
  collective.set_in_step(true);
  collective.set_group(0xffff800000000020);  // beyond 2^63
  collective.set_rank_count(2);
  collective.set_calls(amount);
  collective.set_matched_calls(amount);
  collective.set_matched_time_ns(4 * amount);
  collective.set_wait_ns(amount);
  v1::TimeRow& time = *process.add_times();
  time.set_scope(1);
  time.set_phase(v1::PHASE_FORWARD);
  time.set_category(v1::TIME_CATEGORY_EXACT);
  time.set_in_step(true);
  time.set_activities(amount);
  time.set_gpu_time_ns(10 * amount);
  v1::KernelRow& kernel = *process.add_kernels();
  kernel.set_name("sgemm_kernel");
  kernel.set_category(v1::TIME_CATEGORY_EXACT);
  kernel.set_phase(v1::PHASE_FORWARD);
  kernel.set_count(amount);
  kernel.set_gpu_time_ns(10 * amount);
  kernel.set_kind("kernel");
  v1::KernelOwner& owner = *process.add_kernel_owners();
  owner.set_name("fused_kernel");
  owner.set_category(v1::TIME_CATEGORY_UNKNOWN);
  owner.set_phase(v1::PHASE_FORWARD);
  owner.set_in_call(amount);
  v1::GraphRow& graph = *process.add_graphs();
  graph.set_state("counted");
  graph.set_graphs(1);
  graph.set_replays(amount);
  graph.set_calls(2 * amount);
  graph.set_activities(3 * amount);
  graph.set_gpu_time_ns(10 * amount);
  v1::Stack& stack = *process.add_stacks();
  stack.set_id(1);
  stack.set_frames("py main\ttrain.py:12\nc cudaLaunchKernel\tlibcudart.so.13");
  v1::StackRow& sampled = *process.add_stack_rows();
  sampled.set_stack(1);
  sampled.set_phase(v1::PHASE_FORWARD);
  sampled.set_kernel("fused_kernel");
  sampled.set_kind("kernel");
  sampled.set_category(v1::TIME_CATEGORY_UNKNOWN);
  sampled.set_samples(amount);
  sampled.set_launches(7 * amount);
  sampled.set_gpu_time_ns(10 * amount);
  v1::ScopeCallRow& entered = *process.add_scope_calls();
  entered.set_scope(1);
  entered.set_phase(v1::PHASE_FORWARD);
  entered.set_calls(amount);
  v1::StepRow& step = *process.add_steps();
  step.set_step(0);
  step.set_begin_mono_ns(1000);
  step.set_end_mono_ns(1000 + amount);
  for (int phase = 0; phase < v1::Phase_ARRAYSIZE; ++phase) {
    step.add_flops()->set_low(phase == v1::PHASE_FORWARD ? 2 * amount : 0);
    step.add_gpu_time_ns(phase == v1::PHASE_FORWARD ? 10 * amount : 0);
  }
  step.set_activities(amount);
  v1::StepFacts& facts = *process.add_step_facts();
  facts.set_step(0);
  facts.set_has_unknown(true);
  v1::CommunicationRow& communication = *process.add_communications();
  communication.set_scope(1);
  communication.set_phase(v1::PHASE_BACKWARD);
  communication.set_api("ncclAllReduce");
  communication.set_compared_ns(10 * amount);
  communication.set_hidden_ns(4 * amount);
  v1::DeviceTime& busy = *process.add_device_times();
  busy.set_busy_ns(10 * amount);
  busy.set_last_gpu_ns(5000 + amount);
  v1::HistoryRow& span = *process.add_history();
  span.set_begin_utc_ns(1'800'000'000'000'000'000);
  span.set_width_ns(10'000'000'000);
  span.set_phase(v1::PHASE_FORWARD);
  span.set_calls(amount);
  span.mutable_flops()->set_low(2 * amount);
  span.mutable_flops()->set_high(1);
  span.set_activities(amount);
  span.set_gpu_time_ns(10 * amount);
  v1::DeviceHistoryRow& device_span = *process.add_device_history();
  device_span.set_begin_utc_ns(1'800'000'000'000'000'000);
  device_span.set_width_ns(10'000'000'000);
  device_span.set_busy_ns(10 * amount);
  (*process.mutable_loss())["ring_full"] = amount;
  (*process.mutable_agent_loss())["names_lost"] = amount;
  (*process.mutable_notes())["torch"] = "2.14.1";
  return request;
}

// The process of these requests as it is read, each having been taken once.
inline v1::ProcessProfile SumOf(const std::vector<v1::UploadRequest>& requests) {
  testing::ProfileSum sum;
  for (const v1::UploadRequest& request : requests) sum.Add(request.processes(0));
  return sum.Whole();
}

// The same of SampleRequest(1, 1), (2, 2) ... (count, count).
inline v1::ProcessProfile SampleSum(uint64_t count) {
  std::vector<v1::UploadRequest> requests;
  for (uint64_t n = 1; n <= count; ++n) requests.push_back(SampleRequest(n, n));
  return SumOf(requests);
}

}  // namespace flopsprof::store

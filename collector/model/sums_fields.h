// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tuple>

#include "collector/model/run_sums.h"

namespace flopsprof::model {

// The fields of every struct that RunSums holds, in their order. A field that is not listed here is
// an error of the compiler.
template <typename Struct>
struct FieldsOf;

#define FLOPSPROF_FIELDS(type, ...) \
  template <>                       \
  struct FieldsOf<type> {           \
    template <typename Value>       \
    static auto In(Value& value) {  \
      auto& [__VA_ARGS__] = value;  \
      return std::tie(__VA_ARGS__); \
    }                               \
  }

FLOPSPROF_FIELDS(GradientWork, flops, gpu_time_ns);
FLOPSPROF_FIELDS(Work, flops, flops_modelled, gpu_time_ns, time_incomplete, unknown_gpu_time_ns,
                 communication_ns, gradients, hidden_communication_ns, flop_per_s, provenance);
FLOPSPROF_FIELDS(RankSpread, min_ns, median_ns, max_ns, worst_rank);
FLOPSPROF_FIELDS(ParameterSizes, own, trainable, local, buffers, experts, active, bytes);
FLOPSPROF_FIELDS(ModuleSummary, path, program, program_path, class_name, depth, params, sizes,
                 calls, aliases, on_cpu, copy_of, inclusive, self, ranks);
FLOPSPROF_FIELDS(TypePeak, type, accumulate, flop_per_s, sparse_flop_per_s, published);
FLOPSPROF_FIELDS(DevicePeaks, card, architecture, sm_count, boost_mhz, tensor_mhz, types, source,
                 remark, memory_byte_per_s);
FLOPSPROF_FIELDS(DeviceSummary, ordinal, name, uuid, peaks);
FLOPSPROF_FIELDS(Utilisation, mfu, hfu, why, counted_share, peak_flop_per_s, model_peak_flop_per_s,
                 available_s, model_peak_s, executed_peak_s);
FLOPSPROF_FIELDS(StepUtilisation, step, mfu, hfu);
FLOPSPROF_FIELDS(Overhead, hook_calls, module_calls, backward_nodes, launches, activities,
                 own_cpu_ns, cupti_overhead_ns, incomplete, estimated_s);
FLOPSPROF_FIELDS(LaunchLatency, launches, measured, sum_ns, min_ns, max_ns, error_ns, clock_unsure);
FLOPSPROF_FIELDS(RankSummary, program, rank, claimed_twice, label, local_rank, node, pid, restart,
                 state, exit_code, devices, work, flops_by_type, utilisation, loss, notes, overhead,
                 launch_latency);
FLOPSPROF_FIELDS(ProcessSummary, node, pid, parent_pid, rank, command, state, exit_code);
FLOPSPROF_FIELDS(StepLine, step, processes, complete, disturbed, wall_ns, gpu_busy_ns, has_unknown,
                 flops);
FLOPSPROF_FIELDS(UnevenRanks, most, ranks, of_stage, steps, most_ns, median_ns, flops_ratio,
                 activities_ratio);
FLOPSPROF_FIELDS(UnevenStages, stages, most, steps, most_ns, mean_ns, flops_ratio);
FLOPSPROF_FIELDS(StepParts, rank_steps, device_steps, wall_ns, busy_ns, exposed_communication_ns,
                 activities, between_ns, between_idle_ns);
FLOPSPROF_FIELDS(StepsSummary, taken_from, measured, disturbed, list, beside, profiled, first, last,
                 wanted_first, wanted_end, median_ns, p95_ns, parts, bound_by, uneven,
                 uneven_stages, left_out, first_step_work_ratio, first_step_phase, tuning_sign,
                 utilisation);
FLOPSPROF_FIELDS(GraphSummary, state, graphs, replays, calls, activities, gpu_time_ns, shared_ns);
FLOPSPROF_FIELDS(Coverage, gpu_time_ns, times_known, times_incomplete, category_ns, records_lost,
                 invalid_timestamps, calls_unmatched, launches_without_activity,
                 activities_without_launch, graphs, reasons);
FLOPSPROF_FIELDS(Totals, work, flops_by_type, gpu_busy_ns, idle_ns, exposed_communication_ns,
                 hidden_communication_ns, utilisation);
FLOPSPROF_FIELDS(KernelSummary, name, kind, category, phase, count, gpu_time_ns, min_ns, max_ns,
                 in_call, kernel_class);
FLOPSPROF_FIELDS(LostProducts, gpu_time_ns, best_ns, worst, worst_ns, worst_flop_per_s,
                 worst_best_flop_per_s);
FLOPSPROF_FIELDS(ProductsSummary, gpu_time_ns, compared_ns, memory_bound_ns, small, slow,
                 misaligned, plain_fp32);
FLOPSPROF_FIELDS(StackFrameSummary, kind, function, where);
FLOPSPROF_FIELDS(StackSummary, path, kernel, kind, category, phase, frames, samples, launches,
                 gpu_time_ns);
FLOPSPROF_FIELDS(CollectiveSummary, api, detail, phase, module, ranks, calls, bytes, gpu_time_ns,
                 matched_calls, matched_time_ns, wait_ns, compared_time_ns, hidden_ns);
FLOPSPROF_FIELDS(NumbersSummary, sum, min, max, last);
FLOPSPROF_FIELDS(RangeSummary, module, range, domain, category, category_name, entries, numbers);
FLOPSPROF_FIELDS(MarkSummary, module, range, domain, name, category, category_name, count, in_steps,
                 first_step, last_step, numbers);
FLOPSPROF_FIELDS(OptimizerSummary, name, steps, gpu_time_ns, time_incomplete, flops);
FLOPSPROF_FIELDS(Finding, kind, severity, text, evidence, next, gain, gain_ratio);
FLOPSPROF_FIELDS(RunGap, kind, severity, text, evidence, next);
FLOPSPROF_FIELDS(WindowSummary, number, begin_utc_ns, end_utc_ns, first_step, end_step, cut_step,
                 processes, aligned);
FLOPSPROF_FIELDS(InstantSummary, name, utc_ns, step);
FLOPSPROF_FIELDS(BudgetSummary, budget, estimate, wall_ns, instruction_ns, full_ns, sampled_ns,
                 paused_ns, level_changes, switches, pid, rank, processes, spans_job,
                 follows_between);
FLOPSPROF_FIELDS(RecordingSummary, paused_at_start, share, whole_processes, whole_ranks, windows,
                 marks, budget);
FLOPSPROF_FIELDS(JobSummary, id, name, command, start_utc_ns, world_size, nodes, exit_code,
                 version);
FLOPSPROF_FIELDS(Summary, simulated, empty, job, recording, steps, coverage, totals, ranks,
                 processes, modules, kernels, kernels_left_out, products, stacks, stacks_left_out,
                 collectives, ranges, ranges_left_out, marks, marks_left_out, optimizers, gaps,
                 programs, findings, method, files);
FLOPSPROF_FIELDS(ProgramSummary::Process, node, pid, start_ticks, image);
FLOPSPROF_FIELDS(ProgramSummary, number, launched, command, state, exit_code, processes, own);
FLOPSPROF_FIELDS(StepSums, step, ranks, complete, wall_ns, slowest_ns, middle_two_ns, busy_ns,
                 complete_busy_ns, exposed_ns, flops, has_unknown, exposed_unknown, unseen_kernels);
FLOPSPROF_FIELDS(CallSums, api, shape, compute_type, captured, calls, flops, flops_known, kernels,
                 gpu_time_ns, lacks_times);
FLOPSPROF_FIELDS(WorkInSteps, flops, gpu_time_ns);
FLOPSPROF_FIELDS(RankStep, rank, devices, wall_ns, busy_ns, exposed_ns, gpu_time_ns);
FLOPSPROF_FIELDS(StepPicture, step, measured, ranks);
FLOPSPROF_FIELDS(ReportSums, rank_steps, in_steps, time_in_no_step_ns, category_times, picture,
                 speed_of_a_rank, steps, calls, programs);
FLOPSPROF_FIELDS(RunSums, summary, report);

#undef FLOPSPROF_FIELDS

}  // namespace flopsprof::model

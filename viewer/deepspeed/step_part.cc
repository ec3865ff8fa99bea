// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "viewer/deepspeed/step_part.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "collector/model/work.h"

namespace flopsprof::viewer::deepspeed {
namespace {

using Processes = std::vector<const v1::ProcessProfile*>;

model::FlopCount FlopsOf(const v1::StepRow& row, std::initializer_list<v1::Phase> phases) {
  model::FlopCount sum = 0;
  for (const v1::Phase phase : phases) {
    if (phase < row.flops_size()) sum += model::ToFlopCount(row.flops(phase));
  }
  return sum;
}

void AddRow(const v1::StepRow& row, StepPart* part) {
  ++part->rank_steps;
  part->first = std::min(part->first.value_or(row.step()), row.step());
  part->last = std::max(part->last.value_or(row.step()), row.step());
  for (int phase = 0; phase < model::kPhaseCount; ++phase) {
    const auto index = static_cast<size_t>(phase);
    if (phase < row.flops_size()) *part->work.flops[index] += model::ToFlopCount(row.flops(phase));
    if (phase < row.gpu_time_ns_size()) *part->work.gpu_time_ns[index] += row.gpu_time_ns(phase);
  }
  if (!row.complete() || row.end_mono_ns() <= row.begin_mono_ns()) return;
  ++part->whole_steps;
  part->wall_ns += row.end_mono_ns() - row.begin_mono_ns();
}

StepPart PartOf(const Processes& processes, StepRange range) {
  StepPart part;
  for (auto& flops : part.work.flops) flops = 0;
  for (auto& ns : part.work.gpu_time_ns) ns = 0;
  std::optional<model::FlopCount> forward, backward;
  for (const v1::ProcessProfile* process : processes) {
    const uint64_t before = part.rank_steps;
    for (const v1::StepRow& row : process->steps()) {
      const model::FlopCount forwards =
          FlopsOf(row, {v1::PHASE_FORWARD, v1::PHASE_EVALUATION, v1::PHASE_GENERATE});
      const model::FlopCount backwards = FlopsOf(row, {v1::PHASE_BACKWARD, v1::PHASE_RECOMPUTE});
      if (!forward.has_value()) forward = forwards;
      if (!backward.has_value()) backward = backwards;
      part.same_forward = part.same_forward && forwards == *forward;
      part.same_backward = part.same_backward && backwards == *backward;
      if (row.step() >= range.first && row.step() < range.end) AddRow(row, &part);
    }
    part.ranks += part.rank_steps > before;
  }
  return part;
}

}  // namespace

StepParts PartsOfSteps(const model::RunProfile& run, const model::Summary& summary,
                       StepRange range) {
  std::map<std::tuple<std::string, int, uint64_t, uint64_t>, size_t> program_of;
  for (size_t i = 0; i < summary.programs.size(); ++i) {
    for (const model::ProgramSummary::Process& process : summary.programs[i].processes) {
      program_of[{process.node, process.pid, process.start_ticks, process.image}] = i;
    }
  }
  Processes all;
  std::vector<Processes> programs(summary.programs.size());
  for (const v1::ProcessProfile& process : run.processes) {
    all.push_back(&process);
    const v1::ProcessKey& key = process.key();
    const auto found = program_of.find({key.node(), key.pid(), key.start_ticks(), key.image()});
    if (found != program_of.end()) programs[found->second].push_back(&process);
  }
  StepParts parts;
  parts.run = PartOf(all, range);
  for (const Processes& program : programs) parts.programs.push_back(PartOf(program, range));
  return parts;
}

}  // namespace flopsprof::viewer::deepspeed

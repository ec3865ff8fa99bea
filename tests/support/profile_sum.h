// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <tuple>

#include "collector/model/flops/flop_count.h"
#include "flopsprof/v1/profile.pb.h"

namespace flopsprof::testing {

// What a collector makes of the parts of a process that an agent sends, for tests that look at
// parts without a store. Written by hand, row by row: the store's statements are made from a table
// of rules (collector/store/schema.cc), and both must agree (tests/unit/collector/store).
class ProfileSum {
 public:
  void Add(const v1::ProcessProfile& part) {
    AddDefinitions(part);
    AddCalls(part);
    AddActivities(part);
    AddSteps(part);
    AddRanges(part);
    AddOthers(part);
  }

  // All rows of one key in one, in the order of their keys.
  v1::ProcessProfile Whole() const {
    v1::ProcessProfile whole;
    const auto copy = [](const auto& rows, auto* to) {
      for (const auto& [key, row] : rows) *to->Add() = row;
    };
    *whole.mutable_key() = key_;
    copy(device_rows_, whole.mutable_devices());
    copy(modules_, whole.mutable_modules());
    copy(sizes_, whole.mutable_module_sizes());
    copy(aliases_, whole.mutable_module_aliases());
    copy(weights_, whole.mutable_module_weights());
    copy(instants_, whole.mutable_instants());
    copy(gradients_, whole.mutable_call_gradients());
    for (const v1::ProcessLife& life : costs_.process_lives()) *whole.add_process_lives() = life;
    copy(scopes, whole.mutable_scopes());
    copy(calls_, whole.mutable_calls());
    copy(collectives_, whole.mutable_collectives());
    copy(communications_, whole.mutable_communications());
    copy(times_, whole.mutable_times());
    copy(kernels_, whole.mutable_kernels());
    copy(owners_, whole.mutable_kernel_owners());
    copy(scope_kernels_, whole.mutable_scope_kernels());
    copy(stack_rows_, whole.mutable_stack_rows());
    copy(stacks_, whole.mutable_stacks());
    copy(scope_calls_, whole.mutable_scope_calls());
    copy(steps, whole.mutable_steps());
    copy(step_facts, whole.mutable_step_facts());
    copy(step_labels, whole.mutable_step_labels());
    copy(devices, whole.mutable_device_times());
    copy(history_, whole.mutable_history());
    copy(device_history_, whole.mutable_device_history());
    copy(graphs_, whole.mutable_graphs());
    copy(ranges_, whole.mutable_range_rows());
    copy(marks_, whole.mutable_marks());
    copy(windows_, whole.mutable_windows());
    copy(epochs_, whole.mutable_epochs());
    for (const v1::CostRow& cost : costs_.costs()) *whole.add_costs() = cost;
    for (const auto& row : costs_.launch_latencies()) *whole.add_launch_latencies() = row;
    copy(epoch_devices_, whole.mutable_epoch_devices());
    for (const auto& [id, text] : strings) (*whole.mutable_strings())[id] = text;
    for (const auto& [name, count] : loss) (*whole.mutable_loss())[name] = count;
    for (const auto& [name, text] : notes) (*whole.mutable_notes())[name] = text;
    if (has_info_) *whole.mutable_info() = info;
    return whole;
  }

  std::map<uint32_t, v1::Scope> scopes;
  std::map<uint32_t, v1::StepRow> steps;
  std::map<uint32_t, v1::StepFacts> step_facts;
  std::map<uint32_t, v1::StepLabelRow> step_labels;
  std::map<uint32_t, v1::DeviceTime> devices;
  std::map<uint64_t, std::string> strings;
  std::map<std::string, uint64_t> loss;  // of process and agents
  std::map<std::string, std::string> notes;
  v1::ProcessInfo info;

 private:
  static uint64_t SmallerNotZero(uint64_t a, uint64_t b) {
    return a == 0 || b == 0 ? std::max(a, b) : std::min(a, b);
  }
  static void AddCount(const v1::Count& more, v1::Count* count) {
    model::ToProto(model::ToFlopCount(*count) + model::ToFlopCount(more), count);
  }
  // A new row has all of the first part; `add` is for those that follow.
  template <class Map, class Row, class AddTo>
  static void Merge(Map* rows, typename Map::key_type key, const Row& row, AddTo add) {
    const auto [found, added] = rows->try_emplace(std::move(key), row);
    if (!added) add(&found->second);
  }

  void AddDefinitions(const v1::ProcessProfile& part) {
    for (const auto& row : part.scopes()) scopes[row.id()] = row;
    for (const auto& row : part.stacks()) stacks_[row.id()] = row;
    if (part.has_key()) key_ = part.key();
    for (const auto& row : part.devices()) device_rows_[row.ordinal()] = row;
    for (const auto& row : part.modules()) modules_[{row.root_scope(), row.path()}] = row;
    for (const auto& row : part.module_sizes()) sizes_[{row.root_scope(), row.path()}] = row;
    for (const auto& row : part.module_aliases()) aliases_[{row.root_scope(), row.alias()}] = row;
    for (const auto& row : part.module_weights()) weights_[{row.root_scope(), row.path()}] = row;
    for (const auto& row : part.instants()) instants_[{row.mono_ns(), row.name()}] = row;
    for (const auto& row : part.call_gradients()) {
      gradients_[{row.scope(), row.phase(), row.kind(), row.api(), row.shape(), row.compute_type(),
                  row.captured(), row.in_step()}] = row;
    }
    for (const auto& [id, text] : part.strings()) strings[id] = text;
    for (const auto& [name, text] : part.notes()) notes[name] = text;
  }

  void AddCalls(const v1::ProcessProfile& part) {
    for (const auto& row : part.calls()) {
      Merge(&calls_,
            {row.scope(), row.phase(), row.kind(), row.api(), row.shape(), row.compute_type(),
             row.captured(), row.in_step(), row.flops_known(), row.detail()},
            row, [&](v1::CallRow* to) {
              to->set_calls(to->calls() + row.calls());
              AddCount(row.flops(), to->mutable_flops());
              to->set_bytes(to->bytes() + row.bytes());
              to->set_kernels(to->kernels() + row.kernels());
              to->set_gpu_time_ns(to->gpu_time_ns() + row.gpu_time_ns());
              to->set_min_gpu_time_ns(SmallerNotZero(to->min_gpu_time_ns(), row.min_gpu_time_ns()));
              to->set_max_gpu_time_ns(std::max(to->max_gpu_time_ns(), row.max_gpu_time_ns()));
            });
    }
    for (const auto& row : part.collectives()) {
      Merge(&collectives_,
            {row.scope(), row.phase(), row.api(), row.shape(), row.captured(), row.in_step(),
             row.group(), row.rank_count()},
            row, [&](v1::CollectiveRow* to) {
              to->set_calls(to->calls() + row.calls());
              to->set_matched_calls(to->matched_calls() + row.matched_calls());
              to->set_matched_time_ns(to->matched_time_ns() + row.matched_time_ns());
              to->set_wait_ns(to->wait_ns() + row.wait_ns());
            });
    }
    for (const auto& row : part.communications()) {
      Merge(&communications_, {row.scope(), row.phase(), row.api(), row.shape(), row.in_step()},
            row, [&](v1::CommunicationRow* to) {
              to->set_compared_ns(to->compared_ns() + row.compared_ns());
              to->set_hidden_ns(to->hidden_ns() + row.hidden_ns());
            });
    }
  }

  void AddActivities(const v1::ProcessProfile& part) {
    for (const auto& row : part.times()) {
      Merge(&times_, {row.scope(), row.phase(), row.category(), row.in_step()}, row,
            [&](v1::TimeRow* to) {
              to->set_activities(to->activities() + row.activities());
              to->set_gpu_time_ns(to->gpu_time_ns() + row.gpu_time_ns());
            });
    }
    for (const auto& row : part.kernels()) {
      Merge(&kernels_, {row.name(), row.category(), row.phase(), row.kind()}, row,
            [&](v1::KernelRow* to) {
              to->set_count(to->count() + row.count());
              to->set_gpu_time_ns(to->gpu_time_ns() + row.gpu_time_ns());
              to->set_min_ns(SmallerNotZero(to->min_ns(), row.min_ns()));
              to->set_max_ns(std::max(to->max_ns(), row.max_ns()));
            });
    }
    for (const auto& row : part.kernel_owners()) {
      Merge(&owners_, {row.name(), row.category(), row.phase()}, row,
            [&](v1::KernelOwner* to) { to->set_in_call(to->in_call() + row.in_call()); });
    }
    for (const auto& row : part.scope_kernels()) {
      Merge(&scope_kernels_,
            {row.scope(), row.phase(), row.api(), row.name(), row.kind(), row.category(),
             row.in_step(), row.loop()},
            row, [&](v1::ScopeKernelRow* to) {
              to->set_count(to->count() + row.count());
              to->set_gpu_time_ns(to->gpu_time_ns() + row.gpu_time_ns());
              if (row.count() > 0) {
                const bool any = to->count() > row.count();
                to->set_first_step(any ? std::min(to->first_step(), row.first_step())
                                       : row.first_step());
              }
              to->set_last_step(std::max(to->last_step(), row.last_step()));
            });
    }
    for (const auto& row : part.stack_rows()) {
      Merge(&stack_rows_,
            {row.stack(), row.scope(), row.phase(), row.kernel(), row.kind(), row.category()}, row,
            [&](v1::StackRow* to) {
              to->set_samples(to->samples() + row.samples());
              to->set_launches(to->launches() + row.launches());
              to->set_gpu_time_ns(to->gpu_time_ns() + row.gpu_time_ns());
            });
    }
    for (const auto& row : part.scope_calls()) {
      Merge(&scope_calls_, {row.scope(), row.phase()}, row,
            [&](v1::ScopeCallRow* to) { to->set_calls(to->calls() + row.calls()); });
    }
  }

  void AddSteps(const v1::ProcessProfile& part) {
    for (const auto& row : part.steps()) {
      Merge(&steps, row.step(), row, [&](v1::StepRow* to) {
        to->set_begin_mono_ns(SmallerNotZero(to->begin_mono_ns(), row.begin_mono_ns()));
        to->set_end_mono_ns(std::max(to->end_mono_ns(), row.end_mono_ns()));
        to->set_complete(to->begin_mono_ns() != 0 && to->end_mono_ns() != 0);
        for (int i = 0; i < row.flops_size(); ++i) AddCount(row.flops(i), to->mutable_flops(i));
        for (int i = 0; i < row.gpu_time_ns_size(); ++i) {
          to->set_gpu_time_ns(i, to->gpu_time_ns(i) + row.gpu_time_ns(i));
        }
        to->set_gpu_busy_ns(to->gpu_busy_ns() + row.gpu_busy_ns());
        to->set_not_communication_ns(to->not_communication_ns() + row.not_communication_ns());
        to->set_activities(to->activities() + row.activities());
      });
      v1::StepRow& step = steps[row.step()];
      step.set_exposed_communication_ns(step.gpu_busy_ns() -
                                        std::min(step.gpu_busy_ns(), step.not_communication_ns()));
    }
    for (const auto& row : part.step_facts()) {
      Merge(&step_facts, row.step(), row, [&](v1::StepFacts* to) {
        to->set_has_unknown(to->has_unknown() || row.has_unknown());
        to->set_exposed_unknown(to->exposed_unknown() || row.exposed_unknown());
      });
    }
    for (const auto& row : part.step_labels()) {
      Merge(&step_labels, row.step(), row, [&](v1::StepLabelRow* to) {
        if (row.revision() >= to->revision()) {
          to->set_number(row.number());
          to->set_revision(row.revision());
        }
        to->set_optimizer_steps(to->optimizer_steps() + row.optimizer_steps());
        to->set_disturbed(to->disturbed() || row.disturbed());
        to->set_cut(to->cut() || row.cut());
        to->set_helped(to->helped() || row.helped());
        to->set_optimizer_end_mono_ns(
            std::max(to->optimizer_end_mono_ns(), row.optimizer_end_mono_ns()));
        to->set_beside_mono_ns(std::max(to->beside_mono_ns(), row.beside_mono_ns()));
      });
    }
    for (const auto& row : part.device_times()) {
      Merge(&devices, row.device(), row, [&](v1::DeviceTime* to) {
        to->set_busy_ns(to->busy_ns() + row.busy_ns());
        to->set_not_communication_ns(to->not_communication_ns() + row.not_communication_ns());
        to->set_first_gpu_ns(SmallerNotZero(to->first_gpu_ns(), row.first_gpu_ns()));
        to->set_last_gpu_ns(std::max(to->last_gpu_ns(), row.last_gpu_ns()));
      });
    }
    AddHistory(part);
  }

  void AddHistory(const v1::ProcessProfile& part) {
    for (const auto& row : part.history()) {
      Merge(&history_, std::tuple(row.width_ns(), row.begin_utc_ns(), row.phase()), row,
            [&](v1::HistoryRow* to) {
              to->set_calls(to->calls() + row.calls());
              to->set_unknown_calls(to->unknown_calls() + row.unknown_calls());
              AddCount(row.flops(), to->mutable_flops());
              to->set_activities(to->activities() + row.activities());
              to->set_gpu_time_ns(to->gpu_time_ns() + row.gpu_time_ns());
              to->set_unknown_gpu_time_ns(to->unknown_gpu_time_ns() + row.unknown_gpu_time_ns());
              to->set_communication_ns(to->communication_ns() + row.communication_ns());
            });
    }
    for (const auto& row : part.device_history()) {
      Merge(&device_history_, std::tuple(row.width_ns(), row.begin_utc_ns(), row.device()), row,
            [&](v1::DeviceHistoryRow* to) {
              to->set_busy_ns(to->busy_ns() + row.busy_ns());
              to->set_not_communication_ns(to->not_communication_ns() + row.not_communication_ns());
            });
    }
  }

  static __int128 IntegerOf(const std::string& text) {
    __int128 value = 0;
    for (const char c : text) {
      if (c != '-') value = 10 * value + (c - '0');
    }
    return text[0] == '-' ? -value : value;
  }
  static std::string TextOf(__int128 value) {
    std::string digits;
    for (__int128 rest = value < 0 ? -value : value; digits.empty() || rest != 0; rest /= 10) {
      digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(rest % 10)));
    }
    return (value < 0 ? "-" : "") + digits;
  }

  // Numbers of ranges and marks: integers to 128 bits, doubles; "" = none.
  template <class Row>
  static void AddNumbers(const Row& row, Row* to) {
    const bool is_double = row.payload_type() == v1::PAYLOAD_TYPE_DOUBLE;
    const auto less = [&](const std::string& a, const std::string& b) {
      return is_double ? std::stod(a) < std::stod(b) : IntegerOf(a) < IntegerOf(b);
    };
    if (to->sum().empty()) {
      to->set_sum(row.sum());
    } else if (!row.sum().empty() && is_double) {
      char text[64];
      std::snprintf(text, sizeof text, "%.17g", std::stod(to->sum()) + std::stod(row.sum()));
      to->set_sum(text);
    } else if (!row.sum().empty()) {
      to->set_sum(TextOf(IntegerOf(to->sum()) + IntegerOf(row.sum())));
    }
    if (!row.min().empty() && (to->min().empty() || less(row.min(), to->min()))) {
      to->set_min(row.min());
    }
    if (!row.max().empty() && (to->max().empty() || less(to->max(), row.max()))) {
      to->set_max(row.max());
    }
    if (!row.last().empty()) to->set_last(row.last());
    if (!row.category_name().empty()) to->set_category_name(row.category_name());
  }

  void AddRanges(const v1::ProcessProfile& part) {
    for (const auto& row : part.range_rows()) {
      Merge(&ranges_, {row.scope(), row.category(), row.payload_type()}, row,
            [&](v1::RangeRow* to) {
              to->set_entries(to->entries() + row.entries());
              AddNumbers(row, to);
            });
    }
    for (const auto& row : part.marks()) {
      Merge(&marks_,
            {row.scope(), row.domain(), row.name(), row.category(), row.payload_type(), row.loop()},
            row, [&](v1::MarkRow* to) {
              if (row.in_steps() > 0) {
                const bool any = to->in_steps() > 0;
                to->set_first_step(any ? std::min(to->first_step(), row.first_step())
                                       : row.first_step());
                to->set_last_step(std::max(to->last_step(), row.last_step()));
              }
              to->set_count(to->count() + row.count());
              to->set_in_steps(to->in_steps() + row.in_steps());
              AddNumbers(row, to);
            });
    }
  }

  void AddOthers(const v1::ProcessProfile& part) {
    for (const auto& row : part.graphs()) {
      Merge(&graphs_, row.state(), row, [&](v1::GraphRow* to) {
        to->set_graphs(to->graphs() + row.graphs());
        to->set_replays(to->replays() + row.replays());
        to->set_calls(to->calls() + row.calls());
        to->set_activities(to->activities() + row.activities());
        to->set_gpu_time_ns(to->gpu_time_ns() + row.gpu_time_ns());
        to->set_shared_ns(to->shared_ns() + row.shared_ns());
      });
    }
    for (const auto& row : part.windows()) {
      Merge(&windows_, row.begin_mono_ns(), row, [&](v1::WindowRow* to) {
        const uint64_t end = std::max(to->end_mono_ns(), row.end_mono_ns());
        const uint64_t until = std::max(to->process_until_mono_ns(), row.process_until_mono_ns());
        *to = row;
        to->set_end_mono_ns(end);
        to->set_process_until_mono_ns(until);
      });
    }
    for (const auto& row : part.costs()) {
      if (costs_.costs_size() == 0) costs_.add_costs();
      v1::CostRow& to = *costs_.mutable_costs(0);
      to.set_budget_ppm(row.budget_ppm());
      to.set_instruction_ps(row.instruction_ps());
      to.set_wall_ns(to.wall_ns() + row.wall_ns());
      to.set_cost_ns(to.cost_ns() + row.cost_ns());
      to.set_full_ns(to.full_ns() + row.full_ns());
      to.set_sampled_ns(to.sampled_ns() + row.sampled_ns());
      to.set_paused_ns(to.paused_ns() + row.paused_ns());
      to.set_level_changes(to.level_changes() + row.level_changes());
      to.set_switches(to.switches() + row.switches());
      to.set_recorded_ns(to.recorded_ns() + row.recorded_ns());
    }
    for (const auto& row : part.launch_latencies()) AddLatency(row);
    for (const auto& row : part.epoch_devices()) epoch_devices_[{row.epoch(), row.ordinal()}] = row;
    for (const auto& row : part.process_lives()) {
      if (costs_.process_lives_size() == 0) *costs_.add_process_lives() = row;
      v1::ProcessLife& to = *costs_.mutable_process_lives(0);
      to.set_until_utc_ns(std::max(to.until_utc_ns(), row.until_utc_ns()));
      to.set_ancestor_pid(row.ancestor_pid());
    }
    for (const auto& row : part.epochs()) AddEpoch(row);
    AddLosses(part);
    if (part.has_info()) AddInfo(part.info());
  }

  void AddLatency(const v1::LaunchLatencyRow& row) {
    if (costs_.launch_latencies_size() == 0) costs_.add_launch_latencies();
    v1::LaunchLatencyRow& to = *costs_.mutable_launch_latencies(0);
    if (row.measured() > 0) {
      to.set_min_ns(to.measured() == 0 ? row.min_ns() : std::min(to.min_ns(), row.min_ns()));
    }
    to.set_launches(to.launches() + row.launches());
    to.set_measured(to.measured() + row.measured());
    to.set_sum_ns(to.sum_ns() + row.sum_ns());
    to.set_clock_unsure(to.clock_unsure() + row.clock_unsure());
    to.set_max_ns(std::max(to.max_ns(), row.max_ns()));
    to.set_error_ns(std::max(to.error_ns(), row.error_ns()));
  }

  void AddEpoch(const v1::EpochRow& row) {
    const auto [found, added] = epochs_.try_emplace(row.epoch(), row);
    if (added) return;
    v1::EpochRow& to = found->second;
    const v1::EpochRow old = to;
    to = row;
    to.set_until_mono_ns(std::max(old.until_mono_ns(), row.until_mono_ns()));
    to.set_calls_made(std::max(old.calls_made(), row.calls_made()));
    to.set_calls_unwritten(std::max(old.calls_unwritten(), row.calls_unwritten()));
    to.set_calls_before(std::max(old.calls_before(), row.calls_before()));
    to.set_launches_made(std::max(old.launches_made(), row.launches_made()));
    to.set_launches_unwritten(std::max(old.launches_unwritten(), row.launches_unwritten()));
    to.set_activities_made(std::max(old.activities_made(), row.activities_made()));
    to.set_activities_unwritten(std::max(old.activities_unwritten(), row.activities_unwritten()));
    to.set_calls_taken(old.calls_taken() + row.calls_taken());
    to.set_launches_taken(old.launches_taken() + row.launches_taken());
    to.set_activities_taken(old.activities_taken() + row.activities_taken());
    to.set_final(old.final() || row.final());
  }

  void AddLosses(const v1::ProcessProfile& part) {
    for (const auto& [name, count] : part.loss()) {
      uint64_t& known = process_loss_[name];
      known = std::max(known, count);
    }
    for (const auto& [name, count] : part.agent_loss()) agent_loss_[name] += count;
    loss = agent_loss_;
    for (const auto& [name, count] : process_loss_) loss[name] += count;
  }

  void AddInfo(const v1::ProcessInfo& more) {
    has_info_ = true;
    const v1::ProcessInfo old = info;
    info = more;
    info.set_simulated(old.simulated() || more.simulated());
    info.set_used_gpu(old.used_gpu() || more.used_gpu());
    info.set_hook_calls(std::max(old.hook_calls(), more.hook_calls()));
    info.set_module_calls(std::max(old.module_calls(), more.module_calls()));
    info.set_backward_nodes(std::max(old.backward_nodes(), more.backward_nodes()));
    info.set_launches(std::max(old.launches(), more.launches()));
    info.set_activities(std::max(old.activities(), more.activities()));
    info.set_own_cpu_ns(std::max(old.own_cpu_ns(), more.own_cpu_ns()));
    info.set_cupti_overhead_ns(std::max(old.cupti_overhead_ns(), more.cupti_overhead_ns()));
    info.set_launches_without_activity(old.launches_without_activity() +
                                       more.launches_without_activity());
    info.set_activities_without_launch(old.activities_without_launch() +
                                       more.activities_without_launch());
    info.set_malformed_records(old.malformed_records() + more.malformed_records());
    if (more.session() >= old.session()) return;
    info.set_session(old.session());
    info.set_state(old.state());
    info.set_exit_code_known(old.exit_code_known());
    info.set_exit_code(old.exit_code());
    info.set_exit_signal(old.exit_signal());
  }

  template <class Row, class... Fields>
  using Rows = std::map<std::tuple<Fields...>, Row>;
  using Text = std::string;
  Rows<v1::CallRow, uint32_t, int, int, Text, Text, Text, bool, bool, bool, Text> calls_;
  Rows<v1::CollectiveRow, uint32_t, int, Text, Text, bool, bool, uint64_t, int> collectives_;
  Rows<v1::CommunicationRow, uint32_t, int, Text, Text, bool> communications_;
  Rows<v1::TimeRow, uint32_t, int, int, bool> times_;
  Rows<v1::KernelRow, Text, int, int, Text> kernels_;
  Rows<v1::KernelOwner, Text, int, int> owners_;
  Rows<v1::ScopeKernelRow, uint32_t, int, uint64_t, uint64_t, Text, int, bool, uint32_t>
      scope_kernels_;
  Rows<v1::StackRow, uint32_t, uint32_t, int, Text, Text, int> stack_rows_;
  Rows<v1::ScopeCallRow, uint32_t, int> scope_calls_;
  Rows<v1::RangeRow, uint32_t, uint32_t, int> ranges_;
  Rows<v1::MarkRow, uint32_t, Text, Text, uint32_t, int, uint32_t> marks_;
  std::map<uint64_t, v1::EpochRow> epochs_;
  Rows<v1::EpochDevice, uint64_t, uint32_t> epoch_devices_;
  bool has_info_ = false;
  v1::ProcessKey key_;
  std::map<uint32_t, v1::Device> device_rows_;
  Rows<v1::Module, uint32_t, Text> modules_;
  Rows<v1::ModuleSizes, uint32_t, Text> sizes_;
  Rows<v1::ModuleAlias, uint32_t, Text> aliases_;
  Rows<v1::ModuleWeights, uint32_t, Text> weights_;
  Rows<v1::InstantRow, uint64_t, Text> instants_;
  Rows<v1::CallGradient, uint32_t, int, int, Text, Text, Text, bool, bool> gradients_;
  std::map<uint32_t, v1::Stack> stacks_;
  std::map<std::string, v1::GraphRow> graphs_;
  std::map<uint64_t, v1::WindowRow> windows_;
  Rows<v1::HistoryRow, uint64_t, int64_t, int> history_;
  Rows<v1::DeviceHistoryRow, uint64_t, int64_t, uint32_t> device_history_;
  std::map<std::string, uint64_t> process_loss_, agent_loss_;
  v1::ProcessProfile costs_;  // and the life
};

}  // namespace flopsprof::testing

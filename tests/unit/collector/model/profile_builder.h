// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "collector/model/run_profile.h"

namespace flopsprof::model {

// Makes hand-made profiles readable in tests.
class ProfileBuilder {
 public:
  explicit ProfileBuilder(int rank, int pid = 100) {
    profile_.mutable_key()->set_node("node-a");
    profile_.mutable_key()->set_pid(pid);
    profile_.mutable_key()->set_start_ticks(1000 + pid);
    profile_.mutable_info()->set_rank(rank);
    profile_.mutable_info()->set_local_rank(rank);
    profile_.mutable_info()->set_world_size(rank < 0 ? -1 : 2);
    profile_.mutable_info()->set_state(v1::PROCESS_STATE_EXITED);
    profile_.mutable_info()->set_exit_code_known(true);
    profile_.mutable_info()->set_used_gpu(true);
  }

  v1::ProcessProfile& profile() { return profile_; }
  v1::ProcessInfo& info() { return *profile_.mutable_info(); }

  ProfileBuilder& ModuleScope(uint32_t id, uint32_t parent, const std::string& name,
                              const std::string& class_name, uint64_t object) {
    v1::Scope& scope = *profile_.add_scopes();
    scope.set_id(id);
    scope.set_parent(parent);
    scope.set_kind(v1::SCOPE_KIND_MODULE);
    scope.set_name(name);
    scope.set_class_name(class_name);
    scope.set_object(object);
    return *this;
  }

  ProfileBuilder& Range(uint32_t id, uint32_t parent, const std::string& name) {
    v1::Scope& scope = *profile_.add_scopes();
    scope.set_id(id);
    scope.set_parent(parent);
    scope.set_kind(v1::SCOPE_KIND_RANGE);
    scope.set_name(name);
    return *this;
  }

  ProfileBuilder& Listed(uint32_t root, uint32_t order, const std::string& path,
                         const std::string& class_name, uint64_t object, uint64_t params) {
    v1::Module& module = *profile_.add_modules();
    module.set_root_scope(root);
    module.set_order(order);
    module.set_path(path);
    module.set_class_name(class_name);
    module.set_object(object);
    module.set_total_params(params);
    return *this;
  }

  ProfileBuilder& Entered(uint32_t scope, v1::Phase phase, uint64_t calls) {
    v1::ScopeCallRow& row = *profile_.add_scope_calls();
    row.set_scope(scope);
    row.set_phase(phase);
    row.set_calls(calls);
    return *this;
  }

  // A product of known size whose every call launched one kernel. Returns the row to change.
  v1::CallRow& Gemm(uint32_t scope, v1::Phase phase, uint64_t flops, uint64_t calls = 1) {
    v1::CallRow& row = *profile_.add_calls();
    row.set_scope(scope);
    row.set_phase(phase);
    row.set_kind(v1::CALL_KIND_GEMM);
    row.set_api("cublasSgemm_v2");
    row.set_shape("row " + std::to_string(profile_.calls_size()));
    row.set_compute_type("fp32");
    row.set_in_step(true);
    row.set_calls(calls);
    row.mutable_flops()->set_low(flops);
    row.set_flops_known(true);
    row.set_kernels(calls);
    return row;
  }

  ProfileBuilder& Time(uint32_t scope, v1::Phase phase, v1::TimeCategory category, uint64_t ns,
                       bool in_step = true) {
    v1::TimeRow& row = *profile_.add_times();
    row.set_scope(scope);
    row.set_phase(phase);
    row.set_category(category);
    row.set_in_step(in_step);
    row.set_activities(1);
    row.set_gpu_time_ns(ns);
    return *this;
  }

  v1::StepRow& Step(uint32_t step, uint64_t begin_ns, uint64_t end_ns) {
    v1::StepRow& row = *profile_.add_steps();
    row.set_step(step);
    row.set_begin_mono_ns(begin_ns);
    row.set_end_mono_ns(end_ns);
    row.set_complete(end_ns != 0);
    for (int phase = 0; phase < 5; ++phase) {
      row.add_flops();
      row.add_gpu_time_ns(0);
    }
    return row;
  }

 private:
  v1::ProcessProfile profile_;
};

}  // namespace flopsprof::model

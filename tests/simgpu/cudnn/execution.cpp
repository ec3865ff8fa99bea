// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "execution.h"

#include <string>

#include "operation_graph.h"
#include "plan_kernels.h"
#include "real_cudnn.h"
#include "simcore.h"

namespace sim::cudnn {
namespace {

int64_t WorkspaceBytes(const Descriptor& plan) {
  int64_t bytes = 0;
  int64_t count = 0;
  Real().get(plan.real(), CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, 1, &count,
             &bytes);
  return bytes;
}

std::string RealJson(const Descriptor& plan) {
  const auto get = [&plan](int64_t size, int64_t* count, char* text) {
    return Real().get(plan.real(), CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION, CUDNN_TYPE_CHAR,
                      size, count, text);
  };
  int64_t size = 0;
  if (get(0, &size, nullptr) != CUDNN_STATUS_SUCCESS || size <= 0) return "";
  std::string json(static_cast<size_t>(size), '\0');
  return get(size, &size, json.data()) == CUDNN_STATUS_SUCCESS ? json : "";
}

PlanRun DescribeRun(const Descriptor& plan) {
  PlanRun run;
  const DescriptorPtr graph = GraphOf(plan);
  const GraphCost cost = graph ? CostOf(*graph) : GraphCost();
  const bool real = plan.real() != nullptr && !plan.hand_made();
  run.blocks = cost.blocks;
  run.shape = cost.shape;
  run.uses_workspace = real && WorkspaceBytes(plan) > 0;
  if (real) run.kernels = KernelNames(RealJson(plan));
  run.names_are_real = !run.kernels.empty();
  if (run.kernels.empty()) {
    run.kernels.push_back("sim_cudnn" + (cost.name.empty() ? "_graph" : cost.name));
  }
  run.flop_count = cost.flop_count / static_cast<double>(run.kernels.size());
  run.bytes = cost.bytes / static_cast<double>(run.kernels.size());
  return run;
}

// The call for ledger and call log.
void Note(const PlanRun& run, const Descriptor& variant_pack, const HandleState& handle) {
  sim_call_shape(run.shape.c_str());
  if (!sim_calls_logged) return;
  std::string pointers;
  for (int64_t pointer : variant_pack.Integers(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS)) {
    pointers += " " + sim_pointer(reinterpret_cast<const void*>(pointer));
  }
  sim_log_call("%s %s data=%s stream=%u", sim_call_name(), run.shape.c_str(), pointers.c_str(),
               sim_stream_id(handle.stream));
}

bool HasWorkspace(const Descriptor& variant_pack) {
  const std::vector<int64_t> given = variant_pack.Integers(CUDNN_ATTR_VARIANT_PACK_WORKSPACE);
  return !given.empty() && given[0] != 0;
}

}  // namespace

cudnnStatus_t Execute(const HandleState& handle, const Descriptor& plan,
                      const Descriptor& variant_pack) {
  const PlanRun& run = plan.run([&plan] { return DescribeRun(plan); });
  Note(run, variant_pack, handle);
  if (run.uses_workspace && !run.names_are_real && HasWorkspace(variant_pack)) {
    Launch(handle, {"sim_cudnn_prepare_workspace", run.blocks, 0, run.bytes / 2});
  }
  for (const std::string& name : run.kernels) {
    Launch(handle, {name.c_str(), run.blocks, run.flop_count, run.bytes});
  }
  return CUDNN_STATUS_SUCCESS;
}

}  // namespace sim::cudnn

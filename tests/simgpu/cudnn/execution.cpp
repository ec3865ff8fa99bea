// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "execution.h"

#include <string>

#include "hand_made_plan.h"
#include "operation_graph.h"
#include "real_cudnn.h"

namespace sim::cudnn {
namespace {

int64_t WorkspaceBytes(const Descriptor& plan) {
  if (plan.real() == nullptr || plan.hand_made()) return 0;
  int64_t bytes = 0;
  int64_t count = 0;
  Real().get(plan.real(), CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, 1,
             &count, &bytes);
  return bytes;
}

bool HasWorkspace(const Descriptor& variant_pack) {
  const std::vector<int64_t> given =
      variant_pack.Integers(CUDNN_ATTR_VARIANT_PACK_WORKSPACE);
  return !given.empty() && given[0] != 0;
}

}  // namespace

cudnnStatus_t Execute(const HandleState& handle, const Descriptor& plan,
                      const Descriptor& variant_pack) {
  const DescriptorPtr graph = GraphOf(plan);
  const GraphCost cost = graph ? CostOf(*graph) : GraphCost();
  if (WorkspaceBytes(plan) > 0 && HasWorkspace(variant_pack)) {
    Launch(handle, {"sim_cudnn_prepare_workspace", cost.blocks, 0, cost.bytes / 2});
  }
  const std::string name =
      "sim_cudnn" + (cost.name.empty() ? std::string("_graph") : cost.name);
  Launch(handle, {name.c_str(), cost.blocks, cost.flop_count, cost.bytes});
  return CUDNN_STATUS_SUCCESS;
}

}  // namespace sim::cudnn

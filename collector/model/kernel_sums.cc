// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/kernel_sums.h"

#include <algorithm>
#include <utility>

#include "collector/model/coverage.h"
#include "collector/model/kernels/kernel_classes.h"
#include "collector/model/tally.h"

namespace flopsprof::model {

void KernelSums::Add(const v1::ProcessProfile& process) {
  for (const v1::KernelRow& row : process.kernels()) {
    if (row.count() == 0) continue;
    const std::string category(CategoryName(row.category()));
    const std::string phase(PhaseName(PhaseIndex(row.phase())));
    KernelSummary& kernel = kernels_[{row.name(), row.kind(), category, phase}];
    const bool is_first_time = kernel.max_ns == 0;
    kernel.name = row.name();
    kernel.kind = row.kind();
    kernel.category = category;
    kernel.phase = phase;
    kernel.count += row.count();
    kernel.gpu_time_ns += row.gpu_time_ns();
    if (row.max_ns() == 0) continue;  // no valid time in it
    kernel.min_ns = is_first_time ? row.min_ns() : std::min(kernel.min_ns, row.min_ns());
    kernel.max_ns = std::max(kernel.max_ns, row.max_ns());
  }
  for (const v1::KernelOwner& owner : process.kernel_owners()) {
    in_calls_[{owner.name(), "kernel", std::string(CategoryName(owner.category())),
               std::string(PhaseName(PhaseIndex(owner.phase())))}] += owner.in_call();
  }
}

void KernelSums::Finish(size_t max, Summary* summary) {
  for (const auto& [key, in_call] : in_calls_) {
    const auto found = kernels_.find(key);
    if (found != kernels_.end()) found->second.in_call += in_call;
  }
  for (auto& [key, kernel] : kernels_) summary->kernels.push_back(std::move(kernel));
  std::stable_sort(
      summary->kernels.begin(), summary->kernels.end(),
      [](const KernelSummary& a, const KernelSummary& b) { return a.gpu_time_ns > b.gpu_time_ns; });
  if (summary->kernels.size() > max) {
    summary->kernels_left_out = summary->kernels.size() - max;
    summary->kernels.resize(max);
  }
  for (KernelSummary& kernel : summary->kernels) {
    if (kernel.category == "no_products") {
      kernel.kernel_class = KernelClassName(ClassOfKernel(kernel.name));
    }
  }
}

}  // namespace flopsprof::model

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/calls/communication_rows.h"

#include <algorithm>
#include <utility>

namespace flopsprof::agent {

void CommunicationRows::AddToDevice(const JoinedActivity& activity, bool communication,
                                    const IntervalUnion& other) {
  if (!communication) {
    const auto device = devices_.find(activity.record.device);
    if (device == devices_.end()) return;  // nothing to hide
    Hide(activity.record.start_gpu_ns, activity.record.end_gpu_ns, other, &device->second);
  } else if (!activity.share) {  // when a share of a graph ran is not known
    Compare(activity, other, &devices_[activity.record.device]);
  }
}

void CommunicationRows::Compare(const JoinedActivity& activity, const IntervalUnion& other,
                                Device* device) {
  const uint64_t begin_ns = activity.record.start_gpu_ns;
  const uint64_t end_ns = activity.record.end_gpu_ns;
  if (begin_ns < other.frontier_ns()) return;  // what ran then is no longer known
  const WorkContext& context = activity.context;
  const uint32_t row =
      rows_.FindOrAdd({context.scope, activity.in_call ? activity.call.row : kNoRow, context.phase,
                       InStep(context.step)});
  if (row == kNoRow) return;
  Row& sums = rows_.Change(row);
  sums.compared_ns += end_ns - begin_ns;
  sums.hidden_ns += other.CoveredNs(begin_ns, end_ns);
  Keep({begin_ns, end_ns, 0, row}, device);
}

void CommunicationRows::Keep(const Kernel& kernel, Device* device) {
  std::vector<Kernel>& kernels = device->kernels;
  if (kernels.size() >= kMaxKept) {
    const auto half = kernels.begin() + kMaxKept / 2;
    device->forgotten_until_ns = std::max(device->forgotten_until_ns, (half - 1)->last_end_ns);
    kernels.erase(kernels.begin(), half);
  }
  const auto after = std::upper_bound(
      kernels.begin(), kernels.end(), kernel.begin_ns,
      [](uint64_t begin_ns, const Kernel& known) { return begin_ns < known.begin_ns; });
  auto at = kernels.insert(after, kernel);
  uint64_t last_end_ns = at == kernels.begin() ? 0 : (at - 1)->last_end_ns;
  for (; at != kernels.end(); ++at) {
    last_end_ns = std::max(last_end_ns, at->end_ns);
    at->last_end_ns = last_end_ns;
  }
}

void CommunicationRows::Hide(uint64_t begin_ns, uint64_t end_ns, const IntervalUnion& other,
                             Device* device) {
  if (begin_ns < other.frontier_ns()) return;  // late there: counted
  if (begin_ns < device->forgotten_until_ns) late_count_++;
  const std::vector<Kernel>& kernels = device->kernels;
  if (kernels.empty() || begin_ns >= kernels.back().last_end_ns) return;  // the common case
  auto kernel = std::lower_bound(
      kernels.begin(), kernels.end(), end_ns,
      [](const Kernel& known, uint64_t until_ns) { return known.begin_ns < until_ns; });
  while (kernel != kernels.begin() && (--kernel)->last_end_ns > begin_ns) {
    const uint64_t from_ns = std::max(begin_ns, kernel->begin_ns);
    const uint64_t until_ns = std::min(end_ns, kernel->end_ns);
    if (from_ns >= until_ns) continue;
    const uint64_t gain_ns = until_ns - from_ns - other.CoveredNs(from_ns, until_ns);
    if (gain_ns > 0) rows_.Change(kernel->row).hidden_ns += gain_ns;
  }
}

size_t CommunicationRows::Emit(const CallRows& calls, size_t max, v1::ProcessProfile* profile) {
  return rows_.EmitChanged(max, [&](const Key& key, Row& kept) {
    const Row row = std::exchange(kept, Row());
    v1::CommunicationRow* out = profile->add_communications();
    if (key.call != kNoRow) {
      const v1::CallRow call = calls.Describe(key.call);
      out->set_api(call.api());
      out->set_shape(call.shape());
    }
    out->set_scope(key.scope);
    out->set_phase(static_cast<v1::Phase>(key.phase));
    out->set_in_step(key.in_step);
    out->set_compared_ns(row.compared_ns);
    out->set_hidden_ns(row.hidden_ns);
    return true;
  });
}

}  // namespace flopsprof::agent

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/stacks/stack_rows.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace flopsprof::agent {

bool StackRows::Define(uint32_t stack, const std::string& bytes) {
  const size_t count = bytes.size() / sizeof(shm::StackFrame);
  if (bytes.size() % sizeof(shm::StackFrame) != 0 || count == 0 || count > shm::kMaxStackFrames) {
    return false;
  }
  if (stacks_.size() >= kMaxStacks) {
    refused_stack_count_++;
    return true;
  }
  const auto [found, added] = stacks_.try_emplace(stack, count);
  if (!added) return true;  // two threads may send it
  std::memcpy(found->second.data(), bytes.data(), bytes.size());
  unsent_.push_back(stack);
  return true;
}

void StackRows::Add(const JoinedActivity& activity, uint64_t packed_kernel,
                    v1::TimeCategory category) {
  const Key key = {uint64_t{activity.stack} << 32 | activity.context.scope, packed_kernel,
                   uint64_t{static_cast<uint8_t>(activity.context.phase)} << 8 |
                       static_cast<uint64_t>(category)};
  const uint32_t index = rows_.FindOrAdd(key);
  if (index == kNoRow) return;
  Row& row = rows_.Change(index);
  row.samples++;
  row.launches += activity.stack_launches;
  row.gpu_time_ns += activity.duration_ns;
}

size_t StackRows::Emit(const NameTable& names, size_t max, bool final, uint64_t now_ns,
                       const DescribeKernel& describe, v1::ProcessProfile* profile) {
  size_t emitted = rows_.EmitChanged(max, [&](const Key& key, Row& kept) {
    v1::StackRow out;
    if (!describe(key[1], &out)) return false;
    const Row row = std::exchange(kept, Row());
    out.set_stack(static_cast<uint32_t>(key[0] >> 32));
    out.set_scope(static_cast<uint32_t>(key[0]));
    out.set_phase(static_cast<v1::Phase>(key[2] >> 8));
    out.set_category(static_cast<v1::TimeCategory>(key[2] & 0xff));
    out.set_samples(row.samples);
    out.set_launches(row.launches);
    out.set_gpu_time_ns(row.gpu_time_ns);
    *profile->add_stack_rows() = std::move(out);
    return true;
  });
  return emitted + EmitStacks(names, max - emitted, final, now_ns, profile);
}

size_t StackRows::EmitStacks(const NameTable& names, size_t max, bool final, uint64_t now_ns,
                             v1::ProcessProfile* profile) {
  if (unsent_.empty() || (!final && now_ns < next_symbols_ns_)) return 0;
  const auto complete = [&](uint32_t stack) {
    const Frames& frames = stacks_[stack];
    return std::all_of(frames.begin(), frames.end(), [&](const shm::StackFrame& frame) {
      return names.Find(frame.name) != nullptr && names.Find(frame.file) != nullptr;
    });
  };
  std::vector<uint32_t> ready;
  std::vector<uint32_t> later;
  for (const uint32_t stack : unsent_) {
    (ready.size() < max && (final || complete(stack)) ? ready : later).push_back(stack);
  }
  unsent_ = std::move(later);
  if (ready.empty()) return 0;
  next_symbols_ns_ = now_ns + kSymbolPeriodNs;
  std::vector<const Frames*> frames;
  for (const uint32_t stack : ready) frames.push_back(&stacks_[stack]);
  symbolizer_.Prepare(names, frames);
  for (const uint32_t stack : ready) {
    v1::Stack* out = profile->add_stacks();
    out->set_id(stack);
    out->set_frames(symbolizer_.Text(names, stacks_[stack]));
  }
  return ready.size();
}

}  // namespace flopsprof::agent

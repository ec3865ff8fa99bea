// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/rows/scope_kernels.h"

#include <utility>

#include "proto/flopsprof/text_id.h"

namespace flopsprof::agent {

uint32_t ScopeKernels::FunctionOf(uint32_t row) {
  if (functions_.empty()) functions_.emplace_back();
  if (row == kNoRow) return 0;
  if (row >= function_of_row_.size()) function_of_row_.resize(row + 1);
  uint32_t& known = function_of_row_[row];
  if (known == 0) {
    const std::string text = calls_.FunctionOf(row);
    const auto [found, added] =
        function_index_.try_emplace(text, static_cast<uint32_t>(functions_.size()));
    if (added) functions_.push_back(text);
    known = found->second + 1;
  }
  return known - 1;
}

uint32_t ScopeKernels::FindOrAdd(const Work& work, uint64_t count) {
  const WorkContext& context = work.context;
  return rows_.FindOrAdd(
      {uint64_t{context.scope} << 32 | FunctionOf(work.call_row), work.packed_kernel,
       uint64_t{LoopOfStep(context.step)} << 24 |
           uint64_t{static_cast<uint8_t>(context.phase)} << 16 |
           static_cast<uint64_t>(work.category) << 8 | (InStep(context.step) ? 1 : 0)},
      count);
}

void ScopeKernels::Add(uint32_t index, uint64_t count, uint64_t gpu_time_ns, StepSpan steps) {
  AddTo(&rows_.Change(index), {count, gpu_time_ns, steps});
}

void ScopeKernels::AddTo(Row* row, const Row& more) {
  if (row->count == 0) row->steps = more.steps;
  row->steps.Add(more.steps);
  row->count += more.count;
  row->gpu_time_ns += more.gpu_time_ns;
}

uint64_t ScopeKernels::StringOf(const std::string& text, v1::ProcessProfile* profile) {
  const uint64_t id = TextId(text);
  if (id == 0 || strings_.contains(id)) return id;
  if (strings_.size() >= kMaxTexts) {
    texts_refused_count_++;
    return 0;
  }
  strings_.insert(id);
  (*profile->mutable_strings())[id] = text;
  return id;
}

size_t ScopeKernels::Emit(size_t max, const DescribeKernel& describe, v1::ProcessProfile* profile) {
  return rows_.EmitChanged(max, [&](const Key& key, Row& kept) {
    v1::ScopeKernelRow out;
    std::string name;
    Key first = key;
    if (!describe(&first[1], &name, &out)) return false;
    if (first != key) {  // the receiver keys rows by their text
      const uint32_t index = rows_.FindOrAdd(first);
      if (index != kNoRow) AddTo(&rows_.Change(index), std::exchange(kept, Row()));
      return true;
    }
    const Row row = std::exchange(kept, Row());
    if (row.count == 0) return true;
    out.set_scope(static_cast<uint32_t>(key[0] >> 32));
    out.set_api(StringOf(functions_[static_cast<uint32_t>(key[0])], profile));
    out.set_name(StringOf(name, profile));
    out.set_phase(static_cast<v1::Phase>(key[2] >> 16 & 0xff));
    out.set_category(static_cast<v1::TimeCategory>(key[2] >> 8 & 0xff));
    out.set_in_step((key[2] & 1) != 0);
    out.set_count(row.count);
    out.set_gpu_time_ns(row.gpu_time_ns);
    if (out.in_step()) {
      out.set_loop(static_cast<uint32_t>(key[2] >> 24));
      out.set_first_step(row.steps.first);
      out.set_last_step(row.steps.last);
    }
    *profile->add_scope_kernels() = std::move(out);
    return true;
  });
}

}  // namespace flopsprof::agent

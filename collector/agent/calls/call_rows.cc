// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/calls/call_rows.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "collector/agent/calls/call_texts.h"
#include "collector/agent/calls/kernel_formulas.h"
#include "collector/model/flops/compute_type.h"
#include "collector/model/flops/flops.h"
#include "collector/model/flops/flops_library.h"
#include "collector/model/flops/operation_flops.h"
#include "proto/shm/operations.h"

namespace flopsprof::agent {
namespace {

template <class To, class From>
To Reinterpret(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

// What every key keeps of the header.
shm::RecordHeader KeyHeader(const shm::RecordHeader& header, uint8_t kept_flags) {
  return {header.type, header.phase, static_cast<uint8_t>(header.flags & kept_flags),
          InStep(header.step) ? 0 : shm::kNoStep};
}

// Eight bytes of a record or key.
uint64_t WordAt(const void* record, size_t offset) {
  uint64_t word;
  std::memcpy(&word, static_cast<const char*>(record) + offset, sizeof word);
  return word;
}

// Function, types, modes and epilogue.
uint64_t GemmTypes(const shm::GemmCall& call) {
  static_assert(offsetof(shm::GemmCall, m) == offsetof(shm::GemmCall, api) + sizeof(uint64_t));
  return WordAt(&call, offsetof(shm::GemmCall, api));
}

// In a key: a list of parts, in `plan`. No record has this type.
constexpr auto kPartsKey = static_cast<uint16_t>(shm::RecordType::kInvalid);

v1::TimeCategory CategoryOf(const std::optional<model::FlopCount>& flops, bool has_products) {
  if (!flops.has_value()) return v1::TIME_CATEGORY_UNKNOWN;
  return has_products ? v1::TIME_CATEGORY_EXACT : v1::TIME_CATEGORY_NO_PRODUCTS;
}

}  // namespace

template <class Record>
uint32_t CallRows::Count(const Record& key_record, std::optional<model::FlopCount> flops,
                         uint64_t calls, uint64_t bytes) {
  const uint32_t index = rows_.FindOrAdd(Reinterpret<Key>(key_record));
  CountIn(index, flops, calls, bytes);
  return index;
}

// A fused attention backward makes QK^T again: that part is booked in phase recompute, in a row of
// its own with 0 calls.
template <class Record>
void CallRows::CountSplit(Record key, model::FlopCount flops, model::FlopCount recompute_flops,
                          CallWork* work) {
  const bool split = key.header.phase == static_cast<uint8_t>(shm::Phase::kBackward);
  work->recompute_flops = split ? recompute_flops : 0;
  work->flops = flops - work->recompute_flops;
  work->row = Count(key, work->flops, 1, 0);
  if (work->recompute_flops == 0) return;
  key.header.phase = static_cast<uint8_t>(shm::Phase::kRecompute);
  Count(key, work->recompute_flops, 0, 0);
}

void CallRows::CountIn(uint32_t index, std::optional<model::FlopCount> flops, uint64_t calls,
                       uint64_t bytes) {
  if (described_ != nullptr) {
    // Its kernels may be sent before the calls are added.
    if (index != kNoRow) rows_.Hold(index).flops_known = flops.has_value();
    described_->push_back({index, calls, flops.value_or(0), flops.has_value(), bytes});
    return;
  }
  call_count_ += calls;
  if (index == kNoRow) {
    refused_count_ += calls;
    return;
  }
  Add(flops, calls, bytes, &rows_.Change(index));
}

void CallRows::Add(std::optional<model::FlopCount> flops, uint64_t calls, uint64_t bytes,
                   Row* row) {
  // The key decides whether flops are known: all calls of a row agree.
  row->flops_known = flops.has_value();
  row->sums.flops += flops.value_or(0);  // <= 2^96 each: 2^32 calls before it could overflow
  row->sums.calls += calls;
  row->sums.bytes += bytes;
}

// Reckoned once a row: products of 128 bits with their checks take longer than all else here.
std::optional<model::FlopCount> CallRows::FlopsIn(uint32_t index, const shm::GemmCall& call) {
  if (index == kNoRow) return model::GemmFlops(call);
  Row& row = rows_.Hold(index);
  if (!row.reckoned) {
    const std::optional<model::FlopCount> flops = model::GemmFlops(call);
    row.reckoned = true;
    row.flops_known = flops.has_value();
    row.call_flops = flops.value_or(0);
  }
  row.said_types = GemmTypes(call);
  return row.flops_known ? std::optional(row.call_flops) : std::nullopt;
}

void CallRows::Apply(const RowChange& change, uint64_t times) {
  call_count_ += change.calls * times;
  if (change.row == kNoRow) {
    refused_count_ += change.calls * times;
    return;
  }
  const auto flops = change.flops_known ? std::optional(change.flops * times) : std::nullopt;
  Add(flops, change.calls * times, change.bytes * times, &rows_.Change(change.row));
}

void CallRows::MarkUnrecorded(uint32_t row, uint64_t calls) {
  if (row == kNoRow) return;
  rows_.Change(row).sums.unrecorded_calls += calls;
  unrecorded_count_ += calls;
}

// Whether the key that AddGemm makes of a call is this one. True only after such a call, with the
// same types, has come.
[[gnu::always_inline]] inline bool CallRows::IsAlike(const Key& key, const Row& row,
                                                     const shm::GemmCall& call) {
  constexpr uint8_t kKeptFlags = shm::kFlagCaptured | shm::kFlagSizesUnknown;
  const auto same = [&](size_t offset) {
    return WordAt(key.data(), offset) == WordAt(&call, offset);
  };
  const shm::RecordHeader header = KeyHeader(call.header, kKeptFlags);
  return row.reckoned && row.said_types == GemmTypes(call) &&
         (call.header.flags & shm::kFlagSizesUnknown) == 0 &&
         WordAt(key.data(), 0) == WordAt(&header, 0) &&
         // Behind the number of the call, which no key has.
         WordAt(key.data(), offsetof(shm::GemmCall, call)) == uint64_t{call.scope} << 32 &&
         same(offsetof(shm::GemmCall, m)) && same(offsetof(shm::GemmCall, n)) &&
         same(offsetof(shm::GemmCall, k)) && same(offsetof(shm::GemmCall, batch));
}

void CallRows::AddAlike(Row* row) {
  row->sums.calls += row->alike;
  if (row->flops_known) row->sums.flops += row->call_flops * row->alike;
  row->alike = 0;
}

CallWork CallRows::AddGemm(const shm::GemmCall& call) {
  CallWork work;
  if (described_ == nullptr) {
    work.row = rows_.ChangeNext(
        [&call](const Key& key, const Row& row) { return IsAlike(key, row, call); });
    if (work.row != kNoRow) {
      Row& row = rows_.Hold(work.row);
      call_count_++;
      row.alike++;
      work.flops = row.call_flops;
      work.category = row.flops_known ? v1::TIME_CATEGORY_EXACT : v1::TIME_CATEGORY_UNKNOWN;
      return work;
    }
  }
  shm::GemmCall key = call;
  key.header = KeyHeader(call.header, shm::kFlagCaptured | shm::kFlagSizesUnknown);
  key.call = 0;
  key.mono_ns = 0;
  if (const int type = model::FixedDataType(call.api); type >= 0) {
    key.type_a = key.type_b = key.type_c = static_cast<uint8_t>(type);
  }
  if ((call.header.flags & shm::kFlagSizesUnknown) != 0) {  // only the reason, in m, says anything
    key.m = static_cast<int64_t>(model::GemmUnknownReason(call));
    key.n = key.k = key.batch = 0;
  }
  work.row = rows_.FindOrAdd(Reinterpret<Key>(key));
  const std::optional<model::FlopCount> flops = FlopsIn(work.row, call);
  CountIn(work.row, flops, 1, 0);
  work.flops = flops.value_or(0);
  work.category = flops.has_value() ? v1::TIME_CATEGORY_EXACT : v1::TIME_CATEGORY_UNKNOWN;
  return work;
}

CallWork CallRows::AddLibrary(const shm::LibraryCall& call) {
  shm::LibraryCall key = call;
  key.header = KeyHeader(call.header, shm::kFlagCaptured);
  key.call = 0;
  key.reserved = 0;
  const model::LibraryWork its = model::LibraryWorkOf(call);
  if (!its.flops.has_value()) {  // one row for all that is unknown for one reason
    key.reason = static_cast<uint8_t>(its.reason);
    std::fill(std::begin(key.sizes), std::end(key.sizes), 0);
  }
  CallWork work;
  work.row = Count(key, its.flops, 1, 0);
  work.flops = its.flops.value_or(0);
  work.category = CategoryOf(its.flops, its.has_products);
  return work;
}

CallWork CallRows::AddParted(const PartedCall& call) {
  PartList list = ListOf(call);
  const auto first = PartAs<shm::LibraryCall>(call.parts.front());
  static_assert(offsetof(shm::LibraryCall, scope) == offsetof(shm::GemmCall, scope));
  static_assert(offsetof(shm::LibraryCall, api) == offsetof(shm::GemmCall, api));
  shm::CudnnCall key = {};
  key.header = KeyHeader(first.header, shm::kFlagCaptured);
  key.header.type = kPartsKey;
  key.scope = first.scope;
  key.api = first.api;
  const std::optional<model::FlopCount> flops = list.flops;
  CallWork work;
  work.flops = flops.value_or(0);
  work.category = CategoryOf(flops, list.has_products);
  key.plan = part_lists_.NumberOf(std::move(list));
  work.row = Count(key, flops, 1, 0);
  return work;
}

CallWork CallRows::AddCudnn(const shm::CudnnCall& call) {
  shm::CudnnCall key = {};
  key.header = KeyHeader(call.header, shm::kFlagCaptured);
  key.scope = call.scope;
  key.api = call.api;
  key.plan = plans_.NumberOf(call.plan);
  const model::CudnnPlan* plan = plans_.Find(key.plan);
  CallWork work;
  if (plan == nullptr || !plan->flops_known) {
    work.row = Count(key, std::nullopt, 1, 0);
    return work;
  }
  work.category = plan->has_products ? v1::TIME_CATEGORY_EXACT : v1::TIME_CATEGORY_NO_PRODUCTS;
  CountSplit(key, plan->flops, plan->recompute_flops, &work);
  return work;
}

CallWork CallRows::AddCollective(const shm::CollectiveCall& call) {
  shm::CollectiveCall key = {};
  key.header = KeyHeader(call.header, shm::kFlagCaptured);
  key.scope = call.scope;
  key.api = call.api;
  key.kind = call.kind;
  key.data_type = call.data_type;
  key.rank_count = call.rank_count;
  key.count = call.count;
  key.group = call.group;
  CallWork work;
  work.row = Count(key, model::FlopCount{0}, 1, call.bytes);
  work.category = v1::TIME_CATEGORY_COMMUNICATION;
  return work;
}

CallWork CallRows::AddOperation(const shm::OperationCall& call) {
  shm::OperationCall key = call;
  key.header = KeyHeader(call.header, shm::kFlagCaptured);
  key.call = 0;
  std::memset(key.reserved, 0, sizeof key.reserved);
  if (key.reason != 0) std::memset(key.sizes, 0, sizeof key.sizes);
  CallWork work;
  if (formulas_ != nullptr && formulas_->IsOff(model::OperationText(call))) {
    key.reason = static_cast<uint8_t>(shm::OperationReason::kFormulaOff);
    work.row = Count(key, std::nullopt, 1, 0);
    return work;
  }
  if (const std::optional<ModelledWork> own = UserWorkOf(formulas_, call); own.has_value()) {
    return AddModelled(call.header, call.scope, *own);
  }
  const model::OperationWork done = model::WorkOf(call);
  if (!done.products) {  // its kernels are all that is to be said
    work.category = v1::TIME_CATEGORY_NO_PRODUCTS;
    return work;
  }
  if (!done.flops.has_value()) {
    work.row = Count(key, std::nullopt, 1, 0);
    return work;
  }
  work.category = v1::TIME_CATEGORY_MODELLED;
  CountSplit(key, *done.flops, done.recompute_flops, &work);
  return work;
}

CallWork CallRows::AddModelled(const shm::RecordHeader& header, uint32_t scope,
                               const ModelledWork& work) {
  const bool known = work.flops.has_value();
  // Not what a capture or its description shows: there nothing runs.
  const bool ran = described_ == nullptr && (header.flags & shm::kFlagCaptured) == 0;
  failed_formula_count_ += work.failed && ran ? 1 : 0;
  described_failure_ = described_failure_ || work.failed;
  shm::CudnnCall key = {};
  key.header = KeyHeader(header, shm::kFlagCaptured);
  key.header.type = static_cast<uint16_t>(shm::RecordType::kNamedWork);
  key.scope = scope;
  key.plan = modelled_.NumberOf(work);
  key.reserved = known ? 1 : 0;
  CallWork result;
  if (!known) {
    result.row = Count(key, std::nullopt, 1, 0);
    return result;
  }
  result.category = v1::TIME_CATEGORY_MODELLED;
  CountSplit(key, *work.flops, std::min(work.recompute_flops, *work.flops), &result);
  return result;
}

void CallRows::AddKernels(uint32_t index, uint64_t count, uint64_t gpu_time_ns) {
  Sums& sums = rows_.Change(index).sums;
  sums.kernels += count;
  sums.gpu_time_ns += gpu_time_ns;
}

void CallRows::AddWait(uint32_t index, uint64_t duration_ns, uint64_t wait_ns) {
  Sums& sums = rows_.Change(index).sums;
  sums.matched_calls++;
  sums.matched_time_ns += duration_ns;
  sums.wait_ns += wait_ns;
}

v1::CallRow CallRows::Describe(uint32_t row) const {
  v1::CallRow out;
  DescribeKey(rows_.key(row), &out);
  return out;
}

void CallRows::DescribeKey(const Key& key, v1::CallRow* out) const {
  const auto common = Reinterpret<shm::CudnnCall>(key);  // header, scope and api: same place
  static_assert(offsetof(shm::GemmCall, scope) == offsetof(shm::CudnnCall, scope));
  static_assert(offsetof(shm::GemmCall, api) == offsetof(shm::CudnnCall, api));
  static_assert(offsetof(shm::OperationCall, scope) == offsetof(shm::CudnnCall, scope));
  static_assert(offsetof(shm::OperationCall, operation) == offsetof(shm::CudnnCall, api));
  static_assert(offsetof(shm::CollectiveCall, scope) == offsetof(shm::CudnnCall, scope));
  static_assert(offsetof(shm::CollectiveCall, api) == offsetof(shm::CudnnCall, api));
  out->set_scope(common.scope);
  out->set_phase(static_cast<v1::Phase>(common.header.phase));
  out->set_api(ApiText(common.api));
  out->set_captured((common.header.flags & shm::kFlagCaptured) != 0);
  out->set_in_step(common.header.step != shm::kNoStep);
  switch (static_cast<shm::RecordType>(common.header.type)) {
    case shm::RecordType::kGemmCall:
      return DescribeGemm(Reinterpret<shm::GemmCall>(key), out);
    case shm::RecordType::kLibraryCall:
      return DescribeLibrary(Reinterpret<shm::LibraryCall>(key), out);
    case shm::RecordType::kInvalid:  // kPartsKey
      return part_lists_.Describe(common.plan, out);
    case shm::RecordType::kCudnnCall:
      return plans_.Describe(common.plan, out);
    case shm::RecordType::kNamedWork:
      return modelled_.Describe(common.plan, out);
    case shm::RecordType::kOperation:
      return DescribeOperation(Reinterpret<shm::OperationCall>(key), out);
    default:
      return DescribeCollective(Reinterpret<shm::CollectiveCall>(key), out);
  }
}

std::string CallRows::FunctionOf(uint32_t row) const {
  const auto key = Reinterpret<shm::CudnnCall>(rows_.key(row));
  switch (static_cast<shm::RecordType>(key.header.type)) {
    case shm::RecordType::kNamedWork:
      return modelled_.ApiOf(key.plan);
    case shm::RecordType::kOperation:
      return model::OperationText(Reinterpret<shm::OperationCall>(rows_.key(row)));
    default:
      return ApiText(key.api);
  }
}

void CallRows::EmitCollective(const Key& key, const Sums& sums, const v1::CallRow& call,
                              v1::ProcessProfile* profile) {
  const auto collective = Reinterpret<shm::CollectiveCall>(key);
  v1::CollectiveRow* out = profile->add_collectives();
  out->set_scope(call.scope());
  out->set_phase(call.phase());
  out->set_api(call.api());
  out->set_shape(call.shape());
  out->set_captured(call.captured());
  out->set_in_step(call.in_step());
  out->set_group(collective.group);
  out->set_rank_count(collective.rank_count);
  out->set_calls(sums.calls);
  out->set_matched_calls(sums.matched_calls);
  out->set_matched_time_ns(sums.matched_time_ns);
  out->set_wait_ns(sums.wait_ns);
}

size_t CallRows::Emit(size_t max, v1::ProcessProfile* profile) {
  return rows_.EmitChanged(max, [&](const Key& key, Row& row) {
    AddAlike(&row);
    const Sums sums = std::exchange(row.sums, Sums());
    v1::CallRow* out = profile->add_calls();
    DescribeKey(key, out);
    out->set_calls(sums.calls);
    out->set_unrecorded_calls(sums.unrecorded_calls);
    model::ToProto(sums.flops, out->mutable_flops());
    out->set_flops_known(row.flops_known);
    out->set_bytes(sums.bytes);
    out->set_kernels(sums.kernels);
    out->set_gpu_time_ns(sums.gpu_time_ns);
    out->set_min_gpu_time_ns(sums.min_gpu_time_ns);
    out->set_max_gpu_time_ns(sums.max_gpu_time_ns);
    if (out->kind() == v1::CALL_KIND_COLLECTIVE) EmitCollective(key, sums, *out, profile);
    return true;
  });
}

}  // namespace flopsprof::agent

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/calls/call_rows.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <sstream>
#include <utility>

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "collector/agent/calls/kernel_formulas.h"
#include "collector/agent/tables/name_table.h"
#include "collector/model/flops/compute_type.h"
#include "collector/model/flops/flops.h"
#include "collector/model/flops/flops_library.h"
#include "collector/model/flops/operation_flops.h"
#include "proto/shm/api_ids.h"
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

std::string ApiText(uint16_t api) {
  const char* name = shm::ApiName(api);
  return name != nullptr ? name : absl::StrCat("api", api);
}

std::string NcclTypeText(uint8_t type) {
  static constexpr const char* kNames[] = {"i8",  "u8",  "i32", "u32",  "i64",  "u64",
                                           "f16", "f32", "f64", "bf16", "e4m3", "e5m2"};
  return type < std::size(kNames) ? kNames[type] : absl::StrCat("type", int{type});
}

std::string GroupText(uint64_t group) {
  return absl::StrCat(absl::Hex(static_cast<uint32_t>(group ^ group >> 32), absl::kZeroPad8));
}

// A text that the receiver keys rows by: a cut one must stay different from its like.
std::string BoundedIdentity(std::string text, size_t max_bytes = 4096) {
  std::string bounded = BoundedUtf8(text, max_bytes);
  if (bounded.size() == text.size()) return bounded;
  return absl::StrCat(bounded, "... ", text.size(), " bytes, hash ",
                      absl::Hex(std::hash<std::string>()(text)));
}

// What a plan computes, and why its flops are not known or what they do not say.
std::string DetailOf(const model::CudnnPlan& plan) {
  if (!plan.flops_known) {
    return BoundedUtf8(absl::StrCat(plan.description, " (", plan.unknown_reason, ")"),
                       kMaxTextBytes);
  }
  if (!plan.causal_flops.has_value()) return plan.description;
  std::ostringstream flops;
  flops << absl::uint128(*plan.causal_flops);
  return absl::StrCat(plan.description, " (all pairs; the mask leaves ", flops.str(), " flops)");
}

constexpr uint32_t kUnknownPlan = 0;  // in a key; plan i of plans_ is i + 1

// In a key: a list of parts, in `plan`. No record has this type.
constexpr auto kPartsKey = static_cast<uint16_t>(shm::RecordType::kInvalid);
// Lists beyond the bound, by whether their work is known: rows of a key agree in that.
constexpr uint32_t kOtherKnownParts = 0xffffffffu;
constexpr uint32_t kOtherUnknownParts = 0xfffffffeu;

v1::TimeCategory CategoryOf(const std::optional<model::FlopCount>& flops, bool has_products) {
  if (!flops.has_value()) return v1::TIME_CATEGORY_UNKNOWN;
  return has_products ? v1::TIME_CATEGORY_EXACT : v1::TIME_CATEGORY_NO_PRODUCTS;
}

void DescribeGemm(const shm::GemmCall& gemm, v1::CallRow* out) {
  out->set_kind(v1::CALL_KIND_GEMM);
  out->set_shape(model::GemmShape(gemm));
  out->set_compute_type(model::GemmComputeType(gemm));
}

void DescribeLibrary(const shm::LibraryCall& library, v1::CallRow* out) {
  out->set_kind(v1::CALL_KIND_LIBRARY);
  out->set_shape(model::LibraryShape(library));
  out->set_compute_type(model::LibraryComputeType(library));
}

void DescribeOperation(const shm::OperationCall& operation, v1::CallRow* out) {
  out->set_kind(v1::CALL_KIND_MODELLED);
  out->set_api(model::OperationText(operation));
  out->set_shape(model::OperationShape(operation));
  out->set_compute_type(model::OperationComputeType(operation));
  out->set_detail(model::OperationDetail(operation));
}

void DescribeCollective(const shm::CollectiveCall& collective, v1::CallRow* out) {
  out->set_kind(v1::CALL_KIND_COLLECTIVE);
  out->set_shape(absl::StrCat("count=", collective.count,
                              " type=", NcclTypeText(collective.data_type),
                              " ranks=", collective.rank_count));
  // Two groups of one size are two rows.
  if (collective.group != 0) {
    absl::StrAppend(out->mutable_shape(), " group=", GroupText(collective.group));
  }
  out->set_detail(collective.rank_count > 0 ? absl::StrCat(collective.rank_count, " ranks")
                                            : "ranks not known");
}

}  // namespace

void CallRows::DefinePlan(uint32_t id, std::string_view json) {
  if (plan_index_.contains(id)) return;
  if (plan_index_.size() >= max_plans_) {
    plans_refused_count_++;
    return;
  }
  model::CudnnPlan plan = model::ParseCudnnPlan(json);
  if (!plan.readable) {
    plan.shape = "plan not readable";
    plan.unknown_reason = "its description is not of the known form";
  }
  plan.shape = BoundedIdentity(std::move(plan.shape));
  plan.description = BoundedUtf8(plan.description, kMaxTextBytes);
  const auto next = static_cast<uint32_t>(plans_.size());
  if (plan_text_bytes_ >= max_plan_text_bytes_) {
    plan.shape = "a further plan";
    plan.description.clear();
    plan.operations = {};
    plan_index_.emplace(id, next);
    plans_.push_back(std::move(plan));
    return;
  }
  // Plans with the same text but other compute types differ (the engine's notes).
  const std::string identity = absl::StrCat(plan.shape, "|", plan.compute_type);
  const auto [found, added] = plan_by_shape_.try_emplace(identity, next);
  if (added) {
    plan_text_bytes_ +=
        2 * plan.shape.size() + plan.description.size() + plan.unknown_reason.size();
    plans_.push_back(std::move(plan));
  }
  plan_index_.emplace(id, found->second);
}

const model::CudnnPlan* CallRows::PlanOf(uint32_t id, uint32_t* canonical) const {
  const auto found = plan_index_.find(id);
  if (found == plan_index_.end()) return nullptr;
  *canonical = found->second + 1;
  return &plans_[found->second];
}

template <class Record>
uint32_t CallRows::Count(const Record& key_record, std::optional<model::FlopCount> flops,
                         uint64_t calls, uint64_t bytes) {
  const uint32_t index = rows_.FindOrAdd(Reinterpret<Key>(key_record));
  CountIn(index, flops, calls, bytes);
  return index;
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

CallRows::PartList CallRows::Describe(const PartedCall& call) {
  PartList list;
  list.flops = 0;
  std::string previous;
  size_t repeats = 0;
  const auto flush = [&] {
    if (repeats == 0) return;
    absl::StrAppend(&list.shape, list.shape.empty() ? "" : " + ");
    if (repeats > 1) absl::StrAppend(&list.shape, repeats, "x ");
    absl::StrAppend(&list.shape, "[", previous, "]");
  };
  for (size_t i = 0; i < call.parts.size(); i++) {
    const auto library = PartAs<shm::LibraryCall>(call.parts[i]);
    std::optional<model::FlopCount> flops;
    std::string shape;
    std::string type;
    bool has_products = true;
    if (library.header.type == static_cast<uint16_t>(shm::RecordType::kLibraryCall)) {
      const model::LibraryWork work = model::LibraryWorkOf(library);
      flops = work.flops;
      has_products = work.has_products;
      shape = model::LibraryShape(library);
      type = model::LibraryComputeType(library);
    } else {
      const auto gemm = PartAs<shm::GemmCall>(call.parts[i]);
      flops = model::GemmFlops(gemm);
      shape = model::GemmShape(gemm);
      type = model::GemmComputeType(gemm);
    }
    if (list.flops.has_value() && flops.has_value()) {
      *list.flops += *flops;  // at most 2^16 parts of 2^96
      if (*list.flops > model::kMaxCallFlops) list.flops.reset();
    } else {
      list.flops.reset();
    }
    list.has_products = list.has_products || has_products;
    list.compute_type = i == 0 || type == list.compute_type ? type : "";
    if (shape != previous) {
      flush();
      repeats = 0;
      previous = std::move(shape);
    }
    repeats++;
  }
  flush();
  if (!call.complete) {
    list.flops.reset();
    list.shape = absl::StrCat(
        "unknown: ",
        model::UnknownReasonText(static_cast<uint8_t>(shm::UnknownReason::kPartsLost)));
  }
  // Short: groups may have other sizes at each call, each then a row of its own.
  list.shape = BoundedIdentity(std::move(list.shape), 512);
  return list;
}

CallWork CallRows::AddParted(const PartedCall& call) {
  PartList list = Describe(call);
  const auto first = PartAs<shm::LibraryCall>(call.parts.front());
  static_assert(offsetof(shm::LibraryCall, scope) == offsetof(shm::GemmCall, scope));
  static_assert(offsetof(shm::LibraryCall, api) == offsetof(shm::GemmCall, api));
  shm::CudnnCall key = {};
  key.header = KeyHeader(first.header, shm::kFlagCaptured);
  key.header.type = kPartsKey;
  key.scope = first.scope;
  key.api = first.api;
  CallWork work;
  work.flops = list.flops.value_or(0);
  work.category = CategoryOf(list.flops, list.has_products);
  const std::optional<model::FlopCount> flops = list.flops;
  const std::string identity = absl::StrCat(list.shape, "|", list.compute_type);
  if (const auto found = part_list_index_.find(identity); found != part_list_index_.end()) {
    key.plan = found->second;
  } else if (part_lists_.size() < kMaxPartLists) {
    key.plan = static_cast<uint32_t>(part_lists_.size());
    part_list_index_.emplace(identity, key.plan);
    part_lists_.push_back(std::move(list));
  } else {
    key.plan = flops.has_value() ? kOtherKnownParts : kOtherUnknownParts;
  }
  work.row = Count(key, flops, 1, 0);
  return work;
}

CallWork CallRows::AddCudnn(const shm::CudnnCall& call) {
  shm::CudnnCall key = {};
  key.header = KeyHeader(call.header, shm::kFlagCaptured);
  key.scope = call.scope;
  key.api = call.api;
  key.plan = kUnknownPlan;
  const model::CudnnPlan* plan = PlanOf(call.plan, &key.plan);
  CallWork work;
  if (plan == nullptr || !plan->flops_known) {
    work.row = Count(key, std::nullopt, 1, 0);
    return work;
  }
  // A fused attention backward makes QK^T again: that part is recompute.
  const bool split = call.header.phase == static_cast<uint8_t>(shm::Phase::kBackward);
  work.recompute_flops = split ? plan->recompute_flops : 0;
  work.flops = plan->flops - work.recompute_flops;
  work.category = plan->has_products ? v1::TIME_CATEGORY_EXACT : v1::TIME_CATEGORY_NO_PRODUCTS;
  work.row = Count(key, work.flops, 1, 0);
  if (work.recompute_flops != 0) {
    key.header.phase = static_cast<uint8_t>(shm::Phase::kRecompute);
    Count(key, work.recompute_flops, 0, 0);
  }
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
  const bool split = call.header.phase == static_cast<uint8_t>(shm::Phase::kBackward);
  work.recompute_flops = split ? done.recompute_flops : 0;
  work.flops = *done.flops - work.recompute_flops;
  work.category = v1::TIME_CATEGORY_MODELLED;
  work.row = Count(key, work.flops, 1, 0);
  if (work.recompute_flops != 0) {
    key.header.phase = static_cast<uint8_t>(shm::Phase::kRecompute);
    Count(key, work.recompute_flops, 0, 0);
  }
  return work;
}

CallWork CallRows::AddModelled(const shm::RecordHeader& header, uint32_t scope,
                               const ModelledWork& work) {
  const bool known = work.flops.has_value();
  // Not what a capture or its description shows: there nothing runs.
  const bool ran = described_ == nullptr && (header.flags & shm::kFlagCaptured) == 0;
  failed_formula_count_ += work.failed && ran ? 1 : 0;
  described_failure_ = described_failure_ || work.failed;
  const std::string identity =
      absl::StrCat(work.api, "|", work.shape, "|", work.compute_type, "|", work.detail, "|", known);
  auto found = modelled_index_.find(identity);
  if (found == modelled_index_.end()) {
    ModelledWork kept = work;
    if (modelled_.size() >= kMaxModelled) kept.shape = "other shapes, more than are kept";
    // The last one, per name, takes all that are too many.
    const std::string key = modelled_.size() < kMaxModelled
                                ? identity
                                : absl::StrCat(work.api, "||", work.compute_type, "||", known);
    const auto [entry, added] =
        modelled_index_.try_emplace(key, static_cast<uint32_t>(modelled_.size()));
    if (added) modelled_.push_back(std::move(kept));
    found = entry;
  }
  shm::CudnnCall key = {};
  key.header = KeyHeader(header, shm::kFlagCaptured);
  key.header.type = static_cast<uint16_t>(shm::RecordType::kNamedWork);
  key.scope = scope;
  key.plan = found->second;
  key.reserved = known ? 1 : 0;
  CallWork result;
  result.category = known ? v1::TIME_CATEGORY_MODELLED : v1::TIME_CATEGORY_UNKNOWN;
  const bool split = known && header.phase == static_cast<uint8_t>(shm::Phase::kBackward);
  result.recompute_flops = split ? std::min(work.recompute_flops, *work.flops) : 0;
  result.flops = work.flops.value_or(0) - result.recompute_flops;
  result.row = Count(key, known ? std::optional(result.flops) : std::nullopt, 1, 0);
  if (result.recompute_flops != 0) {
    key.header.phase = static_cast<uint8_t>(shm::Phase::kRecompute);
    Count(key, result.recompute_flops, 0, 0);
  }
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
      return DescribeParts(common.plan, out);
    case shm::RecordType::kCudnnCall:
      return DescribeCudnn(common.plan, out);
    case shm::RecordType::kNamedWork:
      return DescribeModelled(common.plan, out);
    case shm::RecordType::kOperation:
      return DescribeOperation(Reinterpret<shm::OperationCall>(key), out);
    default:
      return DescribeCollective(Reinterpret<shm::CollectiveCall>(key), out);
  }
}

void CallRows::DescribeParts(uint32_t list, v1::CallRow* out) const {
  out->set_kind(v1::CALL_KIND_LIBRARY);
  if (list >= part_lists_.size()) {
    out->set_shape("other shapes, more than are kept");
    return;
  }
  out->set_shape(part_lists_[list].shape);
  out->set_compute_type(part_lists_[list].compute_type);
}

void CallRows::DescribeCudnn(uint32_t plan, v1::CallRow* out) const {
  out->set_kind(v1::CALL_KIND_CUDNN);
  if (plan == kUnknownPlan) {
    out->set_shape("plan not known");
    return;
  }
  const model::CudnnPlan& known = plans_[plan - 1];
  out->set_shape(known.shape);
  out->set_compute_type(known.compute_type);
  out->set_detail(DetailOf(known));
}

void CallRows::DescribeModelled(uint32_t work, v1::CallRow* out) const {
  const ModelledWork& known = modelled_[work];
  out->set_kind(v1::CALL_KIND_MODELLED);
  out->set_api(known.api);
  out->set_shape(known.shape);
  out->set_compute_type(known.compute_type);
  out->set_detail(known.detail);
}

std::string CallRows::FunctionOf(uint32_t row) const {
  const auto key = Reinterpret<shm::CudnnCall>(rows_.key(row));
  switch (static_cast<shm::RecordType>(key.header.type)) {
    case shm::RecordType::kNamedWork:
      return modelled_[key.plan].api;
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

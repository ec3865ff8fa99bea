// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/rows/activity_rows.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

namespace flopsprof::agent {
namespace {

using shm::ActivityKind;

// Fields packed into 64 bits, each with its full range.
uint64_t TimeKey(const WorkContext& context, v1::TimeCategory category) {
  return uint64_t{context.scope} << 32 | uint64_t{static_cast<uint8_t>(context.phase)} << 16 |
         static_cast<uint64_t>(category) << 8 | (InStep(context.step) ? 1 : 0);
}

KernelKey KernelKeyOf(const JoinedActivity& activity, v1::TimeCategory category) {
  const bool copy = activity.record.kind == static_cast<uint8_t>(ActivityKind::kMemcpy);
  return {IsKernel(activity) ? activity.record.name : 0, static_cast<uint8_t>(category),
          static_cast<uint8_t>(activity.context.phase), activity.record.kind,
          copy ? CopyKey(activity.record.copy_kind) : uint8_t{0}};
}

// Of what no call owns: copies and sets have no work; a kernel's `own` is by its name.
v1::TimeCategory CategoryOf(const JoinedActivity& activity, v1::TimeCategory own) {
  if (activity.in_call) return activity.call.category;
  const auto kind = static_cast<ActivityKind>(activity.record.kind);
  const bool copies = kind == ActivityKind::kMemcpy || kind == ActivityKind::kMemset;
  return copies ? v1::TIME_CATEGORY_COPY : own;
}

}  // namespace

bool ActivityRows::KnownByName(const JoinedActivity& activity) const {
  return names_ != nullptr && IsKernel(activity) && !activity.in_call && !activity.share &&
         names_->Find(activity.record.name) != nullptr;
}

// Finer than the rows: what differs here may be added to one of them.
[[gnu::always_inline]] inline ActivityRows::Key ActivityRows::KeyOf(
    const JoinedActivity& activity) {
  const shm::ActivityRecord& record = activity.record;
  const BookedCall& call = activity.call;  // outside of calls the same in all
  const uint32_t loop = activity.context.step >> shm::kStepLoopShift;
  return {uint64_t{record.name} << 32 | uint64_t{record.kind} << 24 |
              uint64_t{record.copy_kind} << 16 | static_cast<uint64_t>(call.category),
          uint64_t{activity.context.scope} << 32 | call.row,
          uint64_t{loop} << 32 | uint64_t{static_cast<uint8_t>(activity.context.phase)} << 16 |
              (activity.share ? 2 : 0) | (activity.in_call ? 1 : 0)};
}

ActivityRows::Alike ActivityRows::Define(const JoinedActivity& activity) {
  Alike alike;
  const bool by_name = KnownByName(activity);
  v1::TimeCategory own = v1::TIME_CATEGORY_UNKNOWN;
  if (by_name) {
    own = kernel_categories_.Of(activity.record.name, *names_->Find(activity.record.name));
  }
  alike.nameless = !by_name && !activity.in_call && IsKernel(activity);
  alike.kind.category = CategoryOf(activity, own);
  KernelKey kernel = KernelKeyOf(activity, alike.kind.category);
  if (activity.share) kernel.kind = static_cast<uint8_t>(ActivityKind::kGraph);
  alike.kind.packed_kernel = kernel.Pack();
  alike.context = activity.context;
  alike.in_call = activity.in_call;
  alike.share = activity.share;
  alike.call_row = activity.in_call ? activity.call.row : kNoRow;
  alike.defined = true;
  return alike;
}

const ActivityRows::Kind& ActivityRows::Add(const JoinedActivity& activity) {
  const Key key = KeyOf(activity);
  Alike* alike = alike_.ChangeOrAdd(key);
  if (alike == nullptr) {
    Settle();
    alike_.Clear();
    alike = alike_.ChangeOrAdd(key);
  }
  // A name may come after kernels that were booked without it.
  if (!alike->defined || (alike->nameless && KnownByName(activity))) {
    if (alike->count != 0) AddToRows(alike);
    *alike = Define(activity);
  }
  const uint32_t step = activity.context.step & shm::kStepKeyMask;
  alike->steps.first = alike->count == 0 ? step : std::min(alike->steps.first, step);
  alike->steps.last = alike->count == 0 ? step : std::max(alike->steps.last, step);
  alike->count++;
  alike->gpu_time_ns += activity.duration_ns;
  if (activity.valid_times) {
    const uint64_t ns = activity.duration_ns;
    alike->min_ns = alike->timed == 0 ? ns : std::min(alike->min_ns, ns);
    alike->max_ns = std::max(alike->max_ns, ns);
    alike->timed++;
  }
  return alike->kind;
}

void ActivityRows::Settle() {
  alike_.EmitChanged(alike_.size(), [this](const Key&, Alike& alike) {
    AddToRows(&alike);
    return true;
  });
}

void ActivityRows::AddToRows(Alike* alike) {
  const auto [category, packed_kernel] = alike->kind;
  const uint64_t count = alike->count;
  // One without a time would make the rate of its call too high: it stays missing there.
  if (alike->call_row != kNoRow && alike->timed != 0) {
    calls_.AddKernels(alike->call_row, alike->timed, alike->gpu_time_ns);
  }
  if (alike->time_row == kNoRow) {
    alike->time_row = times_.FindOrAdd(TimeKey(alike->context, category), count);
  }
  if (alike->time_row != kNoRow) {
    TimeRow& time = times_.Change(alike->time_row);
    time.activities += count;
    (alike->share ? time.unrecorded : recorded_count_) += count;
    time.gpu_time_ns += alike->gpu_time_ns;
  }
  if (alike->kernel_row == kNoRow) alike->kernel_row = kernels_.FindOrAdd(packed_kernel, count);
  if (alike->kernel_row != kNoRow) AddToKernel(*alike, &kernels_.Change(alike->kernel_row));
  if (alike->scope_row == kNoRow) {
    alike->scope_row =
        scope_kernels_.FindOrAdd({alike->context, alike->call_row, packed_kernel, category}, count);
  }
  if (alike->scope_row != kNoRow) {
    scope_kernels_.Add(alike->scope_row, count, alike->gpu_time_ns, alike->steps);
  }
  alike->count = alike->timed = alike->gpu_time_ns = alike->min_ns = alike->max_ns = 0;
}

void ActivityRows::AddToKernel(const Alike& alike, KernelRow* row) {
  row->count += alike.count;
  row->in_call += alike.in_call ? alike.count : 0;
  row->gpu_time_ns += alike.gpu_time_ns;
  if (alike.timed == 0) return;
  row->min_ns = row->timed ? std::min(row->min_ns, alike.min_ns) : alike.min_ns;
  row->max_ns = std::max(row->max_ns, alike.max_ns);
  row->timed = true;
}

size_t ActivityRows::Emit(const NameTable& names, size_t max, bool final,
                          v1::ProcessProfile* profile) {
  size_t emitted = EmitTimes(max, profile);
  emitted += EmitKernels(names, max - emitted, final, profile);
  emitted += EmitScopeKernels(names, max - emitted, final, profile);
  return emitted;
}

size_t ActivityRows::EmitTimes(size_t max, v1::ProcessProfile* profile) {
  return times_.EmitChanged(max, [&](uint64_t key, TimeRow& kept) {
    const TimeRow row = std::exchange(kept, TimeRow());
    v1::TimeRow* out = profile->add_times();
    out->set_scope(static_cast<uint32_t>(key >> 32));
    out->set_phase(static_cast<v1::Phase>(key >> 16 & 0xff));
    out->set_category(static_cast<v1::TimeCategory>(key >> 8 & 0xff));
    out->set_in_step((key & 1) != 0);
    out->set_activities(row.activities);
    out->set_unrecorded_activities(row.unrecorded);
    out->set_gpu_time_ns(row.gpu_time_ns);
    return true;
  });
}

size_t ActivityRows::EmitKernels(const NameTable& names, size_t max, bool final,
                                 v1::ProcessProfile* profile) {
  return kernels_.EmitChanged(max, [&](uint64_t packed, KernelRow& kept) {
    const KernelKey key = KernelKey::Unpack(packed);
    if (key.is_kernel() && key.name != KernelKey::kLostName) {
      const bool known = names.Find(key.name) != nullptr;
      if (!known && !final) return false;
      if (!known) names_lost_count_++;
      // The receiver keys rows by their text: rows of one text become one row.
      const uint32_t canonical = known ? names.Canonical(key.name) : KernelKey::kLostName;
      if (canonical != key.name) {
        MoveKernelRow(&kept, KernelKey{canonical, key.category, key.phase, key.kind, 0}.Pack());
        return true;
      }
    }
    const KernelRow row = std::exchange(kept, KernelRow());
    v1::KernelRow* out = profile->add_kernels();
    out->set_name(KernelName(names, key));
    out->set_category(static_cast<v1::TimeCategory>(key.category));
    out->set_phase(static_cast<v1::Phase>(key.phase));
    out->set_kind(KindText(key.kind));
    out->set_count(row.count);
    out->set_gpu_time_ns(row.gpu_time_ns);
    out->set_min_ns(row.timed ? row.min_ns : 0);
    out->set_max_ns(row.max_ns);
    if (key.category == v1::TIME_CATEGORY_UNKNOWN && row.in_call > 0) {
      v1::KernelOwner* owner = profile->add_kernel_owners();
      owner->set_name(out->name());
      owner->set_category(out->category());
      owner->set_phase(out->phase());
      owner->set_in_call(row.in_call);
    }
    return true;
  });
}

void ActivityRows::MoveKernelRow(KernelRow* from, uint64_t to_key) {
  const uint32_t index = kernels_.FindOrAdd(to_key);
  if (index == kNoRow) return;
  KernelRow& to = kernels_.Change(index);
  to.count += from->count;
  to.in_call += from->in_call;
  to.gpu_time_ns += from->gpu_time_ns;
  to.min_ns = to.timed && from->timed ? std::min(to.min_ns, from->min_ns)
                                      : (to.timed ? to.min_ns : from->min_ns);
  to.max_ns = std::max(to.max_ns, from->max_ns);
  to.timed = to.timed || from->timed;
  *from = KernelRow();
}

size_t ActivityRows::EmitScopeKernels(const NameTable& names, size_t max, bool final,
                                      v1::ProcessProfile* profile) {
  const auto describe = [&](uint64_t* packed, std::string* name, v1::ScopeKernelRow* row) {
    KernelKey key = KernelKey::Unpack(*packed);
    if (key.is_kernel()) {
      const bool known = names.Find(key.name) != nullptr;
      if (!known && !final) return false;
      key.name = known ? names.Canonical(key.name) : KernelKey::kLostName;
      *packed = key.Pack();
    }
    *name = KernelName(names, key);
    row->set_kind(KindText(key.kind));
    return true;
  };
  return scope_kernels_.Emit(max, describe, profile);
}

}  // namespace flopsprof::agent

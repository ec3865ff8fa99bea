// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/rows/aggregator.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/hash/hash.h"

namespace flopsprof::agent {
namespace {

constexpr size_t kMaxCollectiveTimes = 1 << 16;  // not yet taken

bool Captured(const shm::RecordHeader& header) { return (header.flags & shm::kFlagCaptured) != 0; }

}  // namespace

[[gnu::always_inline]] inline BookedCall Aggregator::Book(const shm::RecordHeader& header,
                                                          uint32_t scope, const CallWork& work) {
  BookedCall booked;
  booked.context = ContextOf(header, scope);
  booked.category = work.category;
  booked.row = work.row;
  if (describing_ != nullptr) {
    if (describing_->booked.category == v1::TIME_CATEGORY_UNSPECIFIED) {
      describing_->booked = booked;
    }
    describing_->flops[static_cast<size_t>(booked.context.phase)] += work.flops;
    describing_->flops[static_cast<size_t>(shm::Phase::kRecompute)] += work.recompute_flops;
    return booked;
  }
  if (Captured(header)) return booked;  // recorded, not executed
  if (work.category == v1::TIME_CATEGORY_UNKNOWN) steps_.MarkUnknown(header.step);
  flops_ += work.flops + work.recompute_flops;
  steps_.AddFlops(header.step, booked.context.phase, work.flops);
  if (work.recompute_flops != 0) {
    steps_.AddFlops(header.step, shm::Phase::kRecompute, work.recompute_flops);
  }
  return booked;
}

template <class Add>
[[gnu::always_inline]] inline BookedCall Aggregator::BookIfWanted(const shm::RecordHeader& header,
                                                                  uint32_t scope, Add add) {
  if (describing_ != nullptr) return Book(header, scope, add());
  switch (Ask(header.step)) {
    case WindowFilter::Answer::kNo:
      return {ContextOf(header, scope)};
    case WindowFilter::Answer::kYes:
      return Book(header, scope, add());
    case WindowFilter::Answer::kOpen:
      break;
  }
  // Its row is made now, since its kernels ask for it; what it adds waits.
  auto work = std::make_shared<ReplayWork>();
  BeginDescription(work.get());
  Book(header, scope, add());
  EndDescription();
  WhenWanted(header.step, [this, header, work, held = pending_calls_.Hold()](bool) {
    BookDescribed(header, *work);
  });
  return work->booked;
}

void Aggregator::BookDescribed(const shm::RecordHeader& header, const ReplayWork& work) {
  for (const RowChange& row : work.rows) calls_.Apply(row, 1);
  if (Captured(header)) return;  // recorded, not executed
  if (work.formula_failed) calls_.CountFailedFormula();
  if (work.booked.category == v1::TIME_CATEGORY_UNKNOWN) steps_.MarkUnknown(header.step);
  AddReplayFlops(header.step, work.flops);
}

void Aggregator::BeginDescription(ReplayWork* work) {
  work->booked.category = v1::TIME_CATEGORY_UNSPECIFIED;
  describing_ = work;
  calls_.DescribeTo(&work->rows);
}

void Aggregator::EndDescription() {
  describing_->formula_failed = calls_.described_failure();
  describing_ = nullptr;
  calls_.DescribeTo(nullptr);
}

void Aggregator::AddReplays(const std::vector<RowChange>& rows, uint64_t times) {
  for (const RowChange& row : rows) {
    calls_.Apply(row, times);
    calls_.MarkUnrecorded(row.row, row.calls * times);
  }
}

void Aggregator::AddReplayFlops(uint32_t step,
                                const std::array<model::FlopCount, shm::kPhaseCount>& flops) {
  for (size_t phase = 0; phase < flops.size(); phase++) {
    flops_ += flops[phase];
    steps_.AddFlops(step, static_cast<shm::Phase>(phase), flops[phase]);
  }
}

BookedCall Aggregator::BookGemm(const shm::GemmCall& call) {
  return BookIfWanted(call.header, call.scope, [&] { return calls_.AddGemm(call); });
}

BookedCall Aggregator::BookLibrary(const shm::LibraryCall& call) {
  return BookIfWanted(call.header, call.scope, [&] { return calls_.AddLibrary(call); });
}

BookedCall Aggregator::BookParted(const PartedCall& call) {
  const auto first = PartAs<shm::LibraryCall>(call.parts.front());
  return BookIfWanted(first.header, first.scope, [&] { return calls_.AddParted(call); });
}

BookedCall Aggregator::BookCudnn(const shm::CudnnCall& call) {
  return BookIfWanted(call.header, call.scope, [&] { return calls_.AddCudnn(call); });
}

BookedCall Aggregator::BookCollective(const shm::CollectiveCall& call) {
  if (describing_ == nullptr && Unwanted(call.header.step)) {
    return {ContextOf(call.header, call.scope)};
  }
  BookedCall booked =
      BookIfWanted(call.header, call.scope, [&] { return calls_.AddCollective(call); });
  if (call.group == 0 || call.sequence == 0 || Captured(call.header)) return booked;
  const bool send = call.kind == static_cast<uint8_t>(shm::CollectiveKind::kSend);
  const bool receive = call.kind == static_cast<uint8_t>(shm::CollectiveKind::kRecv);
  // A send and its receive: the channel from the one to the other.
  const int32_t from = send ? call.rank : receive ? call.peer : -1;
  const int32_t to = send ? call.peer : receive ? call.rank : -1;
  const bool to_itself = from != -1 && from == to;  // in a group: its one kernel is both ends
  booked.match = absl::HashOf(call.group, call.sequence, from, to, to_itself && send);
  booked.end_count = send || receive ? 2 : static_cast<uint32_t>(std::max(call.rank_count, 0));
  if (to_itself) booked.end_count = 1;
  booked.rank = call.rank;
  return booked;
}

BookedCall Aggregator::BookOperation(const shm::OperationCall& call) {
  return BookIfWanted(call.header, call.scope, [&] { return calls_.AddOperation(call); });
}

void Aggregator::OnScopeEnter(const shm::ScopeEnter& record) {
  WhenWanted(record.header.step, [this, record](bool) {
    uint64_t* calls = scope_calls_.ChangeOrAdd(uint64_t{record.scope} << 8 | record.header.phase);
    if (calls != nullptr) ++*calls;
    ranges_.AddEntry(record);
  });
}

void Aggregator::OnMark(const shm::MarkRecord& record) {
  WhenWanted(record.header.step, [this, record](bool) { ranges_.AddMark(record); });
}

void Aggregator::OnStep(const shm::StepRecord& record) {
  if (filter_.has_value()) filter_->BeforeLabel(record);
  steps_.OnLabel(record);
  if (filter_.has_value()) filter_->AfterLabel(record);
  AddStep(record);
}

void Aggregator::AddStep(const shm::StepRecord& record) {
  const uint32_t step = record.header.step;
  const auto event = static_cast<shm::StepEvent>(record.event);
  switch (Ask(step)) {
    case WindowFilter::Answer::kYes:
      return steps_.OnStep(record);
    case WindowFilter::Answer::kOpen:
      if (event == shm::StepEvent::kNumber) return;
      return filter_->Hold(step, [this, record] { AddStep(record); });
    case WindowFilter::Answer::kNo:
      const bool ends_window =
          event == shm::StepEvent::kBegin && steps_.NumberOf(step) == filter_->window().end;
      if (ends_window) steps_.EndBefore(step, record.mono_ns);
  }
}

BookedCall Aggregator::BookNamed(const shm::NamedWork& work) {
  static const std::string kLost = "(name lost)";
  const auto text = [this](uint32_t id) {
    const std::string* found = names_ == nullptr ? nullptr : names_->Find(id);
    return found != nullptr ? *found : kLost;
  };
  const ModelledWork modelled =
      NamedWorkOf(formulas_, work, text(work.name), text(work.shape), text(work.reason));
  return BookIfWanted(work.header, work.scope,
                      [&] { return calls_.AddModelled(work.header, work.scope, modelled); });
}

// Kernels are booked once it is known that their step is wanted.
BookedCall Aggregator::BookFormula(const shm::RecordHeader& header, uint32_t scope,
                                   const ModelledWork& work) {
  const CallWork added = calls_.AddModelled(header, scope, work);
  calls_.MarkUnrecorded(added.row, 1);
  return Book(header, scope, added);
}

bool Aggregator::BookKernel(JoinedActivity* activity) {
  const std::string* name = names_->Find(activity->record.name);
  if (name == nullptr || name->empty()) return false;
  const std::optional<ModelledWork> work =
      kernel_formulas_.WorkOf(activity->record.name, *name, activity->record.bytes);
  if (!work.has_value()) return false;
  const WorkContext& context = activity->context;
  const shm::RecordHeader header = {0, static_cast<uint8_t>(context.phase), 0, context.step};
  activity->in_call = true;
  activity->call = BookFormula(header, context.scope, *work);
  if (activity->valid_times && activity->call.row != kNoRow) {
    calls_.AddCallTime(activity->call.row, activity->duration_ns);
  }
  return true;
}

void Aggregator::AddCommunication(const JoinedActivity& activity) {
  if (activity.share) shared_communication_count_++;
  if (!activity.valid_times || collective_times_.size() >= kMaxCollectiveTimes) return;
  const BookedCall& call = activity.call;
  if (call.nccl_group != 0) {
    collective_groups_.AppendTimes(call.nccl_group, activity.record.start_gpu_ns,
                                   activity.record.end_gpu_ns, &collective_times_);
  }
  if (call.match != 0) {
    collective_times_.push_back({call.match, call.end_count, call.rank, call.row,
                                 activity.record.start_gpu_ns, activity.record.end_gpu_ns});
  }
}

[[gnu::always_inline]] inline void Aggregator::AddToDevice(const JoinedActivity& activity,
                                                           bool communication) {
  const uint32_t ordinal = activity.record.device;
  if (ordinal >= kMaxDevices) {
    devices_refused_count_++;
    return;
  }
  if (ordinal >= devices_.size()) devices_.resize(ordinal + 1);
  Device& device = devices_[ordinal];
  device.changed = true;
  communications_.Add(activity, communication, device.busy.not_communication());
  const bool behind = !communication && device.busy.AddBehind(activity.record.start_gpu_ns,
                                                              activity.record.end_gpu_ns);
  if (!behind) {
    device.busy.Add(activity.record.start_gpu_ns, activity.record.end_gpu_ns, communication);
  }
  device.first_ns = std::min(device.first_ns, activity.record.start_gpu_ns);
  device.last_ns = std::max(device.last_ns, activity.record.end_gpu_ns);
}

void Aggregator::AddActivity(const JoinedActivity& activity) {
  activity_count_++;
  const auto [category, packed_kernel] = activities_.Add(activity);
  const bool communication = category == v1::TIME_CATEGORY_COMMUNICATION;
  if (!activity.valid_times && (activity.record.header.flags & shm::kFlagBadTimestamp) == 0) {
    bad_times_count_++;
  }
  if (communication) AddCommunication(activity);
  if (activity.stack != shm::kNoStack) stacks_.Add(activity, packed_kernel, category);
  steps_.AddActivity(activity, category);
  if (activity.valid_times) AddToDevice(activity, communication);
}

void Aggregator::BookJoined(const JoinedActivity& activity) {
  if (IsKernel(activity) && !activity.in_call && names_ != nullptr && kernel_formulas_.any()) {
    JoinedActivity own = activity;
    if (BookKernel(&own)) return AddActivity(own);
  }
  AddActivity(activity);
}

void Aggregator::BookWhenNamed(const JoinedActivity& activity) {
  const bool by_name = IsKernel(activity) && !activity.in_call && names_ != nullptr;
  if (!by_name || activity.share || names_->Find(activity.record.name) != nullptr) {
    return BookJoined(activity);
  }
  waiting_kernels_.push_back({activity});
  if (waiting_kernels_.size() <= kMaxWaitingKernels) return;
  BookJoined(waiting_kernels_.front().activity);
  waiting_kernels_.pop_front();
}

void Aggregator::OnJoined(const JoinedActivity& activity) {
  if (filter_.has_value()) return BookWhenWanted(activity);
  // What a call owns is asked no name.
  return activity.in_call ? AddActivity(activity) : BookWhenNamed(activity);
}

void Aggregator::BookWhenWanted(const JoinedActivity& activity) {
  const std::shared_ptr<void> held = activity.share ? nullptr : pending_activities_.Hold();
  WhenWanted(activity.context.step, [this, activity, held](bool) { BookWhenNamed(activity); });
}

void Aggregator::BookWaitingKernels(bool emptied, bool final) {
  for (size_t count = waiting_kernels_.size(); count > 0; count--) {
    WaitingKernel waiting = waiting_kernels_.front();
    waiting_kernels_.pop_front();
    if (emptied) waiting.passes++;
    const bool named = names_->Find(waiting.activity.record.name) != nullptr;
    if (named || final || waiting.passes >= 2) {
      BookJoined(waiting.activity);
    } else {
      waiting_kernels_.push_back(waiting);
    }
  }
}

void Aggregator::Finish() {
  if (filter_.has_value()) filter_->DecideAll();
  BookWaitingKernels(/*emptied=*/true, /*final=*/true);
  activities_.Settle();
}

size_t Aggregator::Emit(const NameTable& names, size_t max, bool final,
                        v1::ProcessProfile* profile) {
  activities_.Settle();
  size_t emitted = calls_.Emit(max, profile);
  emitted += activities_.Emit(names, max - emitted, final, profile);
  emitted += EmitScopeCalls(max - emitted, profile);
  emitted += ranges_.Emit(names, max - emitted, final, profile);
  emitted += communications_.Emit(calls_, max - emitted, profile);
  emitted += steps_.Emit(max - emitted, final, profile);
  emitted += EmitDevices(profile);
  return emitted;
}

size_t Aggregator::EmitStacks(const NameTable& names, size_t max, bool final, uint64_t now_ns,
                              v1::ProcessProfile* profile) {
  const auto describe = [&](uint64_t packed, v1::StackRow* row) {
    const KernelKey key = KernelKey::Unpack(packed);
    if (key.is_kernel() && !final && names.Find(key.name) == nullptr) return false;
    row->set_kernel(KernelName(names, key));
    row->set_kind(KindText(key.kind));
    return true;
  };
  return stacks_.Emit(names, max, final, now_ns, describe, profile);
}

size_t Aggregator::EmitScopeCalls(size_t max, v1::ProcessProfile* profile) {
  return scope_calls_.EmitChanged(max, [&](uint64_t key, uint64_t& calls) {
    v1::ScopeCallRow* out = profile->add_scope_calls();
    out->set_scope(static_cast<uint32_t>(key >> 8));
    out->set_phase(static_cast<v1::Phase>(key & 0xff));
    out->set_calls(std::exchange(calls, 0));
    return true;
  });
}

size_t Aggregator::EmitDevices(v1::ProcessProfile* profile) {
  size_t emitted = 0;
  for (size_t ordinal = 0; ordinal < devices_.size(); ordinal++) {
    Device& device = devices_[ordinal];
    if (!device.changed) continue;
    device.changed = false;
    v1::DeviceTime* out = profile->add_device_times();
    out->set_device(static_cast<uint32_t>(ordinal));
    const BusyTimes added = device.busy.TakeAdded();
    out->set_busy_ns(added.all_ns);
    out->set_not_communication_ns(added.not_communication_ns);
    out->set_first_gpu_ns(device.first_ns);
    out->set_last_gpu_ns(device.last_ns);
    emitted++;
  }
  return emitted;
}

uint64_t Aggregator::refused_count() const {
  return ranges_.refused_count() + stacks_.refused_count() + calls_.refused_count() +
         activities_.refused_count() + scope_calls_.refused_count() +
         communications_.refused_count() + devices_refused_count_;
}

uint64_t Aggregator::late_count() const {
  uint64_t count = steps_.late_count() + communications_.late_count();
  for (const Device& device : devices_) count += device.busy.late_count();
  return count;
}

}  // namespace flopsprof::agent

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/processes/process_recorder.h"

#include <algorithm>
#include <utility>

#include "collector/model/flops/operation_flops.h"
#include "proto/shm/loss_counters.h"

namespace flopsprof::agent {
namespace {

bool Captured(const shm::RecordHeader& header) { return (header.flags & shm::kFlagCaptured) != 0; }

}  // namespace

ProcessRecorder::ProcessRecorder(Segment segment, v1::ProcessKey key, v1::ProcessInfo info,
                                 std::optional<StepWindow> window,
                                 std::shared_ptr<const model::FormulaRegistry> formulas)
    : formulas_(std::move(formulas)),
      segment_(std::move(segment)),
      reader_(&segment_),
      aggregator_(window, formulas_.get(), &names_),
      key_(std::move(key)),
      info_(std::move(info)) {
  info_.set_state(v1::PROCESS_STATE_RUNNING);
}

bool ProcessRecorder::Drain(uint64_t now_ns) {
  now_ns_ = now_ns;
  const RingReader::PassResult pass = reader_.Pass(kRecordsPerSlot, &decoder_);
  BookWaitingCalls(/*final=*/false);
  BookNamedWork(/*final=*/false);
  graphs_.EndPass(/*emptied=*/!pass.more, /*final=*/false, &correlator_);
  correlator_.Retry(now_ns, /*final=*/false);
  aggregator_.BookWaitingKernels(/*emptied=*/!pass.more, /*final=*/false);
  return pass.more;
}

void ProcessRecorder::Finish(const ProcessEnd& end, uint64_t now_ns) {
  if (finished_) return;
  now_ns_ = now_ns;
  // Rings first hold what was written before the end; a child that still has the mapping may
  // write on, so at most every ring once over.
  const size_t passes = segment_.ring_records() / kRecordsPerSlot + 2;
  for (size_t i = 0; i < passes && reader_.Pass(kRecordsPerSlot, &decoder_).more; i++) {
  }
  for (const auto& [ring, call] : parts_.TakeAll()) BookParted(ring, call);
  BookWaitingCalls(/*final=*/true);
  BookNamedWork(/*final=*/true);
  graphs_.EndPass(/*emptied=*/true, /*final=*/true, &correlator_);
  correlator_.Retry(now_ns, /*final=*/true);
  latency_.Finish();
  aggregator_.Finish();
  // A process that lives on looks for another agent once our socket is closed, and goes on for it.
  if (end.heard_out) segment_.header().recording.store(0, std::memory_order_relaxed);
  // One that was offered a segment and never took it up has told nothing.
  const bool took_it = segment_.header().process_state.load(std::memory_order_relaxed) != 0;
  heard_out_ = end.heard_out && took_it;
  // An orderly end whose exit status nobody could tell us.
  const bool orderly = end.state == v1::PROCESS_STATE_LOST && said_goodbye_;
  info_.set_state(orderly ? v1::PROCESS_STATE_EXITED : end.state);
  info_.set_exit_code_known(end.exit_code.has_value());
  info_.set_exit_code(end.exit_code.value_or(0));
  info_.set_exit_signal(end.exit_signal);
  windows_.Seen(now_ns, /*final=*/true);
  finished_ = true;
}

void ProcessRecorder::Heartbeat(uint64_t now_ns) { windows_.Seen(now_ns, /*final=*/false); }

void ProcessRecorder::OnString(uint32_t id, std::string text) { names_.Define(id, text); }

void ProcessRecorder::OnCudnnPlan(uint32_t id, std::string json) {
  aggregator_.calls().DefinePlan(id, json);
  plan_news_ = true;
}

bool ProcessRecorder::OnStack(uint32_t id, const std::string& frames) {
  return aggregator_.stacks().Define(id, frames);
}

void ProcessRecorder::OnScope(const shm::ScopeRecord& record) { definitions_.AddScope(record); }
void ProcessRecorder::OnModule(const shm::ModuleRecord& record) { definitions_.AddModule(record); }
void ProcessRecorder::OnModuleSizes(const shm::ModuleSizes& record) {
  definitions_.AddModuleSizes(record);
}
void ProcessRecorder::OnModuleAlias(const shm::ModuleAlias& record) {
  definitions_.AddModuleAlias(record);
}
void ProcessRecorder::OnMark(const shm::MarkRecord& record) { aggregator_.OnMark(record); }
void ProcessRecorder::OnClock(const shm::ClockRecord& record) {
  if (record.gpu_ns == 0) return;
  latency_.AddClock(record);
  clock_offset_ns_ = static_cast<int64_t>(record.mono_ns - record.gpu_ns);
}
void ProcessRecorder::OnDevice(const shm::DeviceRecord& record) { definitions_.AddDevice(record); }
void ProcessRecorder::OnNote(const shm::NoteRecord& record) { definitions_.AddNote(record); }
void ProcessRecorder::OnStep(const shm::StepRecord& record) {
  aggregator_.OnStep(record);
  windows_.OnStep(record);
}
void ProcessRecorder::OnGoodbye(const shm::GoodbyeRecord& record) { said_goodbye_ = true; }

std::vector<CollectiveTime> ProcessRecorder::TakeCollectiveTimes() {
  if (!clock_offset_ns_.has_value()) return {};
  std::vector<CollectiveTime> times = aggregator_.TakeCollectiveTimes();
  for (CollectiveTime& time : times) {
    time.start_ns += static_cast<uint64_t>(*clock_offset_ns_);
    time.end_ns += static_cast<uint64_t>(*clock_offset_ns_);
  }
  return times;
}

void ProcessRecorder::AddWait(const CollectiveWait& wait) {
  if (wait.row == kNoRow) return;
  aggregator_.calls().AddWait(wait.row, wait.duration_ns, wait.wait_ns);
}

void ProcessRecorder::OnScopeEnter(const shm::ScopeEnter& record) {
  aggregator_.OnScopeEnter(record);
}

void ProcessRecorder::BookParted(RingId ring, const PartedCall& call) {
  if (call.complete) CountCall();
  if (Captured(PartAs<shm::LibraryCall>(call.parts.front()).header)) {
    graphs_.AddCallRecord(ring, call.call, call);
  }
  correlator_.EndCall(ring, call.call, aggregator_.BookParted(call));
}

void ProcessRecorder::EndInterrupted(RingId ring, uint32_t call) {
  if (auto interrupted = parts_.TakeInterrupted(ring, call, /*part=*/false)) {
    BookParted(ring, *interrupted);
  }
}

template <class Record>
bool ProcessRecorder::TakePart(RingId ring, const Record& record) {
  if (!parts_.IsPart(ring, record.header)) return false;
  if (auto interrupted = parts_.TakeInterrupted(ring, record.call, /*part=*/true)) {
    BookParted(ring, *interrupted);
    if (!parts_.IsPart(ring, record.header)) return false;
  }
  if (auto whole = parts_.Add(ring, record)) BookParted(ring, *whole);
  return true;
}

void ProcessRecorder::OnGemm(RingId ring, const shm::GemmCall& record) {
  if (parts_.MayBePart(record.header) && TakePart(ring, record)) return;
  CountCall();
  if (Captured(record.header)) graphs_.AddCallRecord(ring, record.call, record);
  correlator_.EndCall(ring, record.call, aggregator_.BookGemm(record));
}

void ProcessRecorder::OnLibraryCall(RingId ring, const shm::LibraryCall& record) {
  if (parts_.MayBePart(record.header) && TakePart(ring, record)) return;
  CountCall();
  if (Captured(record.header)) graphs_.AddCallRecord(ring, record.call, record);
  correlator_.EndCall(ring, record.call, aggregator_.BookLibrary(record));
}

void ProcessRecorder::OnCudnn(RingId ring, const shm::CudnnCall& record) {
  CountCall();
  EndInterrupted(ring, record.call);
  if (Captured(record.header)) graphs_.AddCallRecord(ring, record.call, record);
  const WaitingCall call = {ring, record, now_ns_};
  if (record.plan == 0 || aggregator_.calls().HasPlan(record.plan)) return BookCudnn(call);
  waiting_calls_.push_back(call);
  if (waiting_calls_.size() <= kMaxCallsWaiting) return;
  BookCudnn(waiting_calls_.front());  // as unknown
  waiting_calls_.pop_front();
}

void ProcessRecorder::BookCudnn(const WaitingCall& call) {
  correlator_.EndCall(call.ring, call.record.call, aggregator_.BookCudnn(call.record));
}

void ProcessRecorder::BookWaitingCalls(bool final) {
  const bool late =
      !waiting_calls_.empty() && now_ns_ > waiting_calls_.front().since_ns + Correlator::kMaxWaitNs;
  if (waiting_calls_.empty() || (!final && !plan_news_ && !late)) return;
  plan_news_ = false;
  const size_t count = waiting_calls_.size();
  for (size_t i = 0; i < count; i++) {
    const WaitingCall call = waiting_calls_.front();
    waiting_calls_.pop_front();
    const bool give_up = final || now_ns_ > call.since_ns + Correlator::kMaxWaitNs;
    if (give_up || aggregator_.calls().HasPlan(call.record.plan)) {
      BookCudnn(call);
    } else {
      waiting_calls_.push_back(call);
    }
  }
}

void ProcessRecorder::OnCollective(RingId ring, const shm::CollectiveCall& record) {
  CountCall();
  EndInterrupted(ring, record.call);
  if (Captured(record.header)) graphs_.AddCallRecord(ring, record.call, record);
  BookedCall booked = aggregator_.BookCollective(record);
  aggregator_.collective_groups().Add(ring, record, &booked);
  correlator_.EndCall(ring, record.call, booked);
}

void ProcessRecorder::OnOperation(RingId ring, const shm::OperationCall& record) {
  CountCall();
  if (Captured(record.header)) graphs_.AddCallRecord(ring, record.call, record);
  correlator_.EndCall(ring, record.call, aggregator_.BookOperation(record));
}

void ProcessRecorder::OnNamedWork(RingId ring, const shm::NamedWork& record) {
  if (record.call != shm::kNoCall) CountCall();
  if (Captured(record.header)) graphs_.AddCallRecord(ring, record.call, record);
  waiting_named_.push_back({ring, record, now_ns_});
  BookNamedWork(/*final=*/waiting_named_.size() > kMaxCallsWaiting);
}

void ProcessRecorder::BookNamedWork(bool final) {
  for (size_t count = waiting_named_.size(); count > 0; count--) {
    const WaitingNamed waiting = waiting_named_.front();
    waiting_named_.pop_front();
    const shm::NamedWork& work = waiting.record;
    const std::string* name = names_.Find(work.name);
    const std::string* shape = names_.Find(work.shape);
    const std::string* reason = names_.Find(work.reason);
    const bool complete = name != nullptr && shape != nullptr && reason != nullptr;
    if (!complete && !final && now_ns_ - waiting.since_ns <= Correlator::kMaxWaitNs) {
      waiting_named_.push_back(waiting);
      continue;
    }
    if (work.call == shm::kNoCall) {
      shm::OperationCall typed = {};
      typed.type = work.type;
      aggregator_.kernel_formulas().Declare(name != nullptr ? *name : "(name lost)", work.flops,
                                            model::OperationComputeType(typed));
      continue;
    }
    correlator_.EndCall(waiting.ring, work.call, aggregator_.BookNamed(work));
  }
}

void ProcessRecorder::OnCallEnd(RingId ring, const shm::CallEnd& record) {
  CountCall();
  EndInterrupted(ring, record.call);
  aggregator_.collective_groups().Forget(ring);
  correlator_.EndCall(ring, record.call, std::nullopt);
}

void ProcessRecorder::OnLaunch(RingId ring, const shm::LaunchRecord& record) {
  launches_read_++;
  if (record.mono_ns != 0) latency_.AddLaunch(record);
  correlator_.AddLaunch(ring, record);
}

void ProcessRecorder::OnGraphLaunch(const shm::GraphLaunch& record) {
  correlator_.AddGraphLaunch(record);
  graphs_.AddLaunch(record);
}

void ProcessRecorder::OnGraphEvent(const shm::GraphEvent& record) { graphs_.AddEvent(record); }

void ProcessRecorder::OnGraphCall(RingId ring, const shm::GraphCall& record) {
  graphs_.AddCall(ring, record);
}

void ProcessRecorder::OnGraphNode(RingId ring, const shm::GraphNode& record) {
  if (record.correlation != 0) {
    correlator_.MarkCaptured(record.correlation);
    latency_.Forget(record.correlation);
  }
  graphs_.AddNode(ring, record);
}

void ProcessRecorder::OnActivity(const shm::ActivityRecord& record) {
  activities_read_++;
  if (segment_.host_clock()) latency_.AddActivity(record);
  correlator_.AddActivity(record, now_ns_);
}

}  // namespace flopsprof::agent

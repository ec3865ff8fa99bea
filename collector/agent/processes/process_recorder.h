// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "collector/agent/calls/call_parts.h"
#include "collector/agent/graphs/graph_replays.h"
#include "collector/agent/join/correlator.h"
#include "collector/agent/join/launch_latency.h"
#include "collector/agent/rings/decoder.h"
#include "collector/agent/rings/ring_reader.h"
#include "collector/agent/rings/segment.h"
#include "collector/agent/rows/aggregator.h"
#include "collector/agent/rows/definitions.h"
#include "collector/agent/rows/window_rows.h"
#include "collector/agent/tables/name_table.h"
#include "flopsprof/v1/profile.pb.h"

namespace flopsprof::agent {

// How a process ended, as far as it is known.
struct ProcessEnd {
  v1::ProcessState state = v1::PROCESS_STATE_LOST;
  std::optional<int> exit_code;
  int exit_signal = 0;
  bool heard_out = false;  // by itself: nothing more is written. Else it may live on without us
};

// Everything that is known about one profiled process: reads its segment, decodes, joins and
// sums, and gives it out in parts. Owned and called by one thread.
class ProcessRecorder final : public RecordHandler {
 public:
  // `info` as the process introduced itself.
  ProcessRecorder(Segment segment, v1::ProcessKey key, v1::ProcessInfo info,
                  std::optional<StepWindow> window,
                  std::shared_ptr<const model::FormulaRegistry> formulas = nullptr);

  // One bounded pass over all rings. True: there is more to read.
  bool Drain(uint64_t now_ns);

  // The process has ended (or will not be heard any more): reads what is left, waits for nothing.
  void Finish(const ProcessEnd& end, uint64_t now_ns);
  bool finished() const { return finished_; }

  // Appends what was added since the last time, at most about `max_rows` rows. False: nothing has.
  // `more`, if given: whether rows stayed behind. A running process's counters change all the time:
  // they alone are no reason to ask again at once.
  bool Emit(size_t max_rows, v1::ProcessProfile* profile, bool* more = nullptr);

  // The file of the program, for the names of its functions.
  void SetExecutable(const std::string& path) {
    aggregator_.stacks().symbolizer().SetProcess(key_.pid(), path);
  }

  // Tells the process that somebody listens.
  void Heartbeat(uint64_t now_ns);

  // What `flopsprof ctl` wants of the process goes through here.
  shm::SegmentHeader& header() { return segment_.header(); }
  void EndWindow() { correlator_.EndWindow(); }
  void ExpectEndOfWindow() { correlator_.ExpectEndOfWindow(); }
  size_t open_launch_count() const { return correlator_.open_launch_count(); }
  void Mark(const std::string& name, uint64_t mono_ns, int64_t utc_ns, int64_t step) {
    windows_.Mark(name, mono_ns, utc_ns, step);
  }
  // What --max-overhead has done until now.
  void SetCost(const v1::CostRow& cost) {
    cost_ = cost;
    cost_changed_ = true;
  }
  // Sum of the losses that are known so far.
  uint64_t loss_count() const;

  // Which session of the process this is, and its facts. Of a later one activities may come of
  // launches that the agent before it was told of: they are left out.
  void SetSession(const v1::EpochRow& epoch);

  // Nearest process around this one that the agent knows; 0 = none.
  void SetAncestor(int32_t pid) { ancestor_pid_ = pid; }

  bool said_goodbye() const { return said_goodbye_; }
  const v1::ProcessKey& key() const { return key_; }
  const v1::ProcessInfo& info() const { return info_; }
  // Kernels of collectives since the last call, on the clock of the node. Empty until that clock
  // is known.
  std::vector<CollectiveTime> TakeCollectiveTimes();
  void AddWait(const CollectiveWait& wait);

  const Aggregator& aggregator() const { return aggregator_; }
  uint64_t record_count() const { return reader_.record_count(); }
  uint64_t dropped_count() { return reader_.dropped_count(); }

  void OnString(uint32_t id, std::string text) override;
  void OnCudnnPlan(uint32_t id, std::string json) override;
  bool OnStack(uint32_t id, const std::string& frames) override;
  void OnScope(const shm::ScopeRecord& record) override;
  void OnModule(const shm::ModuleRecord& record) override;
  void OnModuleSizes(const shm::ModuleSizes& record) override;
  void OnModuleAlias(const shm::ModuleAlias& record) override;
  void OnMark(const shm::MarkRecord& record) override;
  void OnScopeEnter(const shm::ScopeEnter& record) override;
  void OnGemm(RingId ring, const shm::GemmCall& record) override;
  void OnLibraryCall(RingId ring, const shm::LibraryCall& record) override;
  void OnCudnn(RingId ring, const shm::CudnnCall& record) override;
  void OnCollective(RingId ring, const shm::CollectiveCall& record) override;
  void OnOperation(RingId ring, const shm::OperationCall& record) override;
  void OnNamedWork(RingId ring, const shm::NamedWork& record) override;
  void OnCallEnd(RingId ring, const shm::CallEnd& record) override;
  void OnLaunch(RingId ring, const shm::LaunchRecord& record) override;
  void OnGraphLaunch(const shm::GraphLaunch& record) override;
  void OnGraphEvent(const shm::GraphEvent& record) override;
  void OnGraphCall(RingId ring, const shm::GraphCall& record) override;
  void OnGraphNode(RingId ring, const shm::GraphNode& record) override;
  void OnActivity(const shm::ActivityRecord& record) override;
  void OnStep(const shm::StepRecord& record) override;
  void OnDevice(const shm::DeviceRecord& record) override;
  void OnClock(const shm::ClockRecord& record) override;
  void OnNote(const shm::NoteRecord& record) override;
  void OnGoodbye(const shm::GoodbyeRecord& record) override;

 private:
  static constexpr size_t kRecordsPerSlot = 4096;
  static constexpr size_t kMaxCallsWaiting = 1 << 16;

  // A cuDNN call whose plan has not come: its blob may be in another thread's ring.
  struct WaitingCall {
    RingId ring;
    shm::CudnnCall record;
    uint64_t since_ns;
  };

  // Named work whose names have not come.
  struct WaitingNamed {
    RingId ring;
    shm::NamedWork record;
    uint64_t since_ns;
  };

  void BookCudnn(const WaitingCall& call);
  void BookWaitingCalls(bool final);
  void BookNamedWork(bool final);
  void BookParted(RingId ring, const PartedCall& call);
  void EndInterrupted(RingId ring, uint32_t call);
  // Takes a record that is a part of a call. False: it is a call of its own.
  template <class Record>
  bool TakePart(RingId ring, const Record& record);
  // Counters in the shared header only ever rise; one that falls is not believed.
  void ReadCounters();
  void SetLoss(const char* name, uint64_t count);
  // What we count ourselves, all of it until now.
  void SetAgentLoss(const char* name, uint64_t count);
  bool UpdateInfo();
  void EmitInfo(v1::ProcessProfile* profile);
  void EmitCost(v1::ProcessProfile* profile);
  void EmitLosses(v1::ProcessProfile* profile);
  // False: nothing is new.
  bool EmitLatency(v1::ProcessProfile* profile);
  // Devices in `profile`, as those of this session.
  void EmitEpochDevices(v1::ProcessProfile* profile) const;
  // `complete`: no rows stayed behind. False: nothing but the time is new.
  bool UpdateEpoch(bool complete);
  void ReadEpochCounters();
  void EmitEpoch(v1::ProcessProfile* profile);
  void CountCall() { calls_read_++; }

  const std::shared_ptr<const model::FormulaRegistry> formulas_;  // null: all are on
  Segment segment_;
  RingReader reader_;
  Decoder decoder_{this};
  NameTable names_;
  Definitions definitions_;
  Aggregator aggregator_;
  GraphReplays graphs_{&aggregator_};
  Correlator correlator_{&graphs_};
  LaunchLatency latency_;
  std::optional<v1::LaunchLatencyRow> sent_latency_;
  CallParts parts_;
  WindowRows windows_;
  std::deque<WaitingCall> waiting_calls_;
  std::deque<WaitingNamed> waiting_named_;
  const v1::ProcessKey key_;
  v1::ProcessInfo info_;
  std::string sent_info_;
  v1::ProcessInfo sent_counts_;  // of what is added up
  struct Loss {
    uint64_t of_process = 0;
    uint64_t of_agent = 0;
    uint64_t sent_of_process = 0;
    uint64_t sent_of_agent = 0;
  };
  absl::flat_hash_map<std::string, Loss> losses_;
  bool losses_changed_ = false;
  v1::CostRow cost_;
  v1::CostRow sent_cost_;
  bool cost_changed_ = false;
  v1::EpochRow epoch_;  // until now; of what is taken, without what rows have
  v1::EpochRow sent_epoch_;
  uint64_t calls_read_ = 0;
  uint64_t launches_read_ = 0;
  uint64_t activities_read_ = 0;
  bool plan_news_ = false;
  // CLOCK_MONOTONIC minus the clock of the activity records: the newest pair.
  std::optional<int64_t> clock_offset_ns_;
  int32_t ancestor_pid_ = 0;
  bool said_goodbye_ = false;
  bool finished_ = false;
  bool heard_out_ = false;
  uint64_t now_ns_ = 0;
};

}  // namespace flopsprof::agent

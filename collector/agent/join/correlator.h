// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "collector/agent/rings/ring_reader.h"
#include "collector/agent/tables/recent_table.h"
#include "collector/agent/tables/work.h"
#include "proto/shm/records.h"

namespace flopsprof::agent {

// Takes what the correlator has joined.
class JoinSink {
 public:
  virtual ~JoinSink() = default;
  virtual void OnJoined(const JoinedActivity& activity) = 0;
  // All kernels of one call have come, all with valid times; `gpu_time_ns` is their sum.
  virtual void OnCallTime(const BookedCall& call, uint64_t gpu_time_ns) = 0;
  // Work of a replay of a CUDA graph, in the context of the replay. `executable` as in
  // SettleGraphLaunch, 0 also when the replay was not seen.
  virtual void OnReplayed(const JoinedActivity& activity, uint32_t executable) = 0;
};

// Joins activity -> launch (by correlation id) -> library call (by ring and number) of one
// process. Records come in any order, since rings are read one after the other: an activity
// waits until its launch is there and the launch's call has ended. Everything is bounded, what
// falls out is counted. One thread; does not own the sink.
class Correlator {
 public:
  explicit Correlator(JoinSink* sink) : sink_(sink) {}

  void AddLaunch(RingId ring, const shm::LaunchRecord& record);
  // A replay: any number of activities follow. They wait until it is settled what it replays. Its
  // inner id means the same launch from now on.
  void AddGraphLaunch(const shm::GraphLaunch& record);
  void SettleGraphLaunch(uint32_t correlation, uint32_t executable);
  // This launch has made a node of a graph: nothing ran.
  void MarkCaptured(uint32_t correlation);
  void AddActivity(const shm::ActivityRecord& record, uint64_t now_ns);

  // The call has ended: its launches, all seen before in the same ring, are its work, or
  // (nullopt, the call failed) are not.
  void EndCall(RingId ring, uint32_t call, std::optional<BookedCall> booked);

  // Only a part of the process' work is recorded, and that part ends or begins here: activities
  // whose number no recorded launch comes near were launched outside of it and are left out.
  void EndWindow();
  // The window ends soon, and what is launched after it is left out as well.
  void ExpectEndOfWindow() { partly_ = true; }

  // Launches whose activity has not come.
  size_t open_launch_count() const;
  // Activities that are neither joined nor given up.
  size_t waiting_count() const { return waiting_.size(); }

  // Tries what waits again; gives up on what has waited for kMaxWaitNs, or, when `final`, on
  // everything. Call it after each pass over the rings.
  void Retry(uint64_t now_ns, bool final);

  struct Counters {
    uint64_t launches_without_activity = 0;
    uint64_t activities_without_launch = 0;
    uint64_t calls_without_end = 0;  // activities booked without their call
    uint64_t activities_outside_windows = 0;
    // Activities of a window without valid times: as it closes, CUPTI gives running ones no end.
    uint64_t marked_bad_times = 0;
    uint64_t replay_times_twice = 0;  // records of replays timed by node and as a whole
  };
  // Launches that still wait count as without activity only after Retry(final).
  const Counters& counters() const { return counters_; }

  static constexpr uint64_t kMaxWaitNs = 5'000'000'000;

 private:
  struct Call {
    bool ended = false;
    bool owns = false;
    bool times_valid = true;
    uint32_t launches = 0;
    uint32_t activities = 0;
    uint64_t gpu_time_ns = 0;
    BookedCall booked;

    bool done() const { return ended && activities >= launches; }
  };
  struct Launch {
    WorkContext context;
    uint64_t call = RecentTable<Call>::kNone;  // number in calls_
    uint32_t inner = 0;  // of a graph: the driver's correlation, in inner_ids_; 0 = the same
    uint32_t activities = 0;
    uint32_t executable = 0;
    uint32_t stack = shm::kNoStack;
    uint32_t stack_launches = 0;
    bool graph = false;
    bool settled = false;      // of a graph
    bool timed_whole = false;  // a replay: by a record of the whole that has times
    uint64_t nodes_ns = 0;     // what its nodes, copies and sets took that are booked
    uint32_t nodes = 0;        // how many they are
    bool captured = false;

    // A replay is never done: nobody says how many nodes it has.
    bool done() const { return captured || (activities > 0 && !graph); }
  };
  struct Waiting {
    shm::ActivityRecord record;
    uint64_t since_ns;
  };
  static constexpr size_t kMaxLaunches = 1 << 18;
  static constexpr size_t kMaxCalls = 1 << 17;
  static constexpr size_t kMaxWaiting = 1 << 16;
  static constexpr size_t kMaxUnseenReplays = 1 << 14;
  // So many of the newest are kept although they have all that they wait for, in case that more
  // comes. Few, so that the maps stay in the cache.
  static constexpr size_t kKeptDone = 4096;

  // Correlation ids of recorded launches, of one window. CUPTI gives rising ids to a process'
  // calls.
  struct Window {
    uint32_t first = UINT32_MAX;
    uint32_t last = 0;
  };
  // How many of the newest windows are known: late records may come from them. Fewer than the
  // starts of CUPTI after which its ids come round (injector/cupti/correlation_ids.h).
  static constexpr size_t kMaxWindows = 16;

  bool InWindow(uint32_t correlation) const;
  static uint64_t CallKey(RingId ring, uint32_t call);
  void WidenWindow(uint32_t correlation);
  // The id of the launch that an inner id belongs to. Other ids are returned as they are.
  uint32_t OuterId(uint32_t correlation) const;
  Launch* FindLaunch(uint32_t correlation);  // also by its inner id; null: it is not there
  Launch* FindOrAddLaunch(uint32_t correlation, const WorkContext& context);
  // What came under the inner id belongs to the launch.
  void TakeInner(uint32_t inner, uint32_t correlation, Launch* launch);
  void LeaveCall(Launch* launch);
  uint64_t FindOrAddCall(uint64_t key);  // its number in calls_
  void ForgetOldestLaunch();
  void ForgetInner(uint32_t inner, uint32_t correlation);
  void ForgetOldLaunches();
  void ForgetOldCalls();
  // How much time of a replay's record is to be booked; nullopt: the record is not booked at all.
  // A whole replay after its nodes has what they left; nodes after the whole have nothing.
  std::optional<uint64_t> UnbookedTime(Launch* replay, const shm::ActivityRecord& record);
  // False: not yet.
  bool TryJoin(const shm::ActivityRecord& record);
  void Join(const shm::ActivityRecord& record, Launch* launch, Call* call);
  void GiveUp(const shm::ActivityRecord& record);

  JoinSink* const sink_;
  RecentTable<Launch> launches_;                       // by correlation
  absl::flat_hash_map<uint32_t, uint32_t> inner_ids_;  // to the key in launches_
  RecentTable<Call> calls_;                            // by CallKey
  std::deque<Waiting> waiting_;
  Window window_;
  std::deque<Window> past_windows_;
  absl::flat_hash_map<uint32_t, Launch> unseen_replays_;  // by correlation: launch never seen
  bool partly_ = false;
  bool news_ = false;  // a launch or an end of a call since the last Retry
  Counters counters_;
};

}  // namespace flopsprof::agent

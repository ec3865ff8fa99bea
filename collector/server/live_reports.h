// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>
#include <absl/time/time.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "collector/base/mutex.h"
#include "collector/server/run_registry.h"
#include "collector/store/live_run.h"
#include "flopsprof/v1/query.pb.h"

namespace flopsprof::server {

// What a report of a run is made from, at one position of its log. Does not change.
struct LiveReport {
  store::RunFolder::Position at;
  uint64_t begun_mono_ns = 0;
  v1::ReportHead head;  // without `newest_record` and `size`
  std::string sums;     // model::ToBytes
  std::string json;     // summary.json
  struct Member {
    std::string name;
    size_t begin = 0;  // of its value in `json`
    size_t end = 0;
  };
  std::vector<Member> members;  // of the object that `json` is
  v1::ListRunsReply runs;       // of AskForRuns, which has nothing else
};

// The members of a JSON object that our own code has written.
std::vector<LiveReport::Member> MembersOf(const std::string& json);

// Makes reports of runs for all who ask. One report of a run is made at a time, and given to all
// that wait for it; it is kept until something new has come and somebody asks, at most `keep` after
// who has read one, or `keep_per_work` times what it took after whoever has asked. A report is
// begun only after a rest of `rest_per_work` times what the last one took: who asks more often gets
// the last one. So does, at once, who has less patience than the last one took; the next one is
// made meanwhile. Threads: one of its own from the first question on, and one for each report that
// is being made; it never waits for them in the caller's.
class LiveReports {
 public:
  struct Options {
    size_t most_makings = 2;
    size_t most_waiting = 256;
    size_t most_bytes = 256 << 20;                     // of a report, in both forms
    absl::Duration merge_patience = absl::Seconds(2);  // for what is acknowledged to be merged
    absl::Duration keep = absl::Seconds(60);           // after who has read one last
    int keep_per_work = 60;                            // longer than whoever makes texts rests
    absl::Duration tick = absl::Milliseconds(500);     // between two calls of on_waiting
    int rest_per_work = 4;
  };
  struct Answer {
    std::shared_ptr<const LiveReport> report;
    uint64_t newest_record = 0;
  };
  struct Question {
    std::string run_id;
    // For a report of now, where an older one is there.
    absl::Duration patience;
    bool is_for_texts = false;  // nobody has asked for it: what costs little is not kept
    // Both from a thread of this object. `on_done` is called once, and nothing after it.
    std::function<void(uint64_t done, uint64_t processes)> on_waiting;
    std::function<void(const absl::StatusOr<Answer>&)> on_done;
  };

  LiveReports(const Options& options, RunRegistry* runs) : options_(options), runs_(*runs) {}
  ~LiveReports() { Stop(); }

  // A number for Forget; 0: it was answered in this call, with why not.
  uint64_t Ask(Question question);
  // The list of runs.
  uint64_t AskForRuns(std::function<void(const absl::StatusOr<Answer>&)> on_done);
  // Who has asked has gone: neither is called any more, but for a call that has begun.
  void Forget(uint64_t number);
  // Answers all with Unavailable, and ends what is being made. Idempotent.
  void Stop();

  // How many wait for an answer.
  size_t waiting_count() {
    base::MutexLock lock(&mutex_);
    return waiting_count_;
  }

 private:
  struct Making {
    RunRegistry::KnownRun run;
    store::LiveProgress progress;
    uint64_t begun_mono_ns = 0;
    absl::StatusOr<std::shared_ptr<const LiveReport>> made = absl::UnknownError("not made");
    bool is_for_later = false;  // who wanted it has got an older one
    std::atomic<bool> done{false};
    std::thread thread;
  };
  struct Waiter {
    Question question;
    bool finished = false;  // nothing comes: a report of the whole is wanted
    store::RunFolder::Position wanted;
    uint64_t asked_mono_ns = 0;
  };
  struct Run {
    std::shared_ptr<const LiveReport> kept;
    std::unique_ptr<Making> making;
    bool wants_newer = false;            // an older one than was asked for was given
    std::map<uint64_t, Waiter> waiters;  // by number
    uint64_t not_before_ns = 0;          // another one is begun
    uint64_t asked_mono_ns = 0;          // by the last one
    uint64_t read_mono_ns = 0;           // the same without those for texts
  };
  using Calls = std::vector<std::function<void()>>;

  uint64_t Enqueue(const std::string& key, Waiter waiter);
  void Keep();
  absl::Duration Step(Calls* calls) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void TakeMade(Run* run, Calls* calls) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  static void AnswerWaiters(Run* run, Calls* calls);
  // When something is to be done about the run: now_ns at the earliest.
  uint64_t NextOf(const Run& run, uint64_t now_ns) const;
  // Until when what nobody asks for is kept.
  uint64_t KeepUntil(const Run& run) const;
  static bool IsNewEnough(const LiveReport& report, const Waiter& waiter);
  void BeginMaking(const std::string& key, Run* run, Calls* calls)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  static void AnswerAll(Run* run, const absl::Status& why, Calls* calls);
  static void TellWaiters(const Run& run, Calls* calls);
  void Make(Making* making);
  absl::StatusOr<std::shared_ptr<const LiveReport>> MakeReport(Making* making);
  std::shared_ptr<const LiveReport> MakeList();

  const Options options_;
  RunRegistry& runs_;
  base::Mutex mutex_;
  base::CondVar changed_;
  std::map<std::string, Run> all_ ABSL_GUARDED_BY(mutex_);  // by run id; "": the list of runs
  size_t making_count_ ABSL_GUARDED_BY(mutex_) = 0;
  size_t waiting_count_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t last_number_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t next_tick_ns_ ABSL_GUARDED_BY(mutex_) = 0;
  bool woken_ ABSL_GUARDED_BY(mutex_) = false;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread keeper_;  // last: it uses the others
};

}  // namespace flopsprof::server

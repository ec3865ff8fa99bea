// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/server/live_reports.h"

#include <absl/strings/str_cat.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "collector/base/clock.h"
#include "collector/base/thread.h"
#include "collector/model/summary_json.h"
#include "collector/store/run_database.h"
#include "collector/store/stored_sums.h"

namespace flopsprof::server {
namespace {

constexpr int kMostRunsListed = 1000;

uint64_t NowNs() { return base::Clock::Real().MonoNs(); }

uint64_t ToNs(absl::Duration time) {
  return static_cast<uint64_t>(std::max<int64_t>(absl::ToInt64Nanoseconds(time), 0));
}

absl::Status NoThread() {
  return absl::ResourceExhaustedError(
      "the collector's machine allows it no further thread: ask again later");
}

absl::StatusOr<store::LiveSums> SumsOfFolder(const std::string& path) {
  const absl::StatusOr<std::unique_ptr<store::RunDatabase>> database =
      store::RunDatabase::Open(path);
  if (!database.ok()) return database.status();
  std::optional<model::RunSums> kept = store::FindSums(database->get());
  if (!kept.has_value()) {
    return absl::UnavailableError(
        "the run has ended and its sums are not kept yet: ask again, or read its folder");
  }
  store::LiveSums sums;
  sums.sums = *std::move(kept);
  return sums;
}

void FillEntry(const RunRegistry::KnownRun& run, v1::RunEntry* entry) {
  entry->set_run_id(run.run_id);
  entry->set_folder(run.path);
  absl::StatusOr<store::Database> database =
      store::Database::Open(run.path + "/profile.db", SQLITE_OPEN_READONLY);
  if (!database.ok()) return;
  // What cannot be read is not known.
  const absl::StatusOr<int64_t> processes = database->QueryInt("SELECT count(*) FROM processes");
  if (processes.ok()) entry->set_processes(static_cast<uint32_t>(*processes));
  const absl::StatusOr<int64_t> ranks = database->QueryInt(
      "SELECT count(DISTINCT iif(rank >= 0, rank, -process_id)) FROM process_infos WHERE used_gpu");
  if (ranks.ok()) entry->set_ranks(static_cast<uint32_t>(*ranks));
  entry->set_newest_utc_ns(
      database->QueryInt("SELECT coalesce(max(newest_utc_ns), 0) FROM agents").value_or(0));
}

}  // namespace

std::vector<LiveReport::Member> MembersOf(const std::string& json) {
  std::vector<LiveReport::Member> members;
  int depth = 0;
  bool in_text = false;
  size_t text_begin = 0;
  std::string name;
  const auto end_member = [&](size_t end) {
    if (!members.empty() && members.back().end == 0) members.back().end = end;
  };
  for (size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_text) {
      if (c == '\\') {
        ++i;
      } else if (c == '"') {
        in_text = false;
        if (depth == 1) name = json.substr(text_begin, i - text_begin);
      }
    } else if (c == '"') {
      in_text = true;
      text_begin = i + 1;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      if (--depth == 0) end_member(i);
    } else if (c == ',' && depth == 1) {
      end_member(i);
    } else if (c == ':' && depth == 1) {
      members.push_back({name, i + 1, 0});
    }
  }
  return members;
}

uint64_t LiveReports::Ask(Question question) {
  const absl::StatusOr<RunRegistry::KnownRun> run = runs_.FindForReading(question.run_id);
  if (!run.ok()) {
    question.on_done(run.status());
    return 0;
  }
  Waiter waiter;
  waiter.question = std::move(question);
  waiter.finished = run->open == nullptr || run->open->is_finished();
  if (!waiter.finished) waiter.wanted = run->open->position();
  return Enqueue(run->run_id, std::move(waiter));
}

uint64_t LiveReports::AskForRuns(std::function<void(const absl::StatusOr<Answer>&)> on_done) {
  Waiter waiter;
  waiter.question.on_done = std::move(on_done);
  waiter.question.patience = absl::InfiniteDuration();
  waiter.wanted.record = UINT64_MAX;  // one that is begun from now on
  return Enqueue("", std::move(waiter));
}

uint64_t LiveReports::Enqueue(const std::string& key, Waiter waiter) {
  absl::Status refused;
  {
    base::MutexLock lock(&mutex_);
    if (stopping_) {
      refused = absl::UnavailableError("the collector is ending");
    } else if (waiting_count_ >= options_.most_waiting) {
      refused = absl::ResourceExhaustedError("too many ask this collector: ask again later");
    } else {
      if (!keeper_.joinable()) keeper_ = base::StartThread([this] { Keep(); });
      if (keeper_.joinable()) {
        ++waiting_count_;
        Run& run = all_[key];
        waiter.asked_mono_ns = run.asked_mono_ns = NowNs();
        if (!waiter.question.is_for_texts) run.read_mono_ns = run.asked_mono_ns;
        run.waiters.emplace(++last_number_, std::move(waiter));
        woken_ = true;
        changed_.SignalAll();
        return last_number_;
      }
      refused = NoThread();
    }
  }
  waiter.question.on_done(refused);
  return 0;
}

void LiveReports::Forget(uint64_t number) {
  base::MutexLock lock(&mutex_);
  for (auto& [key, run] : all_) {
    if (run.waiters.erase(number) == 0) continue;
    --waiting_count_;
    // Nobody wants it any more.
    if (run.waiters.empty() && run.making != nullptr && !run.making->is_for_later) {
      run.making->progress.cancelled = true;
    }
    return;
  }
}

void LiveReports::Stop() {
  {
    base::MutexLock lock(&mutex_);
    stopping_ = true;
    for (auto& [key, run] : all_) {
      if (run.making != nullptr) run.making->progress.cancelled = true;
    }
    changed_.SignalAll();
  }
  if (keeper_.joinable()) keeper_.join();
}

void LiveReports::Keep() {
  while (true) {
    Calls calls;
    bool over = false;
    {
      base::MutexLock lock(&mutex_);
      const absl::Duration pause = Step(&calls);
      over = stopping_ && making_count_ == 0;
      if (calls.empty() && !over && !woken_ && pause > absl::ZeroDuration()) {
        if (pause == absl::InfiniteDuration()) {
          changed_.Wait(&mutex_);
        } else {
          changed_.WaitWithTimeout(&mutex_, pause);
        }
      }
      woken_ = false;
    }
    // Outside of the lock: who is called may ask again, or forget.
    for (const std::function<void()>& call : calls) call();
    if (over) return;
  }
}

absl::Duration LiveReports::Step(Calls* calls) {
  const uint64_t now_ns = NowNs();
  const bool ticks = now_ns >= next_tick_ns_;
  uint64_t next_ns = UINT64_MAX;
  waiting_count_ = 0;
  for (auto found = all_.begin(); found != all_.end();) {
    auto& [key, run] = *found;
    if (run.making != nullptr && run.making->done) TakeMade(&run, calls);
    AnswerWaiters(&run, calls);
    if (stopping_) AnswerAll(&run, absl::UnavailableError("the collector is ending"), calls);
    const bool begins = (!run.waiters.empty() || run.wants_newer) && run.making == nullptr;
    if (begins && !stopping_ && now_ns >= run.not_before_ns &&
        making_count_ < options_.most_makings) {
      BeginMaking(key, &run, calls);
    }
    if (ticks) TellWaiters(run, calls);
    waiting_count_ += run.waiters.size();
    const bool idle = run.waiters.empty() && run.making == nullptr;
    if (idle && !run.wants_newer && now_ns >= KeepUntil(run)) {
      found = all_.erase(found);
      continue;
    }
    next_ns = std::min(next_ns, NextOf(run, now_ns));
    ++found;
  }
  if (ticks) next_tick_ns_ = now_ns + ToNs(options_.tick);
  if (waiting_count_ > 0) next_ns = std::min(next_ns, next_tick_ns_);
  if (next_ns == UINT64_MAX) return absl::InfiniteDuration();
  return absl::Nanoseconds(static_cast<int64_t>(next_ns - std::min(next_ns, now_ns)));
}

uint64_t LiveReports::NextOf(const Run& run, uint64_t now_ns) const {
  if (run.waiters.empty() && !run.wants_newer) {
    return run.making != nullptr ? UINT64_MAX : KeepUntil(run);
  }
  uint64_t next_ns = UINT64_MAX;
  // One that waits for its turn is begun when another one is done, which wakes the keeper.
  if (run.making == nullptr && run.not_before_ns > now_ns) next_ns = run.not_before_ns;
  if (run.kept == nullptr) return next_ns;
  for (const auto& [number, waiter] : run.waiters) {
    if (waiter.question.patience == absl::InfiniteDuration()) continue;
    next_ns = std::min(next_ns, waiter.asked_mono_ns + ToNs(waiter.question.patience));
  }
  return next_ns;
}

uint64_t LiveReports::KeepUntil(const Run& run) const {
  const auto factor = static_cast<uint64_t>(options_.keep_per_work);
  const uint64_t cost_ns = run.kept == nullptr ? 0 : run.kept->head.made_in_ns();
  return std::max(run.read_mono_ns + ToNs(options_.keep), run.asked_mono_ns + factor * cost_ns);
}

void LiveReports::TellWaiters(const Run& run, Calls* calls) {
  const store::LiveProgress* const progress =
      run.making == nullptr ? nullptr : &run.making->progress;
  const uint64_t done = progress == nullptr ? 0 : progress->done.load();
  const uint64_t of = progress == nullptr ? 0 : progress->processes.load();
  for (const auto& [number, waiter] : run.waiters) {
    if (waiter.question.on_waiting == nullptr) continue;
    calls->push_back([call = waiter.question.on_waiting, done, of] { call(done, of); });
  }
}

void LiveReports::TakeMade(Run* run, Calls* calls) {
  const std::unique_ptr<Making> making = std::move(run->making);
  making->thread.join();
  --making_count_;
  const uint64_t now_ns = NowNs();
  run->not_before_ns =
      now_ns + static_cast<uint64_t>(options_.rest_per_work) * (now_ns - making->begun_mono_ns);
  if (making->made.ok()) {
    run->kept = *making->made;
  } else if (absl::IsCancelled(making->made.status())) {
    run->not_before_ns = 0;  // who has come since wants another one
  } else {
    AnswerAll(run, making->made.status(), calls);
  }
}

void LiveReports::AnswerAll(Run* run, const absl::Status& why, Calls* calls) {
  for (auto& [number, waiter] : run->waiters) {
    calls->push_back([call = std::move(waiter.question.on_done), why] { call(why); });
  }
  run->waiters.clear();
}

bool LiveReports::IsNewEnough(const LiveReport& report, const Waiter& waiter) {
  // Of a list, or of a run that has ended meanwhile.
  if (report.begun_mono_ns >= waiter.asked_mono_ns) return true;
  const bool finished = report.head.state() == v1::RUN_STATE_FINISHED;
  if (finished || waiter.finished) return finished && waiter.finished;
  return report.at.record >= waiter.wanted.record && report.at.changes >= waiter.wanted.changes;
}

void LiveReports::AnswerWaiters(Run* run, Calls* calls) {
  const uint64_t now_ns = NowNs();
  for (auto found = run->waiters.begin(); run->kept != nullptr && found != run->waiters.end();) {
    Waiter& waiter = found->second;
    const absl::Duration patience = waiter.question.patience;
    const auto waited =
        absl::Nanoseconds(static_cast<int64_t>(now_ns - std::min(now_ns, waiter.asked_mono_ns)));
    const auto cost = absl::Nanoseconds(static_cast<int64_t>(run->kept->head.made_in_ns()));
    const bool is_new = IsNewEnough(*run->kept, waiter);
    // Of a run that has ended nothing older is of use.
    const bool waits = waiter.finished || (waited < patience && cost < patience);
    if (!is_new && waits) {
      ++found;
      continue;
    }
    if (!is_new && run->making == nullptr) run->wants_newer = true;
    if (!is_new && run->making != nullptr) run->making->is_for_later = true;
    Answer answer = {run->kept, std::max(waiter.wanted.record, run->kept->at.record)};
    calls->push_back(
        [call = std::move(waiter.question.on_done), answer = std::move(answer)] { call(answer); });
    found = run->waiters.erase(found);
  }
}

void LiveReports::BeginMaking(const std::string& key, Run* run, Calls* calls) {
  auto making = std::make_unique<Making>();
  making->begun_mono_ns = NowNs();
  if (!key.empty()) {
    absl::StatusOr<RunRegistry::KnownRun> known = runs_.FindForReading(key);
    if (!known.ok()) {
      run->wants_newer = false;
      return AnswerAll(run, known.status(), calls);
    }
    making->run = *std::move(known);
  }
  making->is_for_later = std::exchange(run->wants_newer, false);
  making->thread = base::StartThread([this, raw = making.get()] { Make(raw); });
  if (!making->thread.joinable()) return AnswerAll(run, NoThread(), calls);
  ++making_count_;
  run->making = std::move(making);
}

void LiveReports::Make(Making* making) {
  if (making->run.run_id.empty()) {
    making->made = MakeList();
  } else {
    making->made = MakeReport(making);
  }
  making->run.open.reset();  // the run may be closed
  base::MutexLock lock(&mutex_);
  making->done = true;
  woken_ = true;
  changed_.SignalAll();
}

absl::StatusOr<std::shared_ptr<const LiveReport>> LiveReports::MakeReport(Making* making) {
  const RunRegistry::KnownRun& run = making->run;
  absl::StatusOr<store::LiveSums> sums = absl::FailedPreconditionError("it is not open");
  if (run.open != nullptr) {
    sums = store::SumLiveRun(run.open.get(), options_.merge_patience, &making->progress);
  }
  const bool finished = absl::IsFailedPrecondition(sums.status());
  if (finished) sums = SumsOfFolder(run.path);
  if (!sums.ok()) return sums.status();
  if (access((run.path + "/log.txt").c_str(), F_OK) != 0) sums->sums.summary.files.erase("log");
  auto report = std::make_shared<LiveReport>();
  report->at = sums->at;
  report->begun_mono_ns = making->begun_mono_ns;
  report->json = model::ToJson(sums->sums.summary);
  report->sums = model::ToBytes(sums->sums);
  if (report->json.size() + report->sums.size() > options_.most_bytes) {
    return absl::ResourceExhaustedError(
        "the report is too large to be sent: read the run's folder");
  }
  report->members = MembersOf(report->json);
  v1::ReportHead& head = report->head;
  head.set_run_id(run.run_id);
  head.set_folder(run.path);
  head.set_state(finished ? v1::RUN_STATE_FINISHED : v1::RUN_STATE_RUNNING);
  head.set_record(sums->at.record);
  head.set_record_utc_ns(sums->newest_utc_ns);
  head.set_merge_stopped_ns(ToNs(sums->stopped));
  head.set_made_in_ns(NowNs() - making->begun_mono_ns);
  return std::shared_ptr<const LiveReport>(std::move(report));
}

std::shared_ptr<const LiveReport> LiveReports::MakeList() {
  auto list = std::make_shared<LiveReport>();
  list->begun_mono_ns = NowNs();
  struct Found {
    RunRegistry::KnownRun run;
    store::Manifest manifest;
  };
  std::vector<Found> all;
  for (RunRegistry::KnownRun& run : runs_.Known()) {
    absl::StatusOr<store::Manifest> manifest = store::ReadManifest(run.path);
    if (manifest.ok()) all.push_back({std::move(run), *std::move(manifest)});
  }
  list->runs.set_run_count(static_cast<uint32_t>(all.size()));
  std::stable_sort(all.begin(), all.end(), [](const Found& a, const Found& b) {
    return a.manifest.start_utc_ns > b.manifest.start_utc_ns;
  });
  if (all.size() > kMostRunsListed) all.resize(kMostRunsListed);
  for (Found& found : all) {
    v1::RunEntry& entry = *list->runs.add_runs();
    FillEntry(found.run, &entry);
    entry.set_job(found.manifest.job);
    entry.set_start_utc_ns(found.manifest.start_utc_ns);
    entry.set_state(found.manifest.finished ? v1::RUN_STATE_FINISHED : v1::RUN_STATE_RUNNING);
    found.run.open.reset();
  }
  return list;
}

}  // namespace flopsprof::server

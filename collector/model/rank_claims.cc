// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/rank_claims.h"

#include <algorithm>

namespace flopsprof::model {
namespace {

constexpr int64_t kClocksDifferNs = 2'000'000'000;
constexpr int kMaxAncestors = 64;

// Length of what a begin and an end were seen of.
class Span {
 public:
  void Add(uint64_t begin_ns, uint64_t end_ns) {
    if (begin_ns == 0 || end_ns < begin_ns) return;
    begin_ns_ = std::min(begin_ns_, begin_ns);
    end_ns_ = std::max(end_ns_, end_ns);
  }
  int64_t length_ns() const {
    return end_ns_ > begin_ns_ ? static_cast<int64_t>(end_ns_ - begin_ns_) : 0;
  }

 private:
  uint64_t begin_ns_ = UINT64_MAX;
  uint64_t end_ns_ = 0;
};

constexpr int64_t kLongestNs = int64_t{1} << 61;  // what a damaged profile may say

// From the first beginning to the last end; not known where one of them is not.
Life Together(const Life& a, const Life& b) {
  if (a.begin_ns == 0 || b.begin_ns == 0) return Life();
  Life both = {std::min(a.begin_ns, b.begin_ns), std::max(a.until_ns, b.until_ns)};
  if (a.boot != b.boot || a.boot == 0) return both;
  both.boot = a.boot;
  both.begin_mono_ns = std::min(a.begin_mono_ns, b.begin_mono_ns);
  both.until_mono_ns = std::max(a.until_mono_ns, b.until_mono_ns);
  return both;
}

int64_t Bounded(uint64_t ns) { return static_cast<int64_t>(std::min<uint64_t>(ns, kLongestNs)); }

Life LifeByUtc(const v1::ProcessProfile& process) {
  Life life;
  life.begin_ns = std::max<int64_t>(0, process.info().start_utc_ns());
  if (life.begin_ns == 0) return life;
  Span steps, gpu;
  for (const v1::StepRow& row : process.steps()) steps.Add(row.begin_mono_ns(), row.end_mono_ns());
  for (const v1::DeviceTime& time : process.device_times()) {
    gpu.Add(time.first_gpu_ns(), time.last_gpu_ns());
  }
  const int64_t seen_ns = std::max(steps.length_ns(), gpu.length_ns());
  life.until_ns = std::min(life.begin_ns, kLongestNs) + std::min(seen_ns, kLongestNs);
  for (const v1::ProcessLife& told : process.process_lives()) {
    life.until_ns = std::max(life.until_ns, told.until_utc_ns());
  }
  return life;
}

// What its epochs say of a life. UTC of its first session, whatever the clock was set to later.
void AddEpochs(const v1::ProcessProfile& process, Life* life) {
  const v1::EpochRow* first = nullptr;
  for (const v1::EpochRow& epoch : process.epochs()) {
    if (epoch.boot() == 0 || epoch.begin_mono_ns() == 0) continue;
    if (first != nullptr && epoch.boot() != first->boot()) {
      life->boot = 0;
      return;
    }
    const int64_t begin_ns = Bounded(epoch.begin_mono_ns());
    const int64_t until_ns = std::max(begin_ns, Bounded(epoch.until_mono_ns()));
    if (first == nullptr || epoch.session() < first->session()) first = &epoch;
    if (life->boot == 0) life->begin_mono_ns = begin_ns;
    life->boot = epoch.boot();
    life->begin_mono_ns = std::min(life->begin_mono_ns, begin_ns);
    life->until_mono_ns = std::max(life->until_mono_ns, until_ns);
  }
  if (first == nullptr || first->session() != 1 || first->begin_utc_ns() <= 0) return;
  life->begin_ns = std::min(first->begin_utc_ns(), kLongestNs);
  life->until_ns = life->begin_ns + (life->until_mono_ns - life->begin_mono_ns);
}

// Of two lives, by the clock that both have.
bool EndsLater(const Life& a, const Life& b) {
  const bool one_clock = a.boot != 0 && a.boot == b.boot;
  return one_clock ? a.until_mono_ns >= b.until_mono_ns : a.until_ns >= b.until_ns;
}

Life LifeOfAll(const std::vector<const v1::ProcessProfile*>& processes) {
  Life all = LifeOf(*processes.front());
  for (const v1::ProcessProfile* process : processes) all = Together(all, LifeOf(*process));
  return all;
}

}  // namespace

Life LifeOf(const v1::ProcessProfile& process) {
  Life life = LifeByUtc(process);
  AddEpochs(process, &life);
  return life;
}

bool LivedTogether(const Life& a, const Life& b) {
  const bool one_clock = a.boot != 0 && a.boot == b.boot;
  const int64_t a_begin_ns = one_clock ? a.begin_mono_ns : a.begin_ns;
  const int64_t b_begin_ns = one_clock ? b.begin_mono_ns : b.begin_ns;
  const int64_t a_until_ns = one_clock ? a.until_mono_ns : a.until_ns;
  const int64_t b_until_ns = one_clock ? b.until_mono_ns : b.until_ns;
  const int64_t shorter_ns = std::min(a_until_ns - a_begin_ns, b_until_ns - b_begin_ns);
  const int64_t together_ns = std::min(a_until_ns, b_until_ns) - std::max(a_begin_ns, b_begin_ns);
  return together_ns >= std::min(kClocksDifferNs, shorter_ns / 2);
}

RankClaims::RankClaims(const RunProfile& run) {
  for (const v1::ProcessProfile& process : run.processes) {
    by_pid_[{process.key().node(), process.key().pid()}].push_back(&process);
  }
}

const v1::ProcessProfile* RankClaims::FamilyOf(const v1::ProcessProfile* process) const {
  for (int i = 0; i < kMaxAncestors; ++i) {
    const int32_t above =
        process->process_lives_size() > 0 && process->process_lives(0).ancestor_pid() > 0
            ? process->process_lives(0).ancestor_pid()
            : process->info().parent_pid();
    const auto found = by_pid_.find({process->key().node(), above});
    if (above <= 0 || found == by_pid_.end()) return process;
    // A number may have been given to several processes in turn.
    Process parent = nullptr;
    for (Process one : found->second) {
      const bool before = one->key().start_ticks() <= process->key().start_ticks();
      const bool same_rank = one->info().rank() == process->info().rank();
      if (one == process || !before || !same_rank) continue;
      if (parent == nullptr || one->key().start_ticks() > parent->key().start_ticks()) parent = one;
    }
    if (parent == nullptr) return process;
    process = parent;
  }
  return process;
}

int RankClaims::ClaimOf(const v1::ProcessProfile& process) {
  std::vector<Claim>& claims = claims_[{process.info().rank(), process.info().restart()}];
  const Process family = FamilyOf(&process);
  const Life life = LifeOf(process);
  for (size_t i = 0; i < claims.size(); ++i) {
    Claim& claim = claims[i];
    if (claim.node != process.key().node()) continue;
    const bool known = claim.life.begin_ns != 0 && life.begin_ns != 0;
    if (known && claim.families.count(family) == 0 && LivedTogether(claim.life, life)) continue;
    claim.families.insert(family);
    claim.life = Together(claim.life, life);
    return static_cast<int>(i);
  }
  claims.push_back({process.key().node(), {family}, life});
  return static_cast<int>(claims.size()) - 1;
}

std::vector<RankConflict> FindConflicts(const std::vector<RankGroup>& ranks) {
  std::vector<RankConflict> conflicts;
  for (size_t begin = 0; begin < ranks.size();) {
    size_t end = begin;
    size_t longest = begin;
    Life known = LifeOfAll(ranks[begin].processes);
    while (++end < ranks.size() && ranks[end].program == ranks[begin].program &&
           ranks[end].rank == ranks[begin].rank) {
      const Life life = LifeOfAll(ranks[end].processes);
      const bool told = known.begin_ns != 0 && life.begin_ns != 0;
      const bool same_restart = ranks[end].restart == ranks[longest].restart;
      if (told ? LivedTogether(known, life) : same_restart) conflicts.push_back({longest, end});
      if (!EndsLater(life, known)) continue;
      longest = end;
      known = life;
    }
    begin = end;
  }
  return conflicts;
}

}  // namespace flopsprof::model

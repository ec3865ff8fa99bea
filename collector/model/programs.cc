// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/programs.h"

#include <algorithm>
#include <list>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include "collector/model/flops/flop_count.h"
#include "collector/model/tally.h"

namespace flopsprof::model {
namespace {

using Process = v1::ProcessProfile;

constexpr int kMaxGenerations = 64;

int RankOf(const Process& process) { return process.has_info() ? process.info().rank() : -1; }

int RestartOf(const Process& process) { return std::max(process.info().restart(), 0); }

// Class and parameters of every model that the process called.
using Models = std::set<std::pair<std::string, uint64_t>>;

Models ModelsOf(const Process& process) {
  std::map<uint32_t, std::pair<std::string, uint64_t>> roots;
  std::set<uint32_t> module_scopes;
  for (const v1::Scope& scope : process.scopes()) {
    if (scope.kind() == v1::SCOPE_KIND_MODULE) module_scopes.insert(scope.id());
  }
  for (const v1::Scope& scope : process.scopes()) {
    if (scope.kind() != v1::SCOPE_KIND_MODULE || module_scopes.count(scope.parent()) != 0) continue;
    roots[scope.id()] = {scope.class_name(), 0};
  }
  for (const v1::Module& module : process.modules()) {
    const auto root = roots.find(module.root_scope());
    if (module.path().empty() && root != roots.end()) root->second.second = module.total_params();
  }
  Models models;
  for (const auto& [id, model] : roots) models.insert(model);
  return models;
}

// Started by Python's multiprocessing as a new interpreter.
bool IsSpawned(const Process& process) {
  const std::string& command = process.info().command();
  return command.find("multiprocessing.spawn") != std::string::npos ||
         command.find("multiprocessing.forkserver") != std::string::npos;
}

class Programs {
 public:
  Programs(const std::vector<const Process*>& all, const std::vector<const Process*>& used_gpu,
           const RankClaims& claims)
      : used_gpu_(used_gpu), claims_(claims) {
    for (const Process* process : all) {
      at_[{process->key().node(), process->key().pid()}].push_back(process);
    }
    for (const Process* process : used_gpu) worked_.insert(process);
  }

  std::vector<Program> Find() {
    std::vector<const Process*> without_rank;
    std::vector<const Process*> ranked;
    for (const Process* process : used_gpu_) {
      if (RankOf(*process) >= 0) {
        ranked.push_back(process);
      } else if (const Process* owner = OwnerOf(*process); owner != nullptr) {
        works_for_.emplace_back(process, owner);
      } else {
        without_rank.push_back(process);
      }
    }
    std::vector<Program> programs = Launches(ranked);
    for (std::vector<const Process*>& members : Unlaunched(without_rank)) {
      programs.push_back({std::move(members), {}, false});
    }
    AddHelpers(&programs);
    MainFirst(&programs);
    return programs;
  }

 private:
  // The process that started this one; nullptr: not known. Of those that had its pid in turn, the
  // youngest that is older than the child.
  const Process* Parent(const Process& process) const {
    const auto age = [](const Process& at) {
      return std::pair(at.key().start_ticks(), at.key().pid());
    };
    const bool told =
        process.process_lives_size() > 0 && process.process_lives(0).ancestor_pid() > 0;
    const int pid = told ? process.process_lives(0).ancestor_pid() : process.info().parent_pid();
    const auto found = at_.find({process.key().node(), pid});
    const Process* parent = nullptr;
    if (found == at_.end()) return parent;
    for (const Process* candidate : found->second) {
      if (age(*candidate) >= age(process)) continue;
      if (parent == nullptr || age(*candidate) > age(*parent)) parent = candidate;
    }
    return parent;
  }

  // The nearest process above this one that used the GPU; nullptr: none is known.
  const Process* Ancestor(const Process& process) const {
    const Process* at = Parent(process);
    for (int hops = 0; hops < kMaxGenerations && at != nullptr; ++hops) {
      if (worked_.count(at) != 0) return at;
      at = Parent(*at);
    }
    return nullptr;
  }

  // The process that one without a rank works for; nullptr: it is one of its own.
  const Process* OwnerOf(const Process& process) const {
    if (!ModelsOf(process).empty()) return nullptr;
    const Process* owner = Ancestor(process);
    while (owner != nullptr) {  // ends: each is older than the one before
      if (RankOf(*owner) >= 0) return nullptr;
      if (!ModelsOf(*owner).empty()) return owner;
      const Process* further = Ancestor(*owner);
      if (further == nullptr) return owner;
      owner = further;
    }
    return owner;
  }

  // A rank of one launch: a process, its family as far as it has the same model, and what ran as
  // that rank after it for the same parent.
  struct Unit {
    const Process* first = nullptr;
    const Process* family = nullptr;
    std::pair<int, int> rank;  // with its restart
    Models models;
    Life life;  // of the first one: it has to be worked out from all of its steps
    std::vector<const Process*> processes;
  };

  struct Launch {
    std::map<std::pair<int, int>, std::vector<const Unit*>> units_of_rank;
    std::set<int> parents;
    int world_size = -1;
  };

  // Two units of one rank that are surely of two launches.
  static bool AreApart(const Unit& a, const Unit& b) {
    if (!a.models.empty() && !b.models.empty() && a.models != b.models) return true;
    if (a.life.begin_ns == 0 || b.life.begin_ns == 0 || LivedTogether(a.life, b.life)) return false;
    const int parent = a.first->info().parent_pid();
    const int other_parent = b.first->info().parent_pid();
    return a.family != b.family && parent > 0 && other_parent > 0 && parent != other_parent;
  }

  static bool Fits(const Launch& launch, const Unit& unit, bool same_parent) {
    const int parent = unit.first->info().parent_pid();
    const int world = unit.first->info().world_size();
    if (same_parent && (parent <= 0 || launch.parents.count(parent) == 0)) return false;
    if (!same_parent && world > 0 && launch.world_size > 0 && launch.world_size != world) {
      return false;
    }
    const auto claimed = launch.units_of_rank.find(unit.rank);
    if (claimed == launch.units_of_rank.end()) return true;
    return std::none_of(claimed->second.begin(), claimed->second.end(),
                        [&unit](const Unit* other) { return AreApart(*other, unit); });
  }

  std::list<Unit> UnitsOf(const std::vector<const Process*>& ranked) const {
    std::list<Unit> units;
    std::map<std::tuple<const Process*, int, int>, std::vector<Unit*>> of_family;
    for (const Process* process : ranked) {
      const Process* family = claims_.FamilyOf(process);
      const std::pair rank(RankOf(*process), RestartOf(*process));
      const Models models = ModelsOf(*process);
      std::vector<Unit*>& known = of_family[{family, rank.first, rank.second}];
      const auto same = std::find_if(known.begin(), known.end(), [&models](const Unit* unit) {
        return models.empty() || unit->models.empty() || unit->models == models;
      });
      if (same == known.end()) {
        units.push_back({process, family, rank, models, LifeOf(*process), {process}});
        known.push_back(&units.back());
      } else {
        (*same)->processes.push_back(process);
        if ((*same)->models.empty()) (*same)->models = models;
      }
    }
    return units;
  }

  // The n-th launch of each node is of the n-th program; what one parent started stays together.
  std::vector<Program> Launches(const std::vector<const Process*>& ranked) const {
    std::map<std::string, std::vector<Launch>> launches_of_node;
    std::vector<Program> programs;
    const std::list<Unit> units = UnitsOf(ranked);
    for (const Unit& unit : units) {
      std::vector<Launch>& launches = launches_of_node[unit.first->key().node()];
      std::optional<size_t> at;
      for (const bool same_parent : {true, false}) {
        for (size_t i = launches.size(); i-- > 0 && !at.has_value();) {
          if (Fits(launches[i], unit, same_parent)) at = i;
        }
      }
      if (!at.has_value()) {
        at = launches.size();
        launches.emplace_back();
      }
      Launch& launch = launches[*at];
      launch.units_of_rank[unit.rank].push_back(&unit);
      launch.parents.insert(unit.first->info().parent_pid());
      if (launch.world_size <= 0) launch.world_size = unit.first->info().world_size();
      if (programs.size() <= *at) programs.resize(*at + 1);
      Program& program = programs[*at];
      program.launched = true;
      program.processes.insert(program.processes.end(), unit.processes.begin(),
                               unit.processes.end());
    }
    return programs;
  }

  std::vector<std::vector<const Process*>> Unlaunched(
      const std::vector<const Process*>& processes) const {
    std::vector<size_t> first(processes.size());  // of the same program
    std::iota(first.begin(), first.end(), size_t{0});
    const auto top = [&first](size_t i) {
      while (first[i] != i) i = first[i];
      return i;
    };
    const auto join = [&](size_t a, size_t b) {
      a = top(a), b = top(b);
      first[std::max(a, b)] = std::min(a, b);
    };
    std::map<uint64_t, size_t> of_group;
    std::map<std::tuple<std::string, int, Models>, size_t> of_parent;
    for (size_t i = 0; i < processes.size(); ++i) {
      for (const v1::CollectiveRow& row : processes[i]->collectives()) {
        if (row.group() == 0 || row.rank_count() < 2) continue;
        join(of_group.try_emplace(row.group(), i).first->second, i);
      }
      if (!IsSpawned(*processes[i])) continue;
      const auto models = ModelsOf(*processes[i]);
      if (models.empty()) continue;
      const std::tuple key(processes[i]->key().node(), processes[i]->info().parent_pid(), models);
      join(of_parent.try_emplace(key, i).first->second, i);
    }
    std::map<size_t, std::vector<const Process*>> programs;
    for (size_t i = 0; i < processes.size(); ++i) programs[top(i)].push_back(processes[i]);
    std::vector<std::vector<const Process*>> result;
    for (auto& [index, members] : programs) result.push_back(std::move(members));
    return result;
  }

  void AddHelpers(std::vector<Program>* programs) const {
    std::map<const Process*, size_t> program_of;
    for (size_t i = 0; i < programs->size(); ++i) {
      for (const Process* process : (*programs)[i].processes) program_of[process] = i;
    }
    for (const auto& [process, owner] : works_for_) {
      (*programs)[program_of.at(owner)].works_for.emplace_back(process, owner);
    }
  }

  static std::tuple<bool, FlopCount, FlopCount> Weight(const Program& program) {
    FlopCount backward = 0;
    FlopCount all = 0;
    for (const Process* process : program.processes) {
      for (const v1::CallRow& row : process->calls()) {
        if (!IsExecutedProduct(row)) continue;
        all += ToFlopCount(row.flops());
        if (row.phase() == v1::PHASE_BACKWARD) backward += ToFlopCount(row.flops());
      }
    }
    return {program.launched, backward, all};
  }

  // The first of several of equal weight.
  static void MainFirst(std::vector<Program>* programs) {
    size_t main = 0;
    for (size_t i = 1; i < programs->size(); ++i) {
      if (Weight((*programs)[i]) > Weight((*programs)[main])) main = i;
    }
    if (!programs->empty()) {
      std::rotate(programs->begin(), programs->begin() + static_cast<long>(main),
                  programs->begin() + static_cast<long>(main) + 1);
    }
  }

  const std::vector<const Process*>& used_gpu_;
  const RankClaims& claims_;
  std::map<std::pair<std::string, int>, std::vector<const Process*>> at_;
  std::set<const Process*> worked_;
  std::vector<std::pair<const Process*, const Process*>> works_for_;
};

}  // namespace

std::vector<Program> FindPrograms(const std::vector<const v1::ProcessProfile*>& all,
                                  const std::vector<const v1::ProcessProfile*>& used_gpu,
                                  const RankClaims& claims) {
  return Programs(all, used_gpu, claims).Find();
}

}  // namespace flopsprof::model

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/epochs.h"

#include <algorithm>
#include <string>
#include <tuple>

namespace flopsprof::model {
namespace {

const v1::EpochRow* Newest(const v1::ProcessProfile& process) {
  const auto& epochs = process.epochs();
  const auto newest =
      std::max_element(epochs.begin(), epochs.end(), [](const auto& a, const auto& b) {
        // A session that the process never took up has the number of the next.
        const auto age = [](const v1::EpochRow& epoch) {
          return std::tuple(epoch.session(), epoch.calls_made(), epoch.begin_mono_ns());
        };
        return age(a) < age(b);
      });
  return newest == epochs.end() ? nullptr : &*newest;
}

// What is left of `all` when `parts` are known; 0 also where a damaged row says nonsense.
uint64_t Rest(uint64_t all, uint64_t parts) { return all - std::min(all, parts); }

void SetLoss(const std::string& name, uint64_t count, v1::ProcessProfile* process) {
  if (count > 0) (*process->mutable_loss())[name] = count;
}

}  // namespace

void CountLostWithAgents(v1::ProcessProfile* process) {
  const v1::EpochRow* newest = Newest(*process);
  if (newest == nullptr) return;
  uint64_t calls = 0;
  uint64_t launches = newest->launches_unwritten();
  uint64_t activities = newest->activities_unwritten();
  for (const v1::EpochRow& epoch : process->epochs()) {
    if (&epoch != newest) calls += epoch.calls_taken();
    launches += epoch.launches_taken();
    activities += epoch.activities_taken();
  }
  uint64_t lost = Rest(newest->calls_before(), calls);
  if (newest->final()) {
    lost = Rest(newest->calls_made(), newest->calls_unwritten() + calls + newest->calls_taken());
    SetLoss("launches_lost_with_agent", Rest(newest->launches_made(), launches), process);
    SetLoss("activities_lost_with_agent", Rest(newest->activities_made(), activities), process);
  }
  SetLoss("calls_lost_with_agent", lost, process);
}

bool EndIsUnknown(const v1::ProcessProfile& process) {
  const v1::EpochRow* newest = Newest(process);
  return newest != nullptr && !newest->final();
}

}  // namespace flopsprof::model

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "collector/base/mutex.h"

namespace flopsprof::store {

// Which numbering (ProcessProfile.numbering) each agent is to begin anew. Of more than `most`
// agents some are forgotten: what comes of them with its numbers says so again. Any thread.
class LackedNumberings {
 public:
  explicit LackedNumberings(size_t most = 16384) : most_(most) {}

  // By agent. The newest numbering of an agent counts.
  void Note(const std::map<std::string, uint32_t>& lacks) {
    base::MutexLock lock(&mutex_);
    for (const auto& [agent, numbering] : lacks) {
      uint32_t& newest = lacks_[agent];
      newest = std::max(newest, numbering);
      if (lacks_.size() <= most_) continue;
      auto other = lacks_.begin();
      if (other->first == agent) ++other;
      lacks_.erase(other);
    }
  }

  // 0: none.
  uint32_t Of(const std::string& agent) {
    base::MutexLock lock(&mutex_);
    const auto found = lacks_.find(agent);
    return found == lacks_.end() ? 0 : found->second;
  }

  size_t size() {
    base::MutexLock lock(&mutex_);
    return lacks_.size();
  }

 private:
  const size_t most_;
  base::Mutex mutex_;
  absl::flat_hash_map<std::string, uint32_t> lacks_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace flopsprof::store

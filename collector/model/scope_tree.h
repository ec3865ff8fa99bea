// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "flopsprof/v1/profile.pb.h"

namespace flopsprof::model {

// The scopes of one process by id, and which of them make lines of the module tree: modules, or
// ranges in a process without modules. Immutable. The process must outlive it.
class ScopeTree {
 public:
  explicit ScopeTree(const v1::ProcessProfile& process) {
    for (const v1::Scope& scope : process.scopes()) {
      if (scope.id() == 0) continue;
      scopes_[scope.id()] = &scope;
      has_modules_ |= scope.kind() == v1::SCOPE_KIND_MODULE;
    }
  }

  const std::map<uint32_t, const v1::Scope*>& scopes() const { return scopes_; }
  bool has_modules() const { return has_modules_; }

  bool MakesLine(const v1::Scope& scope) const {
    if (scope.kind() == v1::SCOPE_KIND_OPTIMIZER) return false;
    return !has_modules_ || scope.kind() == v1::SCOPE_KIND_MODULE;
  }

  // The scope itself or the nearest one around it that makes a line; nullptr: none.
  const v1::Scope* LineScope(uint32_t id) const {
    for (size_t hops = 0; hops < kMaxDepth && id != 0; ++hops) {
      const auto found = scopes_.find(id);
      if (found == scopes_.end()) return nullptr;
      if (MakesLine(*found->second)) return found->second;
      id = found->second->parent();
    }
    return nullptr;
  }

  // Calls visit(scope, above) for a scope that makes a line and those around it that are not known
  // yet, from the outermost in; `above` is nullptr at the top. A cycle, which only a damaged
  // profile can hold, is cut where it closes.
  template <typename Known, typename Visit>
  void TopDown(const v1::Scope& scope, Known known, Visit visit) const {
    std::vector<const v1::Scope*> unknown;
    std::set<uint32_t> seen;
    const v1::Scope* at = &scope;
    while (at != nullptr && !known(*at) && seen.insert(at->id()).second) {
      unknown.push_back(at);
      at = LineScope(at->parent());
    }
    const v1::Scope* above = at != nullptr && known(*at) ? at : nullptr;
    for (auto next = unknown.rbegin(); next != unknown.rend(); ++next) {
      visit(**next, above);
      above = *next;
    }
  }

 private:
  static constexpr size_t kMaxDepth = 4096;

  std::map<uint32_t, const v1::Scope*> scopes_;
  bool has_modules_ = false;
};

}  // namespace flopsprof::model

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/range_summary.h"

#include <algorithm>
#include <unordered_map>

namespace flopsprof::model {
namespace {

constexpr size_t kMostNames = 64;  // of nested ranges in one text

// Where a scope is: the line of the tree, and the ranges between it and the scope.
struct Place {
  std::string module;
  std::string range;
  std::string domain;
};

class Places {
 public:
  Places(const v1::ProcessProfile& process, const ModulePaths& paths) : paths_(paths) {
    for (const v1::Scope& scope : process.scopes()) scopes_[scope.id()] = &scope;
  }

  Place Of(uint32_t id) const {
    const int node = paths_.NodeOf(id);
    Place place;
    place.module =
        node == ModulePaths::kOutside ? std::string(kOutsidePath) : paths_.nodes()[node].path;
    auto found = scopes_.find(id);
    if (found != scopes_.end()) place.domain = found->second->domain();
    std::vector<const std::string*> names;
    while (found != scopes_.end() && found->second->kind() != v1::SCOPE_KIND_MODULE &&
           names.size() < kMostNames) {
      names.push_back(&found->second->name());
      found = scopes_.find(found->second->parent());
    }
    for (auto name = names.rbegin(); name != names.rend(); ++name) {
      if (!place.range.empty()) place.range += '.';
      place.range += (*name)->empty() ? "(unnamed)" : **name;
    }
    return place;
  }

 private:
  const ModulePaths& paths_;
  std::unordered_map<uint32_t, const v1::Scope*> scopes_;
};

template <typename Item>
void SetNumbers(const NumberSums& numbers, Item* item) {
  item->numbers = {numbers.sum(), numbers.min(), numbers.max(), numbers.last()};
}

template <typename Sums, typename Items, typename Count>
size_t Collect(const Sums& sums, size_t max, Items* items, Count count) {
  for (const auto& [key, sum] : sums) {
    items->push_back(sum.item);
    SetNumbers(sum.numbers, &items->back());
  }
  std::stable_sort(items->begin(), items->end(),
                   [&](const auto& a, const auto& b) { return count(a) > count(b); });
  if (items->size() <= max) return 0;
  const size_t left_out = items->size() - max;
  items->resize(max);
  return left_out;
}

}  // namespace

void RangeSums::Add(const v1::ProcessProfile& process, const ModulePaths& paths) {
  if (process.range_rows().empty() && process.marks().empty()) return;
  const Places places(process, paths);
  for (const v1::RangeRow& row : process.range_rows()) {
    const Place place = places.Of(row.scope());
    auto& sum = ranges_[{place.module, place.range, place.domain, std::to_string(row.category()),
                         row.category_name(), std::to_string(row.payload_type())}];
    RangeSummary& range = sum.item;
    range.module = place.module;
    range.range = place.range;
    range.domain = place.domain;
    range.category = row.category();
    range.category_name = row.category_name();
    range.entries += row.entries();
    sum.numbers.Merge(row.payload_type(), row.sum(), row.min(), row.max(), row.last());
  }
  for (const v1::MarkRow& row : process.marks()) {
    const Place place = places.Of(row.scope());
    auto& sum =
        marks_[{place.module, place.range, row.domain(), row.name(), std::to_string(row.category()),
                row.category_name(), std::to_string(row.payload_type())}];
    MarkSummary& mark = sum.item;
    mark.module = place.module;
    mark.range = place.range;
    mark.domain = row.domain();
    mark.name = row.name();
    mark.category = row.category();
    mark.category_name = row.category_name();
    mark.count += row.count();
    if (row.in_steps() > 0) {
      mark.first_step = std::min(mark.first_step.value_or(row.first_step()), row.first_step());
      mark.last_step = std::max(mark.last_step.value_or(row.last_step()), row.last_step());
    }
    mark.in_steps += row.in_steps();
    sum.numbers.Merge(row.payload_type(), row.sum(), row.min(), row.max(), row.last());
  }
}

void RangeSums::Finish(size_t max, Summary* summary) const {
  summary->ranges_left_out =
      Collect(ranges_, max, &summary->ranges, [](const auto& range) { return range.entries; });
  summary->marks_left_out =
      Collect(marks_, max, &summary->marks, [](const auto& mark) { return mark.count; });
}

}  // namespace flopsprof::model

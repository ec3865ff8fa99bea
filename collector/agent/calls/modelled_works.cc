// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/calls/modelled_works.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace flopsprof::agent {

uint32_t ModelledWorks::NumberOf(const ModelledWork& work) {
  const bool known = work.flops.has_value();
  const std::string identity =
      absl::StrCat(work.api, "|", work.shape, "|", work.compute_type, "|", work.detail, "|", known);
  if (const auto found = index_.find(identity); found != index_.end()) return found->second;
  const bool full = works_.size() >= kMaxWorks;
  // The last one, per name, takes all that are too many.
  const std::string key =
      full ? absl::StrCat(work.api, "||", work.compute_type, "||", known) : identity;
  const auto [entry, added] = index_.try_emplace(key, static_cast<uint32_t>(works_.size()));
  if (added) {
    works_.push_back(work);
    if (full) works_.back().shape = "other shapes, more than are kept";
  }
  return entry->second;
}

void ModelledWorks::Describe(uint32_t number, v1::CallRow* out) const {
  const ModelledWork& known = works_[number];
  out->set_kind(v1::CALL_KIND_MODELLED);
  out->set_api(known.api);
  out->set_shape(known.shape);
  out->set_compute_type(known.compute_type);
  out->set_detail(known.detail);
}

}  // namespace flopsprof::agent

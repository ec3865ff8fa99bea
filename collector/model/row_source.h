// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "flopsprof/v1/profile.pb.h"

namespace flopsprof::model {

// The rows of processes that are in memory without most of them (thin_profile.h).
class RowSource {
 public:
  virtual ~RowSource() = default;

  // These are asked for from now on, in this order.
  virtual void Begin(const std::vector<const v1::ProcessProfile*>& thin) = 0;
  // The next of them with all rows that a summary is made from.
  virtual std::unique_ptr<v1::ProcessProfile> Next() = 0;
};

}  // namespace flopsprof::model

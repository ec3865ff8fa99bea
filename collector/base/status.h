// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace flopsprof::base {

// Status of a failed system call: "<what>: <text of errno>". Call it before errno changes.
absl::Status ErrnoStatus(std::string_view what);
absl::Status ErrnoStatus(int error, std::string_view what);

}  // namespace flopsprof::base

// Leaves the function with the status when it is not OK.
#define FLOPSPROF_RETURN_IF_ERROR(expression)                               \
  do {                                                                      \
    if (absl::Status status_ = (expression); !status_.ok()) return status_; \
  } while (false)

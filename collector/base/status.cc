// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/base/status.h"

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace flopsprof::base {

absl::Status ErrnoStatus(std::string_view what) { return ErrnoStatus(errno, what); }

absl::Status ErrnoStatus(int error, std::string_view what) {
  return absl::ErrnoToStatus(error, absl::string_view(what.data(), what.size()));
}

}  // namespace flopsprof::base

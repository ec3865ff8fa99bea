// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>

#include <cstdint>
#include <string>

namespace flopsprof::store {

// FailedPrecondition where `format` is not kSchemaVersion: which flopsprof can read `what`.
absl::Status CheckFormat(const std::string& what, int64_t format);

// The same of a profile.db, by the bytes of its file alone: SQLite may write when it opens one. OK
// also where there is no such file, or its number is only in its write-ahead log.
absl::Status CheckFormatOfFile(const std::string& file);

}  // namespace flopsprof::store

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace flopsprof::store {

// A text, such as a job's name, as a part of a file name: letters, digits, "_", inner "-" and dots
// behind a letter or digit stay, everything else becomes "_". At most 48 characters, never empty.
// The result is never a path, a hidden file or an option.
std::string SafeName(std::string_view text);

// "flopsprof-<job>-20261127T204000Z".
std::string AutoFolderName(std::string_view job, int64_t start_utc_ns);

// Makes the folder with mode 0700: exactly `path` when nothing is there, else `path`-2,
// `path`-3 ... Missing parents are made too. Returns the path that was made. Safe against others
// who do the same at the same time.
absl::StatusOr<std::string> MakeFreshFolder(const std::string& path);

// Replaces a file of a folder as a whole: readers see the old or the new text, also after a
// power failure. Mode 0600. `name` is a plain file name.
absl::Status ReplaceFile(const std::string& folder, const std::string& name,
                         std::string_view content);

}  // namespace flopsprof::store

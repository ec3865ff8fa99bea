// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/store/folder_format.h"

#include <absl/strings/str_cat.h>

#include <fstream>

#include "collector/store/schema.h"

namespace flopsprof::store {

absl::Status CheckFormat(const std::string& what, int64_t format) {
  if (format == kSchemaVersion) return absl::OkStatus();
  const bool older = format < kSchemaVersion;
  return absl::FailedPreconditionError(
      absl::StrCat(what, " was made by ", older ? "an older" : "a newer", " flopsprof (format ",
                   format, ", this one has ", kSchemaVersion,
                   "): ", older ? "read it with the flopsprof that made it" : "update flopsprof",
                   "; nothing in its folder was changed"));
}

absl::Status CheckFormatOfFile(const std::string& file) {
  // https://www.sqlite.org/fileformat.html: the user version is at 60, big endian.
  constexpr std::streamoff kUserVersionAt = 60;
  std::ifstream in(file, std::ios::binary);
  unsigned char bytes[4] = {};
  in.seekg(kUserVersionAt);
  in.read(reinterpret_cast<char*>(bytes), sizeof bytes);
  if (!in) return absl::OkStatus();
  uint32_t format = 0;
  for (const unsigned char byte : bytes) format = format << 8 | byte;
  return format == 0 ? absl::OkStatus() : CheckFormat(file, static_cast<int32_t>(format));
}

}  // namespace flopsprof::store

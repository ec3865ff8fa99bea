// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace flopsprof {

// Id of a text in ProcessProfile.strings: FNV-1a of its bytes, so that every agent gives a text the
// same one. 0 for "" alone.
constexpr uint64_t TextId(std::string_view text) {
  if (text.empty()) return 0;
  uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash == 0 ? 1 : hash;
}

}  // namespace flopsprof

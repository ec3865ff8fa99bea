// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace flopsprof::base {

// What stands for a byte that is no text (U+FFFD), as a character and in UTF-8.
inline constexpr char32_t kReplacement = 0xFFFD;
inline constexpr std::string_view kReplacementUtf8 = "\xef\xbf\xbd";

// One character of a text.
struct Utf8Character {
  char32_t code = 0;
  size_t bytes = 0;  // 0: no character begins here
};

// The character at the beginning of a text that is not empty, by RFC 3629: no overlong forms, no
// surrogates, nothing above U+10FFFF.
inline Utf8Character DecodeUtf8(std::string_view text) {
  const auto byte = [text](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {first, 1};
  if (first < 0xC2 || first > 0xF4) return {};
  const size_t bytes = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (text.size() < bytes) return {};
  char32_t code = first & (0x7Fu >> bytes);
  for (size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3Fu);
  }
  const bool overlong = (bytes == 3 && code < 0x800) || (bytes == 4 && code < 0x10000);
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (overlong || surrogate || code > 0x10FFFF) return {};
  return {code, bytes};
}

inline void AppendUtf8(char32_t code, std::string* text) {
  if (code < 0x80) {
    text->push_back(static_cast<char>(code));
    return;
  }
  const int further = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  constexpr unsigned char kLead[] = {0, 0xC0, 0xE0, 0xF0};
  text->push_back(static_cast<char>(kLead[further] | (code >> (6 * further))));
  for (int i = further - 1; i >= 0; --i) {
    text->push_back(static_cast<char>(0x80 | ((code >> (6 * i)) & 0x3F)));
  }
}

// The most bytes, at most `limit`, that end where a character of `text`, which is UTF-8, does.
inline size_t EndOfCharacter(std::string_view text, size_t limit) {
  size_t end = std::min(limit, text.size());
  if (end == text.size()) return end;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return end;
}

}  // namespace flopsprof::base

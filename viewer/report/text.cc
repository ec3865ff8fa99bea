// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "viewer/report/text.h"

#include <algorithm>
#include <vector>

#include "collector/base/utf8.h"

namespace flopsprof::viewer {
namespace {

struct Range {
  char32_t first, last;
};

// Unicode 15, East Asian Width W and F, coarse: what a name on a terminal is likely to hold.
constexpr Range kWide[] = {
    {0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0x33FF},   {0x3400, 0x4DBF},
    {0x4E00, 0x9FFF},   {0xA000, 0xA4CF},   {0xA960, 0xA97F},   {0xAC00, 0xD7A3},
    {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},
    {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F900, 0x1FAFF}, {0x20000, 0x3FFFD},
};
constexpr Range kCombining[] = {
    {0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x064B, 0x065F}, {0x1AB0, 0x1AFF},
    {0x1DC0, 0x1DFF}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0xE0100, 0xE01EF},
};
// Controls, and characters that reorder or hide what stands beside them.
constexpr Range kRefused[] = {
    {0x0000, 0x001F}, {0x007F, 0x009F}, {0x00AD, 0x00AD}, {0x061C, 0x061C},
    {0x180E, 0x180E}, {0x200B, 0x200F}, {0x2028, 0x202E}, {0x2060, 0x206F},
    {0xD800, 0xDFFF}, {0xFEFF, 0xFEFF}, {0xFFF0, 0xFFFB}, {0xE0000, 0xE007F},
};

template <size_t N>
bool In(const Range (&ranges)[N], char32_t c) {
  return std::any_of(std::begin(ranges), std::end(ranges),
                     [c](const Range& r) { return c >= r.first && c <= r.last; });
}

// Takes one character off `text`; kReplacement for a byte that begins none.
char32_t TakeCharacter(std::string_view* text) {
  const base::Utf8Character character = base::DecodeUtf8(*text);
  text->remove_prefix(std::max<size_t>(character.bytes, 1));
  return character.bytes == 0 ? base::kReplacement : character.code;
}

size_t Width(char32_t c) { return In(kCombining, c) ? 0 : In(kWide, c) ? 2 : 1; }

std::vector<char32_t> Characters(std::string_view text) {
  std::vector<char32_t> characters;
  while (!text.empty()) characters.push_back(TakeCharacter(&text));
  return characters;
}

// `head` columns of the beginning, `tail` columns of the end, a mark between.
std::string Shorten(std::string_view text, size_t width, size_t tail, bool utf8) {
  if (DisplayWidth(text) <= width) return std::string(text);
  const std::string mark = utf8 ? "…" : "..";
  const size_t mark_width = utf8 ? 1 : 2;
  if (width <= mark_width) return std::string(width, '.');
  tail = std::min(tail, width - mark_width);
  const std::vector<char32_t> characters = Characters(text);
  std::string begin, end;
  size_t left = width - mark_width - tail;
  for (const char32_t c : characters) {
    if (Width(c) > left) break;
    left -= Width(c);
    base::AppendUtf8(c, &begin);
  }
  size_t first = characters.size();
  for (size_t room = tail; first > 0 && Width(characters[first - 1]) <= room; --first) {
    room -= Width(characters[first - 1]);
  }
  for (size_t i = first; i < characters.size(); ++i) base::AppendUtf8(characters[i], &end);
  return begin + mark + end;
}

}  // namespace

std::string CleanText(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  for (const char32_t c : Characters(text))
    base::AppendUtf8(In(kRefused, c) ? base::kReplacement : c, &clean);
  return clean;
}

std::string CleanAscii(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  for (const char32_t c : Characters(text)) {
    clean.push_back(c < 0x80 && !In(kRefused, c) ? static_cast<char>(c) : '?');
  }
  return clean;
}

size_t DisplayWidth(std::string_view text) {
  size_t width = 0;
  while (!text.empty()) {
    const size_t end = text.front() == '\x1b' ? text.find('m') : std::string_view::npos;
    if (end != std::string_view::npos) {
      text.remove_prefix(end + 1);
    } else {
      width += Width(TakeCharacter(&text));
    }
  }
  return width;
}

std::string ShortenMiddle(std::string_view text, size_t width, bool utf8) {
  return Shorten(text, width, width / 2, utf8);
}

std::string ShortenEnd(std::string_view text, size_t width, bool utf8) {
  return Shorten(text, width, 0, utf8);
}

std::string PadLeft(std::string_view text, size_t width) {
  const size_t used = DisplayWidth(text);
  return std::string(width > used ? width - used : 0, ' ') + std::string(text);
}

std::string PadRight(std::string_view text, size_t width) {
  const size_t used = DisplayWidth(text);
  return std::string(text) + std::string(width > used ? width - used : 0, ' ');
}

std::string Wrap(std::string_view text, size_t width, size_t indent) {
  std::string wrapped;
  size_t column = indent;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    const size_t word_width = DisplayWidth(word);
    if (column > indent && column + 1 + word_width > width) {
      wrapped += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      wrapped += ' ';
      ++column;
    }
    wrapped += word;
    column += word_width;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return wrapped;
}

}  // namespace flopsprof::viewer

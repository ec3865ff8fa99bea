// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace flopsprof::viewer {

// Text on a terminal: columns instead of bytes, and nothing that a name could do to the terminal.

// `text` with everything that is not plain visible text replaced by U+FFFD: control characters,
// bytes that are not UTF-8, and characters that change direction or have no width. Names come
// from the profiled process and must not be able to move the cursor or hide other text.
std::string CleanText(std::string_view text);

// CleanText with each character outside of ASCII replaced by '?'.
std::string CleanAscii(std::string_view text);

// Columns that clean text takes on a terminal. Colours (SGR sequences, from Terminal::Paint) take
// none.
size_t DisplayWidth(std::string_view text);

// At most `width` columns: cut in the middle (kernel names differ at their ends) or at the end.
std::string ShortenMiddle(std::string_view text, size_t width, bool utf8);
std::string ShortenEnd(std::string_view text, size_t width, bool utf8);

// `text` with spaces up to `width` columns.
std::string PadLeft(std::string_view text, size_t width);
std::string PadRight(std::string_view text, size_t width);

// `text` broken at spaces into lines that begin at column `indent` and end before `width`. The
// caller has filled the columns before the first line. A word longer than a line is not broken.
std::string Wrap(std::string_view text, size_t width, size_t indent);

}  // namespace flopsprof::viewer

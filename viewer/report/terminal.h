// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace flopsprof::viewer {

// How a piece of text is meant; a terminal without colours shows all of them alike, so meaning
// never depends on colour alone.
enum class Tone { kPlain, kTitle, kStrong, kDim, kGood, kWarning, kBad };

// What the output can show. A value: tests make their own.
struct Terminal {
  size_t width = 100;
  size_t height = 0;  // 0 = not a terminal
  bool utf8 = true;
  bool colour = false;

  std::string Paint(Tone tone, std::string_view text) const;
  // Text of a name, safe to print here.
  std::string Clean(std::string_view text) const;
  const char* Rule() const { return utf8 ? "─" : "-"; }
};

enum class ColourMode { kAuto, kAlways, kNever };

// The terminal behind `fd`: its width (60 to 200; 100 when it is not a terminal, COLUMNS when
// set), UTF-8 by the locale but for a dumb terminal, colours by NO_COLOR, CLICOLOR_FORCE, TERM=dumb
// and whether it is a terminal.
Terminal DetectTerminal(int fd, ColourMode colour, bool ascii);

}  // namespace flopsprof::viewer

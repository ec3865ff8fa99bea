// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "viewer/report/terminal.h"

#include <langinfo.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <clocale>
#include <cstdlib>
#include <cstring>

#include "viewer/report/text.h"

namespace flopsprof::viewer {
namespace {

constexpr size_t kMinWidth = 60;
constexpr size_t kMaxWidth = 200;

bool IsSet(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

bool WantsColour(ColourMode mode, bool is_terminal) {
  if (mode != ColourMode::kAuto) return mode == ColourMode::kAlways;
  if (IsSet("NO_COLOR")) return false;
  if (IsSet("CLICOLOR_FORCE") && std::strcmp(std::getenv("CLICOLOR_FORCE"), "0") != 0) return true;
  const char* term = std::getenv("TERM");
  return is_terminal && term != nullptr && std::strcmp(term, "dumb") != 0;
}

bool LocaleIsUtf8() {
  std::setlocale(LC_CTYPE, "");
  return std::strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

size_t ColumnsVariable() {
  const char* text = std::getenv("COLUMNS");
  size_t columns = 0;
  if (text != nullptr) std::from_chars(text, text + std::strlen(text), columns);
  return columns;
}

}  // namespace

std::string Terminal::Paint(Tone tone, std::string_view text) const {
  if (!colour || tone == Tone::kPlain || text.empty()) return std::string(text);
  const char* code = "";
  switch (tone) {
    case Tone::kPlain:
      break;
    case Tone::kTitle:
      code = "1;36";
      break;
    case Tone::kStrong:
      code = "1";
      break;
    case Tone::kDim:
      code = "2";
      break;
    case Tone::kGood:
      code = "32";
      break;
    case Tone::kWarning:
      code = "33";
      break;
    case Tone::kBad:
      code = "1;31";
      break;
  }
  return "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m";
}

std::string Terminal::Clean(std::string_view text) const {
  return utf8 ? CleanText(text) : CleanAscii(text);
}

Terminal DetectTerminal(int fd, ColourMode colour, bool ascii) {
  Terminal terminal;
  const bool is_terminal = isatty(fd) == 1;
  winsize size = {};
  if (is_terminal && ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    terminal.width = size.ws_col;
    terminal.height = size.ws_row;
  } else if (const size_t columns = ColumnsVariable(); columns > 0) {
    terminal.width = columns;
  }
  terminal.width = std::clamp(terminal.width, kMinWidth, kMaxWidth);
  const char* term = std::getenv("TERM");
  const bool dumb = is_terminal && term != nullptr && std::strcmp(term, "dumb") == 0;
  terminal.utf8 = !ascii && !dumb && LocaleIsUtf8();
  terminal.colour = WantsColour(colour, is_terminal);
  return terminal;
}

}  // namespace flopsprof::viewer

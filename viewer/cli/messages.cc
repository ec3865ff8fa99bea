// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "viewer/cli/messages.h"

#include <unistd.h>
#include <cerrno>

#include "viewer/report/text.h"

namespace flopsprof::viewer {

std::string ErrorText(std::string_view what, const std::vector<std::string>& more) {
  std::string text = "flopsprof: " + CleanText(what) + "\n";
  for (const std::string& line : more) {
    if (!line.empty()) text += "  " + CleanText(line) + "\n";
  }
  return text;
}

void Say(std::string_view text) { WriteAll(STDERR_FILENO, ErrorText(text, {})); }

void SayError(std::string_view what, const std::vector<std::string>& more) {
  WriteAll(STDERR_FILENO, ErrorText(what, more));
}

bool WriteAll(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

}  // namespace flopsprof::viewer

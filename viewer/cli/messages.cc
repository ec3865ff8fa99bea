// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "viewer/cli/messages.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <mutex>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "viewer/report/text.h"

namespace flopsprof::viewer {
namespace {

constexpr size_t kMaxEarlyBytes = 64 * 1024;  // kept until there is a log to write to

std::mutex log_mutex;
int log_fd = -1;
std::string early_lines;

void Log(std::string_view text) {
  std::string line =
      absl::StrCat(absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ ", absl::Now(), absl::UTCTimeZone()),
                   std::string(text));
  const std::lock_guard<std::mutex> lock(log_mutex);
  if (log_fd >= 0) {
    WriteAll(log_fd, line);
  } else if (early_lines.size() + line.size() <= kMaxEarlyBytes) {
    early_lines += line;
  }
}

}  // namespace

std::string ErrorText(std::string_view what, const std::vector<std::string>& more) {
  std::string text = "flopsprof: " + CleanText(what) + "\n";
  for (const std::string& line : more) {
    if (!line.empty()) text += "  " + CleanText(line) + "\n";
  }
  return text;
}

void Say(std::string_view text) { SayError(text, {}); }

void SayError(std::string_view what, const std::vector<std::string>& more) {
  const std::string text = ErrorText(what, more);
  WriteAll(STDERR_FILENO, text);
  Log(text);
}

void Note(std::string_view text) { Log(ErrorText(text, {})); }

bool OpenLog(const std::string& path) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (fd < 0) return false;
  const std::lock_guard<std::mutex> lock(log_mutex);
  if (log_fd >= 0) close(log_fd);
  log_fd = fd;
  const bool written = WriteAll(fd, early_lines);
  early_lines.clear();
  return written;
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

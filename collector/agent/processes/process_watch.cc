// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/processes/process_watch.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace flopsprof::agent {
namespace {

constexpr size_t kMaxCommandBytes = 4096;

// At most `limit` bytes of a file of /proc; "" on failure.
std::string ReadSmallFile(const std::string& path, size_t limit) {
  base::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return "";
  std::string text(limit, '\0');
  size_t length = 0;
  while (length < limit) {
    const ssize_t got = ::read(fd.get(), text.data() + length, limit - length);
    if (got <= 0) break;
    length += static_cast<size_t>(got);
  }
  text.resize(length);
  return text;
}

// linux/pidfd.h of Linux 6.15 (struct pidfd_info, first version): older headers lack it, older
// kernels refuse it.
struct PidfdInfo {
  uint64_t mask;
  uint64_t cgroup;
  uint32_t ids[11];
  int32_t exit_status;
};
static_assert(sizeof(PidfdInfo) == 64);
constexpr uint64_t kPidfdInfoExit = 1u << 3;

// Exit status of a process that its parent has already waited for.
std::optional<int> KeptExitStatus(int pidfd) {
  PidfdInfo info = {};
  info.mask = kPidfdInfoExit;
  if (::ioctl(pidfd, _IOWR(0xff, 11, PidfdInfo), &info) != 0) return std::nullopt;
  if ((info.mask & kPidfdInfoExit) == 0) return std::nullopt;
  return info.exit_status;
}

}  // namespace

std::optional<ProcessStatus> ParseProcessStatus(const std::string& stat) {
  // The second field is the name in parentheses and may itself hold blanks and parentheses.
  const size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos || name_end + 2 > stat.size()) return std::nullopt;
  const std::vector<std::string> fields =
      absl::StrSplit(stat.substr(name_end + 2), absl::ByAnyChar(" \n"), absl::SkipEmpty());
  constexpr size_t kState = 0, kStartTime = 19, kExitCode = 49;  // fields 3, 22 and 52
  ProcessStatus status;
  if (fields.size() <= kStartTime || fields[kState].size() != 1 ||
      !absl::SimpleAtoi(fields[kStartTime], &status.start_ticks)) {
    return std::nullopt;
  }
  status.state = fields[kState][0];
  const bool ended = status.state == 'Z' || status.state == 'X';
  int exit_status;
  if (ended && fields.size() > kExitCode && absl::SimpleAtoi(fields[kExitCode], &exit_status)) {
    status.exit_status = exit_status;
  }
  return status;
}

std::optional<ProcessStatus> ReadProcessStatus(pid_t pid) {
  return ParseProcessStatus(ReadSmallFile(absl::StrCat("/proc/", pid, "/stat"), 4096));
}

pid_t ParseParent(const std::string& stat) {
  // The name in parentheses may hold anything: "PID (NAME) STATE PPID".
  const size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos || name_end + 4 > stat.size()) return 0;
  const size_t begin = name_end + 4;
  pid_t parent = 0;
  const bool number = absl::SimpleAtoi(
      absl::string_view(stat).substr(begin, stat.find(' ', begin) - begin), &parent);
  return number && parent > 0 ? parent : 0;
}

pid_t ReadParent(pid_t pid) {
  return ParseParent(ReadSmallFile(absl::StrCat("/proc/", pid, "/stat"), 4096));
}

std::string ReadCommandLine(pid_t pid) {
  std::string text = ReadSmallFile(absl::StrCat("/proc/", pid, "/cmdline"), kMaxCommandBytes);
  while (!text.empty() && text.back() == '\0') text.pop_back();
  std::replace(text.begin(), text.end(), '\0', ' ');
  return ToValidUtf8(text);
}

ProcessEnd EndFromWaitStatus(int status) {
  ProcessEnd end;
  if (WIFSIGNALED(status)) {
    end.state = v1::PROCESS_STATE_SIGNALLED;
    end.exit_signal = WTERMSIG(status);
  } else if (WIFEXITED(status)) {
    end.state = v1::PROCESS_STATE_EXITED;
    end.exit_code = WEXITSTATUS(status);
  }
  return end;
}

ProcessWatch::ProcessWatch(pid_t pid)
    : pid_(pid), pidfd_(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))) {
  if (const auto status = ReadProcessStatus(pid)) start_ticks_ = status->start_ticks;
}

std::optional<ProcessEnd> ProcessWatch::Poll() const {
  if (pidfd_.valid()) {
    pollfd ready = {pidfd_.get(), POLLIN, 0};
    if (::poll(&ready, 1, 0) <= 0) return std::nullopt;
  }
  const std::optional<ProcessStatus> status = ReadProcessStatus(pid_);
  const bool same = status.has_value() && status->start_ticks == start_ticks_;
  if (same && status->exit_status.has_value()) return EndFromWaitStatus(*status->exit_status);
  if (same && !pidfd_.valid() && status->state != 'Z' && status->state != 'X') return std::nullopt;
  if (pidfd_.valid()) {
    if (const std::optional<int> kept = KeptExitStatus(pidfd_.get())) {
      return EndFromWaitStatus(*kept);
    }
  }
  return ProcessEnd();
}

}  // namespace flopsprof::agent

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "viewer/cli/job_process.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "viewer/cli/exit_codes.h"

namespace flopsprof::viewer {
namespace {

constexpr char kGoProfiled = 'p';
constexpr char kGoPlain = 'n';
constexpr char kAbandon = 'x';

// Signals that a user or a scheduler sends to steer a job. SIGCHLD is waited for beside them.
// Left out: the job-control stops, SIGCONT and SIGWINCH, which the terminal sends to the whole
// group and whose default actions are right for us too.
constexpr int kForwarded[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM,  SIGUSR1,
                              SIGUSR2, SIGALRM, SIGXCPU, SIGVTALRM};

sigset_t WaitedSignals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : kForwarded) sigaddset(&set, number);
  for (int number = SIGRTMIN; number <= SIGRTMAX; ++number) sigaddset(&set, number);
  sigaddset(&set, SIGCHLD);
  return set;
}

std::vector<char*> Pointers(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// The child's side: waits for the byte, then becomes the command.
[[noreturn]] void RunChild(int go_fd, int error_fd, char* const* command, char** profiled,
                           char** plain) {
  char go = kGoPlain;
  ssize_t got;
  do {
    got = read(go_fd, &go, 1);
  } while (got < 0 && errno == EINTR);
  if (got == 1 && go == kAbandon) _exit(kExitOwnFailure);
  // Plain is also taken when the parent died: got is 0 then.
  environ = got == 1 && go == kGoProfiled ? profiled : plain;
  execvp(command[0], command);
  const int error = errno;
  [[maybe_unused]] const ssize_t written = write(error_fd, &error, sizeof(error));
  _exit(error == ENOENT ? kExitNotFound : kExitNotExecutable);
}

}  // namespace

absl::StatusOr<std::unique_ptr<JobProcess>> JobProcess::Fork(const Options& options) {
  int go[2];
  int error[2];
  if (pipe2(go, O_CLOEXEC) != 0) {
    return absl::ErrnoToStatus(errno, "cannot make a pipe to the job");
  }
  if (pipe2(error, O_CLOEXEC) != 0) {
    const int number = errno;
    close(go[0]);
    close(go[1]);
    return absl::ErrnoToStatus(number, "cannot make a pipe from the job");
  }
  // Made before the fork: between fork and execve the child allocates nothing.
  const std::vector<char*> command = Pointers(options.command);
  std::vector<char*> profiled = Pointers(options.profiled_environment);
  std::vector<char*> plain = Pointers(options.plain_environment);

  const pid_t pid = fork();
  if (pid < 0) {
    const int number = errno;
    for (const int fd : {go[0], go[1], error[0], error[1]}) close(fd);
    return absl::ErrnoToStatus(number, "cannot fork the job");
  }
  if (pid == 0) {
    close(go[1]);
    close(error[0]);
    RunChild(go[0], error[1], command.data(), profiled.data(), plain.data());
  }
  close(go[0]);
  close(error[1]);

  const sigset_t waited = WaitedSignals();
  pthread_sigmask(SIG_BLOCK, &waited, nullptr);
  // An inherited SIG_IGN would take the job's exit code away from us.
  std::signal(SIGCHLD, SIG_DFL);
  std::signal(SIGPIPE, SIG_IGN);
  return std::unique_ptr<JobProcess>(new JobProcess(pid, go[1], error[0]));
}

JobProcess::~JobProcess() {
  if (go_fd_ >= 0) close(go_fd_);
  if (error_fd_ >= 0) close(error_fd_);
}

void JobProcess::SendGo(char go) {
  ssize_t written;
  do {
    written = write(go_fd_, &go, 1);
  } while (written < 0 && errno == EINTR);
  close(go_fd_);
  go_fd_ = -1;
}

void JobProcess::Abandon() {
  SendGo(kAbandon);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

int JobProcess::Release(bool profiled) {
  SendGo(profiled ? kGoProfiled : kGoPlain);
  ssize_t got;
  do {
    got = read(error_fd_, &exec_errno_, sizeof(exec_errno_));
  } while (got < 0 && errno == EINTR);
  if (got != sizeof(exec_errno_)) exec_errno_ = 0;
  close(error_fd_);
  error_fd_ = -1;
  return exec_errno_;
}

void JobProcess::Forward(const siginfo_t& info) {
  // Positive codes come from the kernel: the terminal's Ctrl-C, a closed terminal.
  const bool sent_by_a_process = info.si_code <= 0;
  if (sent_by_a_process) kill(pid_, info.si_signo);
}

JobResult JobProcess::Wait(absl::Duration tick, const std::function<void()>& on_tick) {
  const sigset_t waited = WaitedSignals();
  const timespec timeout = absl::ToTimespec(tick);
  for (;;) {
    int status = 0;
    const pid_t ended = waitpid(pid_, &status, WNOHANG);
    if (ended == pid_ && (WIFEXITED(status) || WIFSIGNALED(status))) {
      JobResult result;
      result.exec_errno = exec_errno_;
      result.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
      result.exit_code =
          WIFSIGNALED(status) ? kExitSignalBase + WTERMSIG(status) : WEXITSTATUS(status);
      return result;
    }
    if (ended < 0 && errno == ECHILD) return {kExitOwnFailure, 0, exec_errno_};
    siginfo_t info = {};
    const int number = sigtimedwait(&waited, &info, &timeout);
    if (number > 0 && number != SIGCHLD) Forward(info);
    on_tick();
  }
}

int FindCommand(const std::string& command) {
  const auto check = [](const std::string& path) {
    struct stat info = {};
    if (stat(path.c_str(), &info) != 0) return errno == EACCES ? EACCES : ENOENT;
    if (S_ISDIR(info.st_mode)) return EACCES;
    return access(path.c_str(), X_OK) == 0 ? 0 : EACCES;
  };
  if (command.empty()) return ENOENT;
  if (command.find('/') != std::string::npos) return check(command);
  const char* variable = std::getenv("PATH");
  const std::string path = variable == nullptr ? "/bin:/usr/bin" : variable;
  int error = ENOENT;
  size_t begin = 0;
  while (begin <= path.size()) {
    const size_t end = std::min(path.find(':', begin), path.size());
    const std::string folder = path.substr(begin, end - begin);
    const int found = check(absl::StrCat(folder.empty() ? "." : folder, "/", command));
    if (found == 0) return 0;
    // A folder of that name does not hide a later file, and execvp goes on too.
    if (found == EACCES) error = EACCES;
    begin = end + 1;
  }
  return error;
}

}  // namespace flopsprof::viewer

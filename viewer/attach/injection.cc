// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "viewer/attach/injection.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "viewer/attach/borrowed_thread.h"
#include "viewer/attach/box.h"
#include "viewer/attach/elf_image.h"
#include "viewer/attach/libc_functions.h"
#include "viewer/attach/safe_calls.h"
#include "viewer/attach/seccomp_filter.h"

extern "C" const char flopsprof_trampoline_begin[], flopsprof_trampoline_end[];

namespace flopsprof::attach {
namespace {

constexpr int64_t kMsInNs = 1'000'000;
constexpr int64_t kThreadPatienceNs = 3000 * kMsInNs;
constexpr int64_t kLoadPatienceNs = 5000 * kMsInNs;
constexpr int kWatchdogMs = 10000;
constexpr int kRoundsBeforeRunning = 6;  // looks at waiting threads before a running one is taken
constexpr int64_t kReturnNs = 50 * kMsInNs;  // then the thread returns by itself

constexpr uint64_t kPageBytes = 4096;
constexpr uint64_t kBoxAt = kPageBytes;  // behind the trampoline
constexpr uint64_t kRequestAt = 2 * kPageBytes;
constexpr uint64_t kStackBytes = 512 << 10;
constexpr uint64_t kRegionBytes = 6 * kPageBytes + kStackBytes;
static_assert(sizeof(Box) <= kPageBytes && sizeof(shm::AttachRequest) <= 4 * kPageBytes);

std::string Error(const char* what, int64_t result) {
  return absl::StrCat(what, ": ", strerror(static_cast<int>(-result)));
}

// What flopsprof_attach refuses with.
std::string TextOf(int64_t result) {
  switch (result) {
    case shm::kAttachIsActive:
      return "it is being profiled already";
    case shm::kAttachIsPrepared:
      return "it was started under flopsprof";
    case shm::kAttachIsForked:
      return "it is the child of a process that was attached";
    case shm::kAttachOtherVersion:
      return "another version of flopsprof was attached to it before: restart it to use this one";
    default:
      return Error("in the target", result);
  }
}

// Two attaches at once would both load the library. Free again when the holder ends.
int TakeLock(const Target& target) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  const std::string name =
      absl::StrCat("flopsprof-attach-", target.Link("ns/pid"), "-", target.pid());
  memcpy(address.sun_path + 1, name.data(), std::min(name.size(), sizeof(address.sun_path) - 2));
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  const int lock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (lock < 0) return lock;
  if (bind(lock, reinterpret_cast<sockaddr*>(&address), length) == 0) return lock;
  close(lock);
  return -1;
}

// One injection, in the child.
class Injector {
 public:
  Injector(pid_t pid, const InjectionOptions& options) : target_(pid), options_(options) {}

  Injection Do() {
    const int lock = TakeLock(target_);
    if (lock < 0) return Failed("another flopsprof attach is at it");
    libc_ = FindLibc(target_);
    if (!libc_.error.empty()) return Failed(libc_.error);
    old_ = FindOldLibrary(target_, options_.library);
    if (old_.mapped && !old_.same_build) return Failed(TextOf(shm::kAttachOtherVersion));
    library_ = ReadWholeFile(options_.library);
    pidfd_ = static_cast<int>(syscall(SYS_pidfd_open, target_.pid(), 0));
    if (library_.empty() || pidfd_ < 0) {
      return Failed(Error(library_.empty() ? "our library" : "pidfd_open", -errno));
    }
    FindLeftOver();
    // Each switch between the thread and us is a wait for a core. Not permitted to everybody.
    setpriority(PRIO_PROCESS, 0, -10);
    BorrowedThread thread(target_, libc_.places);
    if (!TakeAThread(&thread)) return result_;
    Work(&thread);
    thread.PutBack();
    result_.stopped_ns = thread.stopped_ns();
    return result_;
  }

 private:
  Injection Failed(std::string error, InjectionEnd end = InjectionEnd::kFailed) {
    result_.end = end;
    result_.error = std::move(error);
    return result_;
  }

  // Threads that wait where they may be borrowed, the best first; and those that run.
  struct Candidates {
    std::vector<pid_t> waiting, running;
  };
  Candidates Look() const {
    std::vector<std::pair<int, pid_t>> ranked;
    Candidates found;
    const std::vector<Mapping> mappings = target_.Mappings();
    for (const pid_t thread : target_.Threads()) {
      const std::optional<WaitingCall> call = target_.CallOf(thread);
      if (!call.has_value()) {
        found.running.push_back(thread);
        continue;
      }
      const bool in_libc = call->pc >= libc_.places.begin && call->pc < libc_.places.end;
      const CallRank rank = RankCall(*call, in_libc);
      if (rank == CallRank::kNo || IsOfLoaderOrMalloc(mappings, call->pc)) continue;
      // The program's first thread last.
      const int order = (rank == CallRank::kGood ? 0 : 2) + (thread == target_.pid() ? 1 : 0);
      ranked.emplace_back(order, thread);
    }
    std::sort(ranked.begin(), ranked.end());
    for (const auto& [order, thread] : ranked) found.waiting.push_back(thread);
    return found;
  }

  bool TakeAThread(BorrowedThread* thread) {
    const int64_t until_ns = MonotonicNs() + kThreadPatienceNs;
    for (int round = 0; MonotonicNs() < until_ns; ++round) {
      const Candidates found = Look();
      for (const bool running : {false, true}) {
        if (running && (round < kRoundsBeforeRunning || round % 3 != 0)) continue;
        for (const pid_t id : running ? found.running : found.waiting) {
          ++result_.tries;
          switch (thread->Take(id, target_.Mappings(), running)) {
            case BorrowedThread::Outcome::kTaken:
              return true;
            case BorrowedThread::Outcome::kForbidden:
              Failed("tracing it is not permitted", InjectionEnd::kForbidden);
              return false;
            default:
              break;
          }
        }
      }
      if (target_.Read("status").empty()) {
        Failed("it has ended");
        return false;
      }
      usleep(1000);
    }
    Failed(absl::StrCat("none of its threads came, within 3 s, to wait where code may be run (",
                        result_.tries, " tries)"),
           InjectionEnd::kNoThread);
    return false;
  }

  void Work(BorrowedThread* thread) {
    if (IsFiltered(thread->id())) {
      if (const std::string why = WhyFiltersForbid(thread->id()); !why.empty()) {
        Failed(why);
        return;
      }
    }
    if (!thread->Prepare()) {
      Failed("its stack cannot be written");
      return;
    }
    for (const uint64_t descriptor : left_over_) thread->Call(SYS_close, {descriptor});
    const int64_t made =
        thread->Call(SYS_mmap, {0, kRegionBytes, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS, static_cast<uint64_t>(-1), 0});
    if (made < 0 && made > -4096) {
      Failed(Error("mmap in the target", made));
      return;
    }
    region_ = static_cast<uint64_t>(made);
    if (RunThere(thread)) thread->Call(SYS_munmap, {region_, kRegionBytes});
  }

  // Under a filter that is not ours as well. Filters are inherited and never taken off: in one
  // container as many as we have are those of the container, under which we make the same calls;
  // and who is under one cannot read any.
  bool IsFiltered(pid_t thread) const {
    const std::string file = absl::StrCat("task/", thread, "/status");
    if (target_.Status("Seccomp", file) != "2") return false;
    const std::string ours = Target(getpid()).Status("Seccomp_filters");
    return ours.empty() || ours == "0" || target_.Status("Seccomp_filters", file) != ours;
  }

  // True: the thread stands still and nobody uses the region any more.
  bool RunThere(BorrowedThread* thread) {
    const size_t code_bytes =
        static_cast<size_t>(flopsprof_trampoline_end - flopsprof_trampoline_begin);
    if (!target_.Poke(region_, flopsprof_trampoline_begin, code_bytes)) {
      Failed("its memory cannot be written");
      return true;
    }
    // Never writable and executable.
    const int64_t code = thread->Call(SYS_mprotect, {region_, kPageBytes, PROT_READ | PROT_EXEC});
    if (code < 0) {
      Failed(Error("it may not make code executable", code));
      return true;
    }
    Box box;
    if (!Fill(thread, &box)) return true;
    const uint64_t box_at = region_ + kBoxAt;
    box.frame = thread->WriteFrame(region_ + kRegionBytes - 64);
    if (box.frame == 0 || !target_.Poke(box_at, &box, sizeof(box))) {
      Failed("its memory cannot be written");
      if (box.memory >= 0) thread->Call(SYS_close, {static_cast<uint64_t>(box.memory)});
      return true;
    }
    if (!thread->Run(region_, (box.frame - 256) & ~uint64_t{15}, box_at)) {
      Failed("it has ended");
      return false;
    }
    return Await(thread, box_at);
  }

  // The box, without the frame; where the library is not there, its memory file is.
  bool Fill(BorrowedThread* thread, Box* box) {
    shm::AttachRequest request = {};
    request.version = shm::kAttachVersion;
    if (options_.settings.size() > sizeof(request.settings)) {
      Failed("its environment is too large");
      return false;
    }
    request.settings_bytes = static_cast<uint32_t>(options_.settings.size());
    memcpy(request.settings, options_.settings.data(), options_.settings.size());
    box->argument = region_ + kRequestAt;
    if (!target_.Poke(box->argument, &request, sizeof(request))) {
      Failed("its memory cannot be written");
      return false;
    }
    box->dlsym_function = libc_.dlsym;
    box->dlerror_function = libc_.dlerror;
    box->errno_function = libc_.errno_location;
    box->wait_nanoseconds = kReturnNs;
    box->state = static_cast<uint32_t>(BoxState::kRunning);
    strcpy(box->symbol, "flopsprof_attach");
    box->start = old_.start;
    if (old_.start != 0) return true;
    box->dlopen_function = libc_.dlopen;
    const int64_t memory = MakeMemoryFile(thread);
    if (memory < 0) {
      Failed(Error("a memory file in the target", memory));
      return false;
    }
    box->memory = memory;
    snprintf(box->path, sizeof(box->path), "/proc/self/fd/%lld", static_cast<long long>(memory));
    return true;
  }

  int64_t MakeMemoryFile(BorrowedThread* thread) {
    const uint64_t name_at = region_ + kBoxAt;
    if (!target_.Poke(name_at, kMemoryName, sizeof(kMemoryName))) return -EFAULT;
    const int64_t memory = thread->Call(SYS_memfd_create, {name_at, MFD_CLOEXEC});
    if (memory < 0) return memory;
    const int ours = static_cast<int>(syscall(SYS_pidfd_getfd, pidfd_, memory, 0));
    int64_t wrong = ours < 0 ? -errno : 0;
    if (ours >= 0) {
      const ssize_t written = write(ours, library_.data(), library_.size());
      if (written != static_cast<ssize_t>(library_.size())) wrong = -EIO;
      close(ours);
    }
    if (wrong == 0) return memory;
    thread->Call(SYS_close, {static_cast<uint64_t>(memory)});
    return wrong;
  }

  // Memory files of attaches that died between making and loading them.
  void FindLeftOver() {
    std::error_code ignored;
    const std::string begin = absl::StrCat("/memfd:", kMemoryName);
    for (const auto& entry : std::filesystem::directory_iterator(
             absl::StrCat("/proc/", target_.pid(), "/fd"), ignored)) {
      const std::string name = entry.path().filename();
      uint64_t descriptor = 0;
      if (target_.Link("fd/" + name).rfind(begin, 0) == 0 && absl::SimpleAtoi(name, &descriptor)) {
        left_over_.push_back(descriptor);
      }
    }
  }

  bool Await(BorrowedThread* thread, uint64_t box_at) {
    const int64_t until_ns = MonotonicNs() + kLoadPatienceNs;
    uint32_t state = 0;
    while (state != static_cast<uint32_t>(BoxState::kDone)) {
      if (!thread->Follow() ||
          !target_.Peek(box_at + offsetof(Box, state), &state, sizeof(state))) {
        Failed("it ended meanwhile");
        return false;
      }
      if (MonotonicNs() > until_ns) {
        Failed("the library did not load within 5 s; the thread goes on by itself",
               InjectionEnd::kUnfinished);
        return false;
      }
      usleep(20);
    }
    // What it has done stays done also where it puts itself back, with the region as it is.
    const bool stands_still = thread->StopAgain(region_, region_ + kPageBytes);
    Box box;
    if (!target_.Peek(box_at, &box, sizeof(box))) {
      Failed("it ended meanwhile");
    } else if (box.result == 0) {
      result_.end = InjectionEnd::kDone;
    } else {
      Failed(box.error != 0 ? TextAt(box.error) : TextOf(box.result));
    }
    return stands_still;
  }

  std::string TextAt(uint64_t address) const {
    std::string text;
    char c = 0;
    while (text.size() < 300 && target_.Peek(address + text.size(), &c, 1) && c != '\0') text += c;
    return absl::StrCat("in the target: ", text);
  }

  const Target target_;
  const InjectionOptions& options_;
  LibcFunctions libc_;
  OldLibrary old_;
  std::string library_;
  std::vector<uint64_t> left_over_;
  int pidfd_ = -1;
  uint64_t region_ = 0;
  Injection result_;
};

struct Answer {
  InjectionEnd end;
  int tries;
  int64_t stopped_ns;
  char error[512];
};

[[noreturn]] void InChild(pid_t pid, const InjectionOptions& options, int answer_to) {
  // Ctrl-Z would leave a thread of the target stopped.
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
  const Injection done = Injector(pid, options).Do();
  Answer answer = {done.end, done.tries, done.stopped_ns, {}};
  snprintf(answer.error, sizeof(answer.error), "%s", done.error.c_str());
  const ssize_t written = write(answer_to, &answer, sizeof(answer));
  _exit(written == sizeof(answer) ? 0 : 1);
}

}  // namespace

OldLibrary FindOldLibrary(const Target& target, const std::string& library) {
  OldLibrary old;
  const std::string name = absl::StrCat("/memfd:", kMemoryName);
  for (const Mapping& mapping : target.Mappings()) {
    if (mapping.path.rfind(name, 0) != 0 || mapping.offset != 0) continue;
    old.mapped = true;
    const ElfImage ours(ReadWholeFile(library), mapping);
    const std::string id = ours.BuildId();
    const uint64_t id_at = ours.BuildIdAddress();
    std::string theirs(id.size(), '\0');
    old.same_build =
        !id.empty() && target.Peek(id_at, theirs.data(), theirs.size()) && theirs == id;
    if (!old.same_build) return old;
    old.start = ours.Symbol("flopsprof_attach");
    old.status_address = ours.Symbol("flopsprof_attach_status");
    if (old.start == 0 || !target.Peek(old.status_address, &old.status, sizeof(old.status))) {
      old.same_build = false;
    }
    return old;
  }
  return old;
}

Injection Inject(pid_t pid, const InjectionOptions& options) {
  Injection result;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    result.error = Error("pipe", -errno);
    return result;
  }
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    InChild(pid, options, ends[1]);
  }
  close(ends[1]);
  Answer answer = {};
  pollfd wait{ends[0], POLLIN, 0};
  const bool answered = child > 0 && poll(&wait, 1, kWatchdogMs) == 1 &&
                        read(ends[0], &answer, sizeof(answer)) == sizeof(answer);
  close(ends[0]);
  if (child > 0) {
    if (!answered) kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }
  if (!answered) {
    result.end = InjectionEnd::kUnfinished;
    result.error = "the attach did not come to an end within 10 s and was given up";
    return result;
  }
  result.end = answer.end;
  result.tries = answer.tries;
  result.stopped_ns = answer.stopped_ns;
  result.error = answer.error;
  return result;
}

}  // namespace flopsprof::attach

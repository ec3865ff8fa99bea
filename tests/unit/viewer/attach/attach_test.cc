// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <linux/audit.h>
#include <linux/futex.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <functional>

#include "viewer/attach/borrowed_thread.h"
#include "viewer/attach/box.h"
#include "viewer/attach/libc_functions.h"
#include "viewer/attach/safe_calls.h"
#include "viewer/attach/seccomp_filter.h"
#include "viewer/attach/signal_frame.h"

extern "C" const char flopsprof_trampoline_begin[], flopsprof_trampoline_end[];

namespace flopsprof::attach {
namespace {

using Outcome = BorrowedThread::Outcome;

// A program that waits; two sockets to talk with it.
struct Waiting {
  explicit Waiting(const std::function<int(int, int)>& run) {
    socketpair(AF_UNIX, SOCK_STREAM, 0, first);
    socketpair(AF_UNIX, SOCK_STREAM, 0, second);
    pid = fork();
    if (pid != 0) return;
    close(first[0]), close(second[0]);
    _exit(run(first[1], second[1]));
  }
  void AwaitCall(int64_t number, int descriptor) const {
    const Target target(pid);
    for (;;) {
      const auto call = target.CallOf(pid);
      if (call.has_value() && call->number == number &&
          call->arguments[0] == static_cast<uint64_t>(descriptor)) {
        return;
      }
      usleep(100);
    }
  }
  void Say(const int* to) const { EXPECT_EQ(write(to[0], "x", 1), 1); }
  int End() const {
    close(first[0]), close(first[1]), close(second[0]), close(second[1]);
    int status = 0;
    EXPECT_EQ(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  int first[2], second[2];
  pid_t pid;
};

// Refused for its stack, since no mapping is known.
void StopAndLetGo(pid_t pid) {
  const Target target(pid);
  BorrowedThread thread(target, FindLibc(target).places);
  const Outcome outcome = thread.Take(pid, {}, /*run_to_call=*/false);
  if (outcome == Outcome::kForbidden) GTEST_SKIP() << "this machine does not let us trace a child";
  EXPECT_EQ(outcome, Outcome::kRefused);
}

TEST(BorrowedThreadTest, ARefusedOneSeesNothingOfItInEpoll) {
  const Waiting child([](int socket, int) {
    const int poll = epoll_create1(0);
    epoll_event event = {EPOLLIN, {}};
    epoll_ctl(poll, EPOLL_CTL_ADD, socket, &event);
    dup2(poll, 100);
    return epoll_wait(100, &event, 1, -1) == 1 ? 0 : 1;
  });
  child.AwaitCall(SYS_epoll_wait, 100);
  StopAndLetGo(child.pid);
  child.Say(child.first);
  EXPECT_EQ(child.End(), 0);
}

TEST(BorrowedThreadTest, ARefusedOneSeesNothingOfItInASocketWithATimeOut) {
  const Waiting child([](int socket, int) {
    const timeval wait = {100, 0};
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
    char byte = 0;
    return recv(socket, &byte, 1, 0) == 1 && byte == 'x' ? 0 : 1;
  });
  child.AwaitCall(SYS_recvfrom, child.first[1]);
  StopAndLetGo(child.pid);
  child.Say(child.first);
  EXPECT_EQ(child.End(), 0);
}

// The parent of a vfork cannot be stopped before its child has ended. It ends only when asked to:
// our own child's end could otherwise be fetched by the last Take.
TEST(BorrowedThreadTest, OneThatStopsLateIsLetGo) {
  const Waiting child([](int first, int second) {
    const pid_t grandchild = vfork();
    if (grandchild == 0) {
      char byte;
      syscall(SYS_read, first, &byte, 1);
      syscall(SYS_exit, 0);
    }
    char byte;
    return write(second, "x", 1) == 1 && read(first, &byte, 1) == 1 ? 0 : 1;
  });
  const Target target(child.pid);
  while (target.Status("State")[0] != 'D') usleep(100);
  BorrowedThread thread(target, FindLibc(target).places);
  const Outcome outcome = thread.Take(child.pid, {}, false);
  if (outcome == Outcome::kForbidden) GTEST_SKIP() << "this machine does not let us trace a child";
  EXPECT_EQ(outcome, Outcome::kGone);
  EXPECT_EQ(thread.Take(child.pid, {}, false), Outcome::kGone);
  child.Say(child.first);
  pollfd answer{child.second[0], POLLIN, 0};
  int looks = 0;
  for (; looks < 10000 && poll(&answer, 1, 10) == 0; ++looks) thread.Take(child.pid, {}, false);
  EXPECT_LT(looks, 10000);
  child.Say(child.first);
  EXPECT_EQ(child.End(), 0);
}

// We wait for a core for longer than the thread waits for us.
TEST(BorrowedThreadTest, OneThatHasPutItselfBackIsNotTouched) {
  const Waiting child([](int first, int second) {
    char byte = 0;
    if (read(first, &byte, 1) != 1) return 1;
    return read(second, &byte, 1) == 1 ? 0 : 2;
  });
  child.AwaitCall(SYS_read, child.first[1]);
  const Target target(child.pid);
  const LibcFunctions libc = FindLibc(target);
  BorrowedThread thread(target, libc.places);
  const Outcome outcome = thread.Take(child.pid, target.Mappings(), false);
  if (outcome == Outcome::kForbidden) GTEST_SKIP() << "this machine does not let us trace a child";
  ASSERT_EQ(outcome, Outcome::kTaken);
  ASSERT_TRUE(thread.Prepare());
  constexpr uint64_t kPage = 4096, kBytes = 32 * kPage;
  const auto region = static_cast<uint64_t>(
      thread.Call(SYS_mmap, {0, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                             static_cast<uint64_t>(-1), 0}));
  ASSERT_TRUE(
      target.Poke(region, flopsprof_trampoline_begin,
                  static_cast<size_t>(flopsprof_trampoline_end - flopsprof_trampoline_begin)));
  ASSERT_EQ(thread.Call(SYS_mprotect, {region, kPage, PROT_READ | PROT_EXEC}), 0);
  Box box;
  box.dlsym_function = libc.dlsym;
  box.dlerror_function = libc.dlerror;
  box.errno_function = box.start = libc.errno_location;
  box.frame = thread.WriteFrame(region + kBytes - 64);
  ASSERT_TRUE(target.Poke(region + kPage, &box, sizeof(box)));
  ASSERT_TRUE(thread.Run(region, (box.frame - 256) & ~uint64_t{15}, region + kPage));
  child.Say(child.first);
  child.AwaitCall(SYS_read, child.second[1]);
  EXPECT_FALSE(thread.StopAgain(region, region + kPage));
  thread.PutBack();
  child.Say(child.second);
  EXPECT_EQ(child.End(), 0);
}

TEST(SafeCallsTest, WhatWaitsInTheLoaderOrInAnAllocatorIsNotTaken) {
  const auto lies_in = [](const char* path) {
    Mapping mapping;
    mapping.begin = 0x1000, mapping.end = 0x2000, mapping.path = path;
    return IsOfLoaderOrMalloc({mapping}, 0x1800);
  };
  EXPECT_TRUE(lies_in("/lib64/ld-linux-x86-64.so.2"));
  EXPECT_TRUE(lies_in("/usr/lib/libtcmalloc_minimal.so.4.5.9"));
  EXPECT_FALSE(lies_in("/usr/lib/libc.so.6"));
  EXPECT_FALSE(lies_in("/usr/lib/libgomp.so.1"));
}

WaitingCall Futex(int operation, uint64_t timeout) {
  WaitingCall call;
  call.number = SYS_futex;
  call.arguments[1] = static_cast<uint64_t>(operation);
  call.arguments[3] = timeout;
  return call;
}

TEST(SafeCallsTest, ALockOfLibcIsNeverTaken) {
  EXPECT_EQ(RankCall(Futex(FUTEX_WAIT_PRIVATE, 0), /*pc_is_in_libc=*/true), CallRank::kNo);
  EXPECT_EQ(RankCall(Futex(FUTEX_LOCK_PI_PRIVATE, 0), /*pc_is_in_libc=*/false), CallRank::kNo);
}

TEST(SafeCallsTest, AConditionAndAnotherLibrarysBarrierAreTaken) {
  const int condition = FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME;
  EXPECT_EQ(RankCall(Futex(condition, 0), /*pc_is_in_libc=*/true), CallRank::kGood);
  EXPECT_EQ(RankCall(Futex(condition, 1), /*pc_is_in_libc=*/true), CallRank::kFair);
  EXPECT_EQ(RankCall(Futex(FUTEX_WAIT_PRIVATE, 0), /*pc_is_in_libc=*/false), CallRank::kGood);
}

TEST(SafeCallsTest, CallsOfMallocAndTheLoaderAreNot) {
  for (const int64_t number : {SYS_brk, SYS_mmap, SYS_munmap, SYS_mprotect, SYS_madvise, SYS_openat,
                               SYS_pread64, SYS_close, SYS_ioctl, SYS_write}) {
    WaitingCall call;
    call.number = number;
    EXPECT_EQ(RankCall(call, /*pc_is_in_libc=*/true), CallRank::kNo) << number;
  }
}

// What libseccomp makes of "memfd_create: kill, all else: allow", without the check of the kind of
// processor.
TEST(SeccompFilterTest, AnswersAsTheKernelDoes) {
  const std::vector<sock_filter> filter = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_memfd_create, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  EXPECT_EQ(RunFilter(filter, {SYS_memfd_create, AUDIT_ARCH_X86_64, 0, {}}),
            SECCOMP_RET_KILL_PROCESS);
  EXPECT_EQ(RunFilter(filter, {SYS_mmap, AUDIT_ARCH_X86_64, 0, {}}), SECCOMP_RET_ALLOW);
}

TEST(SeccompFilterTest, WhatIsNotUnderstoodKills) {
  const std::vector<sock_filter> divides = {BPF_STMT(BPF_ALU | BPF_DIV | BPF_K, 2),
                                            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  EXPECT_EQ(RunFilter(divides, {}), SECCOMP_RET_KILL_PROCESS);
  EXPECT_EQ(RunFilter({}, {}), SECCOMP_RET_KILL_PROCESS);
}

TEST(LibcFunctionsTest, AreWhereTheLoaderHasThem) {
  const LibcFunctions found = FindLibc(Target(getpid()));
  ASSERT_EQ(found.error, "");
  EXPECT_EQ(found.dlsym, reinterpret_cast<uint64_t>(dlsym(RTLD_DEFAULT, "dlsym")));
  EXPECT_EQ(found.errno_location,
            reinterpret_cast<uint64_t>(dlsym(RTLD_DEFAULT, "__errno_location")));
  const auto* code = reinterpret_cast<const unsigned char*>(found.places.syscall_ret);
  EXPECT_EQ(code[0] << 16 | code[1] << 8 | code[2], 0x0f05c3);
}

TEST(SignalFrameTest, MakesAnInterruptedCallAgain) {
  ThreadContext context;
  context.vectors.assign(4096, '\0');
  context.registers.rip = 0x1002;
  context.registers.rax = static_cast<uint64_t>(-514);
  context.makes_call_again = true;
  context.call_again = SYS_poll;
  const SignalFrame frame = MakeSignalFrame(context, 0x5000, 0x100000);
  // Offsets of the kernel's struct rt_sigframe.
  const auto word = [&frame](size_t at) {
    uint64_t value;
    memcpy(&value, frame.bytes.data() + at, sizeof(value));
    return value;
  };
  EXPECT_EQ(word(0), 0x5000u);
  EXPECT_EQ(word(152), static_cast<uint64_t>(SYS_poll));  // rax
  EXPECT_EQ(word(176), 0x1000u);                          // rip, on the instruction again
  EXPECT_EQ(frame.vectors_address % 64, 0u);
  EXPECT_EQ((frame.address + 8) % 16, 0u);
  EXPECT_LE(frame.address + frame.bytes.size(), frame.vectors_address);
  EXPECT_LE(frame.vectors_address + frame.vectors.size(), 0x100000u);
}

}  // namespace
}  // namespace flopsprof::attach

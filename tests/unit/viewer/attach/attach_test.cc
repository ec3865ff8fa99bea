// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <linux/audit.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "viewer/attach/libc_functions.h"
#include "viewer/attach/safe_calls.h"
#include "viewer/attach/seccomp_filter.h"
#include "viewer/attach/signal_frame.h"

namespace flopsprof::attach {
namespace {

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

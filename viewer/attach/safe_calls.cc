// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "viewer/attach/safe_calls.h"

#include <linux/futex.h>
#include <sys/syscall.h>

#include <cerrno>

namespace flopsprof::attach {

CallRank RankCall(const WaitingCall& call, bool pc_is_in_libc) {
  const uint64_t* a = call.arguments;
  switch (call.number) {
    case SYS_futex: {
      // Conditions, semaphores and joins of glibc wait with FUTEX_WAIT_BITSET; its own locks
      // (malloc, loader, stdio) with FUTEX_WAIT, as do libgomp's barriers, outside of libc.
      const auto operation = static_cast<int>(a[1]) & FUTEX_CMD_MASK;
      const bool no_lock =
          operation == FUTEX_WAIT_BITSET || (operation == FUTEX_WAIT && !pc_is_in_libc);
      if (!no_lock) return CallRank::kNo;
      return a[3] == 0 ? CallRank::kGood : CallRank::kFair;
    }
    case SYS_poll:
      return static_cast<int>(a[2]) < 0 ? CallRank::kGood : CallRank::kFair;
    case SYS_ppoll:
      return a[2] == 0 ? CallRank::kGood : CallRank::kFair;
    case SYS_select:
    case SYS_pselect6:
      return a[4] == 0 ? CallRank::kGood : CallRank::kFair;
    case SYS_epoll_wait:
    case SYS_epoll_pwait:
      return static_cast<int>(a[3]) < 0 ? CallRank::kGood : CallRank::kFair;
    case SYS_epoll_pwait2:
    case SYS_nanosleep:
    case SYS_clock_nanosleep:
    case SYS_pause:
    case SYS_rt_sigtimedwait:
    case SYS_rt_sigsuspend:
    case SYS_restart_syscall:
    case SYS_accept:
    case SYS_accept4:
    case SYS_recvfrom:
    case SYS_recvmsg:
    case SYS_read:
    case SYS_wait4:
    case SYS_waitid:
      return CallRank::kFair;
    default:
      return CallRank::kNo;
  }
}

bool IsOfLoaderOrMalloc(const std::vector<Mapping>& mappings, uint64_t pc) {
  const Mapping* const code = MappingOf(mappings, pc);
  if (code == nullptr) return false;
  const std::string_view file = FileOf(code->path);
  // ld-linux-x86-64.so.2, ld-2.35.so; libtcmalloc.so.4, libjemalloc.so.2, libmimalloc.so.2
  return file.rfind("ld-", 0) == 0 || file.find("malloc") != std::string_view::npos;
}

bool StopsWithEintr(int64_t number) {
  switch (number) {
    case SYS_semop:
    case SYS_semtimedop:
    case SYS_io_getevents:
    // Of sockets with a time-out (SO_RCVTIMEO).
    case SYS_read:
    case SYS_recvfrom:
    case SYS_recvmsg:
    case SYS_accept:
    case SYS_accept4:
    case SYS_epoll_wait:
    case SYS_epoll_pwait:
    case SYS_epoll_pwait2:
    case SYS_rt_sigtimedwait:
      return true;
    default:
      return false;
  }
}

bool IsRestarting(int64_t result) {
  // ERESTARTSYS, ERESTARTNOINTR, ERESTARTNOHAND, ERESTART_RESTARTBLOCK
  return result == -512 || result == -513 || result == -514 || result == -516;
}

}  // namespace flopsprof::attach

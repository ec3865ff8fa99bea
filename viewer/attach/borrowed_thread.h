// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

#include "viewer/attach/signal_frame.h"
#include "viewer/attach/target.h"

namespace flopsprof::attach {

// Where code of the target's C library lies.
struct LibcPlaces {
  uint64_t begin = 0;
  uint64_t end = 0;
  uint64_t syscall_ret = 0;  // `syscall; ret`
  uint64_t restore_rt = 0;   // `mov $15, %rax; syscall`
};

// A thread of the target that we stop, steer and put back.
//
// Rule: at whatever instruction this process dies, the target goes on by itself. Before the
// thread's registers are touched, a signal frame with all of them lies in the target's memory, and
// every way of the thread that we do not steer any more ends in rt_sigreturn on that frame.
// PTRACE_O_EXITKILL is never set: the kernel lets a tracer's threads go when the tracer dies.
//
// One thread of ours, which is the tracer.
class BorrowedThread {
 public:
  enum class Outcome {
    kTaken,      // it stands still, nothing of it is changed
    kRefused,    // it runs on: it was not where it may be borrowed
    kGone,       // it ends, or cannot be stopped now
    kForbidden,  // we may not trace it
  };

  BorrowedThread(const Target& target, const LibcPlaces& libc) : target_(target), libc_(libc) {}
  ~BorrowedThread() { PutBack(); }
  BorrowedThread(const BorrowedThread&) = delete;
  BorrowedThread& operator=(const BorrowedThread&) = delete;

  // Stops it if it waits in a call that is safe. `run_to_call`: a running one is let run, for at
  // most 20 ms, until it comes to such a call.
  Outcome Take(pid_t thread, const std::vector<Mapping>& mappings, bool run_to_call);
  pid_t id() const { return thread_; }

  // Writes the frame that needs nobody, then steers the thread, then blocks its signals. False: the
  // thread is as it was.
  bool Prepare();
  // A system call there, of a prepared thread. Negative: -errno; -ESRCH also where the thread is
  // gone or did not stop in time.
  int64_t Call(int64_t number, const std::vector<uint64_t>& arguments);
  // Another frame with which the thread puts itself back, below `top`. 0: it could not be written.
  uint64_t WriteFrame(uint64_t top);
  // Lets it run `code` on another stack, with rbx = `box`.
  bool Run(uint64_t code, uint64_t stack, uint64_t box);
  // While it runs: passes what it would stop for on. False: it has ended.
  bool Follow();
  // Stops it again. False: it returns by itself, or has: it was not found in [begin, end), where
  // the code lies that it runs. Then nothing of it is touched any more.
  bool StopAgain(uint64_t begin, uint64_t end);

  // Puts it back exactly as it was found, restart of its call included, and lets it go.
  void PutBack();

  // From the stop to the return, so far: the time in which it did not run code of its own.
  int64_t stopped_ns() const;

 private:
  Outcome StopInCall(const std::vector<Mapping>& mappings, int* signal);
  bool RunToCall(const std::vector<Mapping>& mappings, int* signal);
  bool IsSafe(const user_regs_struct& registers, const std::vector<Mapping>& mappings) const;
  bool SaveContext(const user_regs_struct& registers);
  void LetGo(int signal);
  // It did not stop in time, as in an uninterruptible wait: it is let go once it does.
  void GiveUp();
  void LetLateOnesGo();
  // Status of the next stop; 0: none within the time; -1: the thread is gone.
  int WaitForStop(int64_t timeout_ns);

  const Target& target_;
  const LibcPlaces libc_;
  std::vector<pid_t> late_;  // given up, and not stopped yet
  pid_t thread_ = 0;         // 0: none is taken
  bool runs_ = false;        // our code
  bool changed_ = false;
  ThreadContext context_;
  uint64_t first_frame_ = 0;
  int later_signal_ = 0;  // that came while all were blocked, such as SIGSTOP
  int64_t stopped_since_ns_ = 0;
  int64_t stopped_ns_ = 0;
};

int64_t MonotonicNs();

}  // namespace flopsprof::attach

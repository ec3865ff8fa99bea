// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "viewer/attach/borrowed_thread.h"

#include <elf.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <string>

#include "viewer/attach/safe_calls.h"

namespace flopsprof::attach {
namespace {

constexpr int64_t kMs = 1'000'000;
constexpr int64_t kStopPatienceNs = 200 * kMs;
constexpr int64_t kRunPatienceNs = 20 * kMs;
constexpr int64_t kCallPatienceNs = 3000 * kMs;
constexpr int kSpins = 200;  // looks without a pause: most stops come within microseconds
constexpr size_t kMaskBytes = 8;
constexpr size_t kMostVectorBytes = 16384;
constexpr uint64_t kRedZone = 128;
constexpr uint64_t kStackNeeded = 20480;  // the frame with AMX's tiles, and room for a handler
constexpr uint64_t kDirectionFlag = 0x400;
constexpr uint64_t kPlainFlags = 0x202;
constexpr auto kNoCall = static_cast<uint64_t>(-1);
constexpr int64_t kRestartUnlessHandled = -514;  // ERESTARTNOHAND
constexpr int kEventStop = 128;                  // PTRACE_EVENT_STOP
constexpr int kSyscallStop = SIGTRAP | 0x80;

bool IsEventStop(int status) { return status >> 16 == kEventStop; }
bool IsSyscallStop(int status) { return status >> 8 == kSyscallStop; }

bool GetRegisters(pid_t thread, user_regs_struct* registers) {
  iovec part{registers, sizeof(*registers)};
  return ptrace(PTRACE_GETREGSET, thread, NT_PRSTATUS, &part) == 0;
}

bool SetRegisters(pid_t thread, const user_regs_struct& registers) {
  iovec part{const_cast<user_regs_struct*>(&registers), sizeof(registers)};
  return ptrace(PTRACE_SETREGSET, thread, NT_PRSTATUS, &part) == 0;
}

// Lets a thread go whose registers are its own. A program must not see that it was stopped.
void LetGoUnseen(pid_t thread, int signal) {
  user_regs_struct r;
  if (signal == 0 && GetRegisters(thread, &r) && static_cast<int64_t>(r.orig_rax) >= 0 &&
      static_cast<int64_t>(r.rax) == -EINTR && StopsWithEintr(static_cast<int64_t>(r.orig_rax))) {
    r.rax = static_cast<uint64_t>(kRestartUnlessHandled);
    SetRegisters(thread, r);
  }
  ptrace(PTRACE_DETACH, thread, 0, signal);
}

WaitingCall CallIn(const user_regs_struct& r) {
  WaitingCall call;
  call.number = static_cast<int64_t>(r.orig_rax);
  const uint64_t arguments[6] = {r.rdi, r.rsi, r.rdx, r.r10, r.r8, r.r9};
  for (int i = 0; i < 6; ++i) call.arguments[i] = arguments[i];
  call.pc = r.rip;
  return call;
}

bool WillBeMadeAgain(const user_regs_struct& r) {
  const auto number = static_cast<int64_t>(r.orig_rax);
  const auto result = static_cast<int64_t>(r.rax);
  if (number < 0) return false;
  return IsRestarting(result) || (result == -EINTR && StopsWithEintr(number));
}

// A regular stack that has room below its top: no alternate signal stack, no fibre.
bool HasRoomOnStack(const user_regs_struct& r, const std::vector<Mapping>& mappings) {
  const Mapping* stack = MappingOf(mappings, r.rsp);
  if (stack == nullptr || !stack->write || r.rsp - stack->begin < kStackNeeded) return false;
  return stack->path == "[stack]" || (r.fs_base > r.rsp && r.fs_base < stack->end);
}

}  // namespace

int64_t MonotonicNs() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * int64_t{1'000'000'000} + now.tv_nsec;
}

int BorrowedThread::WaitForStop(int64_t timeout_ns) {
  const int64_t until_ns = MonotonicNs() + timeout_ns;
  for (int looks = 0;; ++looks) {
    int status = 0;
    LetLateOnesGo();
    const pid_t got = waitpid(thread_, &status, __WALL | WNOHANG);
    if (got == thread_) return WIFSTOPPED(status) ? status : -1;
    if (got < 0) return -1;
    if (MonotonicNs() > until_ns) return 0;
    if (looks > kSpins) usleep(20);
  }
}

bool BorrowedThread::IsSafe(const user_regs_struct& r, const std::vector<Mapping>& mappings) const {
  const bool in_libc = r.rip >= libc_.begin && r.rip < libc_.end;
  return static_cast<int64_t>(r.orig_rax) >= 0 && RankCall(CallIn(r), in_libc) != CallRank::kNo &&
         !IsOfLoaderOrMalloc(mappings, r.rip);
}

void BorrowedThread::LetGo(int signal) {
  LetGoUnseen(thread_, signal);
  thread_ = 0;
  stopped_ns_ += MonotonicNs() - stopped_since_ns_;
}

void BorrowedThread::GiveUp() {
  late_.push_back(thread_);
  thread_ = 0;
}

void BorrowedThread::LetLateOnesGo() {
  for (size_t i = 0; i < late_.size();) {
    int status = 0;
    const pid_t got = waitpid(late_[i], &status, __WALL | WNOHANG);
    if (got == 0) {
      ++i;
      continue;
    }
    if (got > 0 && WIFSTOPPED(status)) {
      LetGoUnseen(late_[i], IsEventStop(status) || IsSyscallStop(status) ? 0 : WSTOPSIG(status));
    }
    late_.erase(late_.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

BorrowedThread::Outcome BorrowedThread::Take(pid_t thread, const std::vector<Mapping>& mappings,
                                             bool run_to_call) {
  LetLateOnesGo();
  if (std::find(late_.begin(), late_.end(), thread) != late_.end()) return Outcome::kGone;
  if (ptrace(PTRACE_SEIZE, thread, 0, PTRACE_O_TRACESYSGOOD) != 0) {
    // A thread that ends gives EPERM too.
    return errno == EPERM && !target_.IsEnding(thread) ? Outcome::kForbidden : Outcome::kGone;
  }
  thread_ = thread;
  stopped_ns_ = 0;
  stopped_since_ns_ = MonotonicNs();
  ptrace(PTRACE_INTERRUPT, thread, 0, 0);
  int status = WaitForStop(kStopPatienceNs);
  if (status <= 0) {
    GiveUp();
    return Outcome::kGone;
  }
  int signal = IsEventStop(status) ? 0 : WSTOPSIG(status);
  user_regs_struct registers;
  bool ok = signal == 0 && GetRegisters(thread, &registers) && WillBeMadeAgain(registers) &&
            IsSafe(registers, mappings);
  if (!ok && signal == 0 && run_to_call) {
    ok = RunToCall(mappings, &signal) && GetRegisters(thread, &registers) &&
         IsSafe(registers, mappings);
  }
  if (thread_ == 0) return Outcome::kGone;
  if (ok && HasRoomOnStack(registers, mappings) && SaveContext(registers)) return Outcome::kTaken;
  LetGo(signal);
  return Outcome::kRefused;
}

// To the entry of a call that is safe, and into it: an interrupt that is pending there makes it
// return at once if it would wait. True: it stands behind the call. What came instead is in
// `signal`.
bool BorrowedThread::RunToCall(const std::vector<Mapping>& mappings, int* signal) {
  const int64_t until_ns = MonotonicNs() + kRunPatienceNs;
  bool at_entry = false;
  while (!at_entry && MonotonicNs() < until_ns) {
    ptrace(PTRACE_SYSCALL, thread_, 0, *signal);
    stopped_ns_ += MonotonicNs() - stopped_since_ns_;
    *signal = 0;
    int status = WaitForStop(until_ns - MonotonicNs());
    stopped_since_ns_ = MonotonicNs();
    if (status == 0) {
      ptrace(PTRACE_INTERRUPT, thread_, 0, 0);
      status = WaitForStop(kStopPatienceNs);
      if (status <= 0) GiveUp();
      if (status > 0 && !IsEventStop(status) && !IsSyscallStop(status)) *signal = WSTOPSIG(status);
      return false;
    }
    if (status < 0) {
      thread_ = 0;
      return false;
    }
    if (!IsSyscallStop(status)) {
      if (!IsEventStop(status)) *signal = WSTOPSIG(status);
      continue;
    }
    user_regs_struct registers;
    if (!GetRegisters(thread_, &registers)) return false;
    at_entry = static_cast<int64_t>(registers.rax) == -ENOSYS && IsSafe(registers, mappings);
  }
  if (!at_entry) return false;
  ptrace(PTRACE_INTERRUPT, thread_, 0, 0);
  ptrace(PTRACE_CONT, thread_, 0, 0);
  const int status = WaitForStop(kStopPatienceNs);
  if (status <= 0) GiveUp();
  if (status > 0 && !IsEventStop(status)) *signal = WSTOPSIG(status);
  return status > 0 && IsEventStop(status);
}

bool BorrowedThread::SaveContext(const user_regs_struct& registers) {
  context_ = {};
  context_.registers = registers;
  context_.vectors.resize(kMostVectorBytes);
  iovec part{context_.vectors.data(), context_.vectors.size()};
  if (ptrace(PTRACE_GETREGSET, thread_, NT_X86_XSTATE, &part) != 0) return false;
  context_.vectors.resize(part.iov_len);
  if (ptrace(PTRACE_GETSIGMASK, thread_, kMaskBytes, &context_.signal_mask) != 0) return false;
  context_.makes_call_again = WillBeMadeAgain(registers);
  context_.call_again = static_cast<int64_t>(registers.orig_rax);
  if (context_.call_again == SYS_restart_syscall) {  // the number is in the code before the call
    unsigned char code[7];                           // mov $N, %eax; syscall
    const bool known = target_.Peek(registers.rip - sizeof(code), code, sizeof(code)) &&
                       code[0] == 0xb8 && code[3] == 0 && code[4] == 0;
    context_.call_again = known ? code[1] | code[2] << 8 : -1;
  }
  return true;
}

uint64_t BorrowedThread::WriteFrame(uint64_t top) {
  const SignalFrame frame = MakeSignalFrame(context_, libc_.restore_rt, top);
  const bool written =
      target_.Poke(frame.vectors_address, frame.vectors.data(), frame.vectors.size()) &&
      target_.Poke(frame.address, frame.bytes.data(), frame.bytes.size());
  return written ? frame.address : 0;
}

bool BorrowedThread::Prepare() {
  first_frame_ = WriteFrame(context_.registers.rsp - kRedZone);
  if (first_frame_ == 0) return false;
  user_regs_struct registers = context_.registers;
  registers.rip = libc_.syscall_ret;
  registers.rsp = first_frame_;
  registers.rax = SYS_getpid;
  registers.orig_rax = kNoCall;
  registers.eflags &= ~kDirectionFlag;
  if (!SetRegisters(thread_, registers)) return false;
  changed_ = true;
  uint64_t all = ~uint64_t{0};
  return ptrace(PTRACE_SETSIGMASK, thread_, kMaskBytes, &all) == 0;
}

int64_t BorrowedThread::Call(int64_t number, const std::vector<uint64_t>& arguments) {
  user_regs_struct r = context_.registers;
  r.rip = libc_.syscall_ret;
  r.rsp = first_frame_;
  r.rax = static_cast<uint64_t>(number);
  r.orig_rax = kNoCall;
  r.eflags &= ~kDirectionFlag;
  decltype(&r.rdi) places[] = {&r.rdi, &r.rsi, &r.rdx, &r.r10, &r.r8, &r.r9};
  for (size_t i = 0; i < 6; ++i) *places[i] = i < arguments.size() ? arguments[i] : 0;
  if (thread_ == 0 || !SetRegisters(thread_, r)) return -ESRCH;
  for (int stops = 0; stops < 2;) {
    if (ptrace(PTRACE_SYSCALL, thread_, 0, 0) != 0) return -ESRCH;
    const int status = WaitForStop(kCallPatienceNs);
    if (status <= 0) return -ESRCH;
    if (IsSyscallStop(status)) {
      ++stops;
    } else if (!IsEventStop(status)) {
      later_signal_ = WSTOPSIG(status);
    }
  }
  return GetRegisters(thread_, &r) ? static_cast<int64_t>(r.rax) : -ESRCH;
}

bool BorrowedThread::Run(uint64_t code, uint64_t stack, uint64_t box) {
  user_regs_struct r = context_.registers;
  r.rip = code, r.rsp = stack, r.rbx = box;
  r.orig_rax = kNoCall;
  r.eflags = kPlainFlags;
  runs_ = SetRegisters(thread_, r) && ptrace(PTRACE_CONT, thread_, 0, 0) == 0;
  return runs_;
}

bool BorrowedThread::Follow() {
  LetLateOnesGo();
  int status = 0;
  const pid_t got = waitpid(thread_, &status, __WALL | WNOHANG);
  if (got == 0) return true;
  if (got < 0 || !WIFSTOPPED(status)) {
    thread_ = 0;
    return false;
  }
  if (!IsEventStop(status)) later_signal_ = WSTOPSIG(status);
  return ptrace(PTRACE_CONT, thread_, 0, 0) == 0;
}

bool BorrowedThread::StopAgain(uint64_t begin, uint64_t end) {
  ptrace(PTRACE_INTERRUPT, thread_, 0, 0);
  const int status = WaitForStop(kStopPatienceNs);
  if (status <= 0) {
    GiveUp();
    return false;
  }
  const int signal = IsEventStop(status) ? 0 : WSTOPSIG(status);
  // We may have waited for a core for longer than it waits for us: then these are registers of the
  // program, or the frame is just being read.
  user_regs_struct registers;
  if (!GetRegisters(thread_, &registers) || registers.rip < begin || registers.rip >= end) {
    changed_ = false;
    LetGo(signal);
    return false;
  }
  if (signal != 0) later_signal_ = signal;
  runs_ = false;
  return true;
}

void BorrowedThread::PutBack() {
  // Where our code runs, which may hold locks, it puts the thread back itself: our end lets it go.
  if (thread_ == 0 || runs_) return;
  if (changed_) {
    user_regs_struct registers = context_.registers;
    if (context_.makes_call_again && static_cast<int64_t>(registers.rax) == -EINTR) {
      registers.rax = static_cast<uint64_t>(kRestartUnlessHandled);
    }
    iovec part{context_.vectors.data(), context_.vectors.size()};
    ptrace(PTRACE_SETREGSET, thread_, NT_X86_XSTATE, &part);
    ptrace(PTRACE_SETSIGMASK, thread_, kMaskBytes, &context_.signal_mask);
    SetRegisters(thread_, registers);
  }
  changed_ = false;
  const pid_t thread = thread_;
  LetGo(0);
  if (later_signal_ != 0) syscall(SYS_tgkill, target_.pid(), thread, later_signal_);
}

int64_t BorrowedThread::stopped_ns() const {
  return thread_ == 0 ? stopped_ns_ : stopped_ns_ + MonotonicNs() - stopped_since_ns_;
}

}  // namespace flopsprof::attach

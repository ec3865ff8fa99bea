// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "viewer/attach/seccomp_filter.h"

#include <linux/audit.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace flopsprof::attach {
namespace {

constexpr int kGetFilter = 0x420c;  // PTRACE_SECCOMP_GET_FILTER

// All that the loader, our library's first steps and we ourselves do there.
constexpr struct {
  int64_t number;
  const char* name;
} kOurCalls[] = {
    {SYS_getpid, "getpid"},
    {SYS_mmap, "mmap"},
    {SYS_mprotect, "mprotect"},
    {SYS_munmap, "munmap"},
    {SYS_mremap, "mremap"},
    {SYS_madvise, "madvise"},
    {SYS_memfd_create, "memfd_create"},
    {SYS_fcntl, "fcntl"},
    {SYS_openat, "openat"},
    {SYS_read, "read"},
    {SYS_pread64, "pread64"},
    {SYS_close, "close"},
    {SYS_fstat, "fstat"},
    {SYS_newfstatat, "newfstatat"},
    {SYS_access, "access"},
    {SYS_lseek, "lseek"},
    {SYS_socket, "socket"},
    {SYS_connect, "connect"},
    {SYS_clone3, "clone3"},
    {SYS_clone, "clone"},
    {SYS_futex, "futex"},
    {SYS_gettid, "gettid"},
    {SYS_getppid, "getppid"},
    {SYS_prctl, "prctl"},
    {SYS_set_robust_list, "set_robust_list"},
    {SYS_rseq, "rseq"},
    {SYS_exit, "exit"},
    {SYS_clock_nanosleep, "clock_nanosleep"},
    {SYS_clock_gettime, "clock_gettime"},
    {SYS_sched_yield, "sched_yield"},
    {SYS_ppoll, "ppoll"},
    {SYS_poll, "poll"},
    {SYS_rt_sigprocmask, "rt_sigprocmask"},
    {SYS_rt_sigreturn, "rt_sigreturn"},
    {SYS_recvfrom, "recvfrom"},
    {SYS_recvmsg, "recvmsg"},
    {SYS_sendto, "sendto"},
};

// Where glibc itself goes another way after an error.
bool MayFail(int64_t number) { return number == SYS_clone3 || number == SYS_rseq; }

uint32_t Compute(uint16_t operation, uint32_t a, uint32_t operand, bool* known) {
  switch (operation) {
    case BPF_ADD:
      return a + operand;
    case BPF_SUB:
      return a - operand;
    case BPF_AND:
      return a & operand;
    case BPF_OR:
      return a | operand;
    case BPF_XOR:
      return a ^ operand;
    case BPF_LSH:
      return a << (operand & 31);
    case BPF_RSH:
      return a >> (operand & 31);
    default:
      *known = false;
      return 0;
  }
}

bool Holds(uint16_t comparison, uint32_t a, uint32_t operand) {
  switch (comparison) {
    case BPF_JEQ:
      return a == operand;
    case BPF_JGT:
      return a > operand;
    case BPF_JGE:
      return a >= operand;
    default:
      return (a & operand) != 0;  // BPF_JSET
  }
}

uint32_t Load(const sock_filter& step, const seccomp_data& data, const uint32_t* memory) {
  uint32_t value = step.k;
  if (BPF_MODE(step.code) == BPF_MEM) return memory[step.k & 15];
  if (BPF_MODE(step.code) == BPF_ABS && step.k <= sizeof(data) - sizeof(value)) {
    memcpy(&value, reinterpret_cast<const char*>(&data) + step.k, sizeof(value));
  }
  return value;
}

}  // namespace

uint32_t RunFilter(const std::vector<sock_filter>& filter, const seccomp_data& data) {
  uint32_t a = 0, x = 0, memory[16] = {};
  bool known = true;
  for (size_t pc = 0; pc < filter.size() && known; ++pc) {
    const sock_filter& step = filter[pc];
    const uint32_t operand = BPF_SRC(step.code) == BPF_X ? x : step.k;
    switch (BPF_CLASS(step.code)) {
      case BPF_LD:
        a = Load(step, data, memory);
        break;
      case BPF_LDX:
        x = BPF_MODE(step.code) == BPF_MEM ? memory[step.k & 15] : step.k;
        break;
      case BPF_ST:
        memory[step.k & 15] = a;
        break;
      case BPF_STX:
        memory[step.k & 15] = x;
        break;
      case BPF_ALU:
        a = Compute(BPF_OP(step.code), a, operand, &known);
        break;
      case BPF_JMP:
        if (BPF_OP(step.code) == BPF_JA) {
          pc += step.k;
        } else {
          pc += Holds(BPF_OP(step.code), a, operand) ? step.jt : step.jf;
        }
        break;
      case BPF_RET:
        return BPF_RVAL(step.code) == BPF_A ? a : step.k;
      default:
        (BPF_MISCOP(step.code) == BPF_TAX ? x : a) = BPF_MISCOP(step.code) == BPF_TAX ? a : x;
        break;
    }
  }
  return SECCOMP_RET_KILL_PROCESS;
}

std::string WhyFiltersForbid(pid_t thread) {
  const auto get = static_cast<__ptrace_request>(kGetFilter);
  for (uint64_t n = 0;; ++n) {
    const long length = ptrace(get, thread, n, nullptr);
    if (length < 0 && errno == ENOENT) return "";  // no more filters
    if (length < 0) {
      return "it runs under seccomp, and its filter is not ours and cannot be read (that needs "
             "CAP_SYS_ADMIN, and no filter of our own): a call that it forbids could end it";
    }
    std::vector<sock_filter> filter(static_cast<size_t>(length));
    if (ptrace(get, thread, n, filter.data()) != length) return "its seccomp filter changed";
    for (const auto& call : kOurCalls) {
      const seccomp_data data = {static_cast<int>(call.number), AUDIT_ARCH_X86_64, 0, {}};
      const uint32_t answer = RunFilter(filter, data) & SECCOMP_RET_ACTION_FULL;
      if (answer == SECCOMP_RET_ALLOW || answer == SECCOMP_RET_LOG) continue;
      if (answer == SECCOMP_RET_ERRNO && MayFail(call.number)) continue;
      return absl::StrCat("its seccomp filter forbids ", call.name, ", which ",
                          answer == SECCOMP_RET_ERRNO ? "would fail" : "could end the process");
    }
  }
}

}  // namespace flopsprof::attach

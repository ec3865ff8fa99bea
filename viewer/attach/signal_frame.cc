// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "viewer/attach/signal_frame.h"

#include <signal.h>
#include <sys/ucontext.h>

#include <cerrno>
#include <cstring>

namespace flopsprof::attach {
namespace {

// x86-64 struct rt_sigframe.
struct Frame {
  uint64_t return_address;
  uint64_t flags, link;
  uint64_t stack_pointer, stack_flags, stack_size;
  uint64_t r8, r9, r10, r11, r12, r13, r14, r15, rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, rip;
  uint64_t eflags;
  uint16_t cs, gs, fs, ss;
  uint64_t error, trap_number, old_mask, cr2, vectors, reserved[8];
  uint64_t mask;
  char siginfo[128];
};

// struct _fpx_sw_bytes: how large the vector state in a frame is, at offset 464 of it.
struct VectorHead {
  uint32_t magic1, extended_size;
  uint64_t features;
  uint32_t size, padding[7];
};
constexpr uint32_t kMagic1 = 0x46505853, kMagic2 = 0x46505845;
constexpr size_t kVectorHeadAt = 464;
constexpr size_t kLegacyBytes = 512;
constexpr uint64_t kFrameFlags = 7;             // vector state; ss is valid, and is restored
constexpr uint64_t kNoAlternateStack = 0x5555;  // invalid on purpose: it stays what it is

VectorHead own_head;  // of this machine's ordinary frames

void SeeHead(int, siginfo_t*, void* context) {
  const auto* vectors =
      reinterpret_cast<const char*>(static_cast<ucontext_t*>(context)->uc_mcontext.fpregs);
  memcpy(&own_head, vectors + kVectorHeadAt, sizeof(own_head));
}

// The kernel takes a frame's vectors only if their size is the one that it would write itself: so
// one frame of our own is looked at.
VectorHead LearnHead() {
  struct sigaction action = {}, before;
  action.sa_sigaction = SeeHead;
  action.sa_flags = SA_SIGINFO;
  sigset_t only, mask;
  sigemptyset(&only);
  sigaddset(&only, SIGUSR1);
  sigaction(SIGUSR1, &action, &before);
  pthread_sigmask(SIG_UNBLOCK, &only, &mask);
  raise(SIGUSR1);
  pthread_sigmask(SIG_SETMASK, &mask, nullptr);
  sigaction(SIGUSR1, &before, nullptr);
  return own_head;
}

std::string MakeVectors(const ThreadContext& context) {
  const VectorHead own = LearnHead();
  size_t size = own.magic1 == kMagic1 ? own.size : kLegacyBytes;
  uint64_t features = own.features;
  uint64_t in_use = 0;
  if (context.vectors.size() >= kLegacyBytes + sizeof(in_use)) {
    memcpy(&in_use, context.vectors.data() + kLegacyBytes, sizeof(in_use));
  }
  if ((in_use & ~features) != 0) {  // AMX's tiles, which ordinary frames leave out
    size = context.vectors.size();
    features |= in_use;
  }
  std::string bytes = context.vectors.substr(0, size);
  const VectorHead head{kMagic1,
                        static_cast<uint32_t>(size + sizeof(kMagic2)),
                        features,
                        static_cast<uint32_t>(size),
                        {}};
  memcpy(bytes.data() + kVectorHeadAt, &head, sizeof(head));
  bytes.append(reinterpret_cast<const char*>(&kMagic2), sizeof(kMagic2));
  return bytes;
}

void CopyRegisters(const user_regs_struct& r, Frame* frame) {
  frame->r8 = r.r8, frame->r9 = r.r9, frame->r10 = r.r10, frame->r11 = r.r11;
  frame->r12 = r.r12, frame->r13 = r.r13, frame->r14 = r.r14, frame->r15 = r.r15;
  frame->rdi = r.rdi, frame->rsi = r.rsi, frame->rbp = r.rbp, frame->rbx = r.rbx;
  frame->rdx = r.rdx, frame->rax = r.rax, frame->rcx = r.rcx, frame->rsp = r.rsp;
  frame->rip = r.rip, frame->eflags = r.eflags;
  frame->cs = static_cast<uint16_t>(r.cs), frame->ss = static_cast<uint16_t>(r.ss);
}

}  // namespace

SignalFrame MakeSignalFrame(const ThreadContext& context, uint64_t restore_rt, uint64_t top) {
  constexpr uint64_t kSyscallBytes = 2;
  SignalFrame made;
  made.vectors = MakeVectors(context);
  made.vectors_address = (top - made.vectors.size()) & ~uint64_t{63};
  made.address = ((made.vectors_address - sizeof(Frame)) & ~uint64_t{15}) - 8;
  Frame frame = {};
  CopyRegisters(context.registers, &frame);
  frame.return_address = restore_rt;
  frame.flags = kFrameFlags;
  frame.stack_flags = kNoAlternateStack;
  frame.vectors = made.vectors_address;
  frame.mask = context.signal_mask;
  if (context.makes_call_again && context.call_again < 0) {
    frame.rax = static_cast<uint64_t>(-EINTR);
  } else if (context.makes_call_again) {
    frame.rip -= kSyscallBytes;
    frame.rax = static_cast<uint64_t>(context.call_again);
  }
  made.bytes.assign(reinterpret_cast<const char*>(&frame), sizeof(frame));
  return made;
}

}  // namespace flopsprof::attach

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/scopes/scope_stack.h"

#include <string.h>
#include <sys/mman.h>

#include "injector/base/thread_end_key.h"
#include "injector/scopes/attribution.h"
#include "injector/scopes/scopes.h"
#include "injector/scopes/started_ranges.h"
#include "injector/scopes/steps.h"
#include "injector/transport/record_sink.h"

// Runs a function when the thread ends; in libc itself, unlike pthread_key_create before 2.34.
extern "C" int __cxa_thread_atexit_impl(void (*function)(void*), void* argument, void* library);
extern "C" __attribute__((visibility("hidden"))) void* __dso_handle;

namespace flopsprof::injector {

__thread ThreadScopes t_scopes __attribute__((tls_model("initial-exec")));

namespace {

// Forwards that modules called below them belong to as well.
bool IsOtherForward(shm::Phase phase) {
  return phase == shm::Phase::kEvaluation || phase == shm::Phase::kGenerate;
}

void EndThisThread(void* scopes) { static_cast<ThreadScopes*>(scopes)->OnThreadEnd(); }

ThreadEndKey late_end;

}  // namespace

void PrepareScopeEnds() { late_end.Make(EndThisThread); }

bool ThreadScopes::MakeRoom() {
  if (room_ != nullptr) return false;  // too deep
  const ErrnoKeeper keep;
  void* pages = MapPages(sizeof(Room));
  if (pages == nullptr) return false;
  // Where huge pages come unasked each thread would have one.
  madvise(pages, sizeof(Room), MADV_NOHUGEPAGE);
  room_ = static_cast<Room*>(pages);
  frames_ = room_->frames;
  capacity_ = kMaxFrames;
  FollowThreadEnd();
  return true;
}

void ThreadScopes::RegisterThreadEnd() {
  at_thread_end_known_ = true;
  if (has_ended_ && late_end.Set(this)) return;
  __cxa_thread_atexit_impl(EndThisThread, this, &__dso_handle);
}

Frame* ThreadScopes::Push() {
  if (depth_ == capacity_ && !MakeRoom()) {
    CountLoss(shm::LossCounter::kScopeDepth);
    return nullptr;
  }
  Frame* frame = &frames_[depth_++];
  memset(frame, 0, sizeof(*frame));
  return frame;
}

void ThreadScopes::Note(uint64_t sequence, uint32_t scope) {
  if (log_ == nullptr) {
    if (g_torch.thread_number == nullptr) return;
    log_ = AcquireThreadLog(g_torch.thread_number());
    if (log_ == nullptr) return;
  }
  NoteTransition(log_, sequence, scope);
}

// Nodes that a backward node itself makes (double backward, recomputation) belong to it.
void ThreadScopes::NoteTopNode() {
  if (depth_ == 0) return;
  Frame& top = frames_[depth_ - 1];
  if (top.kind != FrameKind::kNode || top.logged) return;
  top.logged = true;
  Note(top.begin, top.scope);
}

void ThreadScopes::NoteEntered(uint32_t scope) {
  if (g_torch.next_sequence != nullptr) Note(g_torch.next_sequence(), scope);
}

uint32_t ThreadScopes::EnterModule(void* module, uint32_t scope) {
  const uint32_t depth = EnterPushed(scope);
  if (depth == kRefused) return depth;
  frames_[depth_ - 1].kind = FrameKind::kModule;
  frames_[depth_ - 1].module = module;
  return depth;
}

uint32_t ThreadScopes::EnterPushed(uint32_t scope) {
  const uint32_t depth = depth_;
  NoteTopNode();
  const shm::Phase below = depth_ == 0 ? shm::Phase::kOther : Top().phase;
  const bool recompute =
      below == shm::Phase::kBackward || below == shm::Phase::kRecompute || InBackwardPass();
  Frame* frame = Push();
  if (frame == nullptr) return kRefused;
  frame->kind = FrameKind::kPushed;
  frame->scope = scope;
  frame->phase = recompute               ? shm::Phase::kRecompute
                 : IsOtherForward(below) ? below
                                         : shm::Phase::kForward;
  NoteEntered(scope);
  return depth;
}

uint32_t ThreadScopes::EnterInherited() {
  const uint32_t depth = EnterRange(nullptr, shm::kOutsideScope);
  if (depth == kRefused) return depth;
  Frame& frame = frames_[depth_ - 1];
  frame.kind = FrameKind::kInherited;
  // Without one below, in a pass: the graph of compiled autograd, which is of all modules.
  if (depth > 0) frame.scope = frames_[depth - 1].scope;
  NoteEntered(frame.scope);
  return depth;
}

uint32_t ThreadScopes::EnterRange(const void* domain, uint32_t scope) {
  const uint32_t depth = depth_;
  NoteTopNode();
  Frame* frame = Push();
  if (frame == nullptr) return kRefused;
  frame->kind = FrameKind::kRange;
  frame->domain = domain;
  frame->scope = scope;
  frame->phase = shm::Phase::kOther;
  if (depth > 0) {
    const Frame& below = frames_[depth - 1];
    frame->phase = below.phase;
    frame->grad_enabled = below.grad_enabled;
    frame->in_pass = below.in_pass;
  }
  if (frame->phase == shm::Phase::kOther && InBackwardPass()) {
    frame->phase = shm::Phase::kBackward;
    frame->grad_enabled = GradEnabled();
  }
  NoteEntered(scope);
  return depth;
}

void ThreadScopes::MarkEvaluation() {
  Frame& top = frames_[depth_ - 1];
  if (top.phase == shm::Phase::kForward) top.phase = shm::Phase::kEvaluation;
}

uint32_t ThreadScopes::EnterPhase(shm::Phase phase) {
  const uint32_t depth = depth_;
  const uint32_t scope = CurrentScope();
  NoteTopNode();
  Frame* frame = Push();
  if (frame == nullptr) return kRefused;
  frame->kind = FrameKind::kPhase;
  frame->scope = scope;
  frame->phase = phase;
  frame->in_pass = InBackwardPass();
  return depth;
}

FLOPSPROF_HOT void ThreadScopes::Leave(uint32_t depth) {
  if (depth >= depth_) return LeaveTimed(depth);
  depth_ = depth;
  while (depth_ > 0 && Top().closed) --depth_;
  NoteEntered(CurrentScope());
}

FLOPSPROF_HOT bool ThreadScopes::CloseRange(const void* domain) {
  uint32_t i = depth_;
  for (; i > 0 && frames_[i - 1].kind < FrameKind::kNode; --i) {
    Frame& frame = frames_[i - 1];
    if (frame.kind != FrameKind::kRange || frame.closed || frame.domain != domain) continue;
    if (i == depth_) {
      Leave(i - 1);
    } else {
      frame.closed = true;  // frames above remember their depth: it has to stay
    }
    return true;
  }
  return CloseRangeBelow(domain, i);
}

// The same where there are timed ranges too. `frames`: how many of the outermost are looked at.
bool ThreadScopes::CloseRangeBelow(const void* domain, uint32_t frames) {
  for (uint32_t i = frames; i > 0 && frames_[i - 1].kind != FrameKind::kNode; --i) {
    Frame& frame = frames_[i - 1];
    const bool range = frame.kind == FrameKind::kRange || frame.kind == FrameKind::kTimedRange;
    if (!range || frame.closed || frame.domain != domain) continue;
    if (i == depth_) {
      LeaveAny(i - 1);
    } else {
      if (frame.timed) EmitExit(i - 1, shm::ScopeExitKind::kAlone);
      frame.closed = true;
    }
    return true;
  }
  return false;
}

void ThreadScopes::LeaveTimed(uint32_t depth) {
  if (depth == kRefused) return;
  depth &= ~kTimed;
  if (depth >= depth_) return;
  if (frames_[depth].timed && !frames_[depth].closed) EmitExit(depth, shm::ScopeExitKind::kLeft);
  Leave(depth);
}

void ThreadScopes::EmitExit(uint32_t frame, shm::ScopeExitKind kind) const {
  EmitScopeExit(frames_[frame].scope, frame, frames_[frame].phase, kind, 0);
}

void ThreadScopes::BeginNode(uint64_t thread_number, uint64_t sequence) {
  // AccumulateGrad has the highest number of all and runs right after its producer.
  uint32_t scope = last_node_scope_;
  if (sequence != UINT64_MAX) {
    if (FindNodeScope(thread_number, sequence, &scope) == NodeLookup::kPruned) {
      CountLoss(shm::LossCounter::kSequenceLogPruned);
      scope = shm::kOutsideScope;
    }
  }
  BeginNodeOfScope(scope);
}

void ThreadScopes::BeginNodeOfScope(uint32_t scope) {
  OnBackward(scope);
  NoteTopNode();
  Frame* frame = Push();
  if (frame == nullptr) return;
  frame->kind = FrameKind::kNode;
  frame->scope = scope;
  frame->phase = shm::Phase::kBackward;
  frame->grad_enabled = GradEnabled();
  frame->begin = g_torch.next_sequence == nullptr ? 0 : g_torch.next_sequence();
}

void ThreadScopes::EndNode() {
  uint32_t i = depth_;
  while (i > 0 && frames_[i - 1].kind != FrameKind::kNode) --i;
  if (i == 0) return;  // began before we followed nodes
  depth_ = i;          // frames above lost their end
  const uint64_t now = g_torch.next_sequence == nullptr ? 0 : g_torch.next_sequence();
  const bool made_nodes = now != Top().begin;
  if (made_nodes) NoteTopNode();
  last_node_scope_ = Top().scope;
  --depth_;
  while (depth_ > 0 && Top().closed) --depth_;
  if (made_nodes) Note(now, CurrentScope());
}

namespace {
inline Attribution Here(uint32_t scope, shm::Phase phase) {
  return {scope, phase, CurrentStepOf(scope)};
}
}  // namespace

Attribution ThreadScopes::Current() const {
  if (depth_ == 0) {
    // Between two nodes: hooks of tensors, nodes and accumulators.
    if (InBackwardPass()) return Here(last_node_scope_, shm::Phase::kBackward);
    const uint32_t started = started_range == 0 ? 0 : ScopeOfStartedRange(started_range);
    return Here(started, shm::Phase::kOther);
  }
  const Frame& top = Top();
  switch (top.phase) {
    case shm::Phase::kForward:
    case shm::Phase::kRecompute:
    case shm::Phase::kEvaluation:
    case shm::Phase::kGenerate:
      return Here(top.scope, top.phase);
    case shm::Phase::kBackward:
      // Code that asks for gradients inside a node that needs none recomputes a forward.
      if (!top.grad_enabled && GradEnabled()) return Here(top.scope, shm::Phase::kRecompute);
      return Here(top.scope, shm::Phase::kBackward);
    default:
      // The pass of an optimizer's closure; an optimizer that steps in a hook is no backward.
      if (!top.in_pass && InBackwardPass()) {
        return Here(last_node_scope_, shm::Phase::kBackward);
      }
      return Here(top.scope, top.phase);
  }
}

const Frame* ThreadScopes::NearestModuleOrNode() const {
  for (uint32_t i = depth_; i > 0; --i) {
    const Frame& frame = frames_[i - 1];
    switch (frame.kind) {
      case FrameKind::kModule:
      case FrameKind::kPushed:
      case FrameKind::kNode:
        return &frame;
      case FrameKind::kInherited:
        if (i == 1) return &frame;
        break;
      case FrameKind::kRange:
      case FrameKind::kTimedRange:
      case FrameKind::kPhase:
        break;
    }
  }
  return nullptr;
}

void ThreadScopes::OnThreadEnd() {
  ReleaseStepLoops(this);
  if (log_ != nullptr) ReleaseThreadLog(log_);
  if (room_ != nullptr) munmap(static_cast<void*>(room_), sizeof(Room));
  room_ = nullptr;
  // The main thread runs on after this (exit handlers), others in late destructors: start over
  // empty, to be ended again.
  at_thread_end_known_ = false;
  has_ended_ = true;
  frames_ = nullptr;
  depth_ = capacity_ = 0;
  log_ = nullptr;
  started_range = 0;
  step_loop = 0;
  makes_no_steps = calls_models = false;
}

void ThreadScopes::Forget() {
  if (room_ != nullptr) memset(room_->recent, 0, sizeof(room_->recent));
  depth_ = 0;
  last_node_scope_ = shm::kOutsideScope;
  log_ = nullptr;
  started_range = 0;
  step_loop = 0;
  makes_no_steps = calls_models = false;
}

}  // namespace flopsprof::injector

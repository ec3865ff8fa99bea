// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What runs on the calling thread: modules, ranges, optimizer steps and backward nodes, innermost
// last. Attribution of a launch reads the top frame; autograd nodes made while a frame is on top
// are noted in the thread's sequence log. The rules are those of README.md, section "Rules".
//
// Each thread has one ThreadScopes, which only that thread touches. Frames live in pages that are
// reserved with the first frame and never moved. The caller's C frame keeps the depth, and Leave
// restores it. With greenlets, which swap C stacks, work may get a wrong name, but no pointer
// dangles.

#include <stddef.h>
#include <stdint.h>

#include "injector/base/platform.h"
#include "injector/scopes/attribution.h"
#include "injector/scopes/sequence_log.h"
#include "injector/scopes/torch_functions.h"

namespace flopsprof::injector {

constexpr uint32_t kMaxFrames = 1u << 16;

enum class FrameKind : uint8_t {
  kModule,     // a call of a module
  kPushed,     // a module's scope entered again, e.g. by the recomputation of a checkpoint
  kInherited,  // not a module of the user (a compiled graph): scope and phase of the frame below
  kRange,      // NVTX, flopsprof.h, flopsprof.scope
  kPhase,      // an optimizer's step, clipping of gradients ...: work of that phase
  kNode,       // a backward node
  // As kRange, of a range whose ScopeEnter has a time. Behind kNode: CloseRange stops at it, so
  // that ranges without a time pay nothing for it.
  kTimedRange,
};

struct Frame {
  void* module;        // kModule: borrowed; alive because its call runs
  const void* domain;  // kRange: whose pop ends it
  uint64_t begin;      // kNode: next sequence number at its start
  uint32_t scope;
  FrameKind kind;
  shm::Phase phase;
  bool grad_enabled;  // phase backward: grad mode when the node began
  bool logged;        // kNode: (begin, scope) is in the log
  bool in_pass;       // kPhase: began in a backward pass
  bool closed;        // kRange: ended below open frames; goes when they go
  bool in_place;      // kModule: compiled in place; when it calls itself, that is the same call
  bool timed;         // its ScopeEnter has a time: its end is told
};

// A range that this thread has entered before, found again by the address of its name: hashing the
// text would cost as much as all the rest of a push. The text is still compared at each hit,
// because a buffer may have been written anew.
struct RecentRange {
  const char* name;
  const char* domain;
  uint32_t parent;
  uint32_t scope;  // 0: empty
  shm::ScopeKind kind;
};
constexpr uint32_t kRecentRanges = 64;  // a power of two

class ThreadScopes {
 public:
  // Enter a frame. The result is the depth to hand to Leave(), or kRefused: nothing was entered
  // (too deep or no memory, counted as kScopeDepth).
  static constexpr uint32_t kRefused = UINT32_MAX;
  // In a depth for Leave(): the frame is timed. Deeper than any stack, so that Leave() meets it
  // where it turns away what is not open.
  static constexpr uint32_t kTimed = 1u << 30;
  uint32_t EnterModule(void* module, uint32_t scope);
  uint32_t EnterPushed(uint32_t scope);
  uint32_t EnterInherited();
  uint32_t EnterRange(const void* domain, uint32_t scope);
  // Enters an optimizer's step, clipping, scaling or generate. The scope is that of the frame
  // below; modules called inside are roots.
  uint32_t EnterPhase(shm::Phase phase);
  // Gives the phase that was just entered a scope of its own.
  void NamePhase(uint32_t scope) { frames_[depth_ - 1].scope = scope; }
  // The module that was just entered, and all below it, is no forward of a training step.
  void MarkEvaluation();
  // The module that was just entered has been compiled in place.
  void MarkCompiledInPlace() { frames_[depth_ - 1].in_place = true; }
  void Leave(uint32_t depth);
  // The same for a depth without kTimed.
  void LeaveAny(uint32_t depth) {
    Leave(depth < depth_ && frames_[depth].timed ? depth | kTimed : depth);
  }
  // The frame that was just entered is timed: its depth for Leave().
  uint32_t MarkTimed() {
    Frame& top = frames_[depth_ - 1];
    top.timed = true;
    if (top.kind == FrameKind::kRange) top.kind = FrameKind::kTimedRange;
    return (depth_ - 1) | kTimed;
  }

  // Ends the newest open range of the domain above the innermost backward node. False: none.
  bool CloseRange(const void* domain);

  void BeginNode(uint64_t thread_number, uint64_t sequence);  // sequence UINT64_MAX: none
  void BeginNodeOfScope(uint32_t scope);
  void EndNode();

  Attribution Current() const;
  // Scope of the top frame: a frame entered now would lie in it.
  uint32_t CurrentScope() const { return depth_ == 0 ? shm::kOutsideScope : Top().scope; }

  // The frame whose child a module entered now would be. Null: the module would be a root.
  const Frame* NearestModuleOrNode() const;

  // Place for a range with this name and parent, or null before the first frame.
  RecentRange* Recent(const char* name, uint32_t parent) {
    if (room_ == nullptr) return nullptr;
    const auto hash = (reinterpret_cast<uintptr_t>(name) >> 3) + parent * uint64_t{0x9E3779B1u};
    return &room_->recent[(hash ^ hash >> 7) & (kRecentRanges - 1)];
  }

  uint32_t depth() const { return depth_; }
  shm::Phase TopPhase() const { return depth_ == 0 ? shm::Phase::kOther : Top().phase; }
  uint32_t last_node_scope() const { return last_node_scope_; }
  uint64_t started_range;  // newest start/end range begun here; see range_registry.h
  uint64_t captures[2];    // the newest stream captures begun here; see captured_steps.h
  uint8_t step_loop;       // whose steps this thread makes; see steps.h
  bool makes_no_steps;     // no loop was left for it: it is in the steps of the first
  bool calls_models;       // with gradients
  bool rests;              // inside of the call of a module that runs; see rest.h

  // From now on OnThreadEnd is called when the thread ends.
  void FollowThreadEnd() {
    if (!at_thread_end_known_) RegisterThreadEnd();
  }
  void OnThreadEnd();
  void Forget();

 private:
  const Frame& Top() const { return frames_[depth_ - 1]; }
  Frame* Push();
  FLOPSPROF_APART void LeaveTimed(uint32_t depth);
  FLOPSPROF_APART bool CloseRangeBelow(const void* domain, uint32_t frames);
  void EmitExit(uint32_t frame, shm::ScopeExitKind kind) const;
  FLOPSPROF_APART bool MakeRoom();
  FLOPSPROF_APART void RegisterThreadEnd();
  FLOPSPROF_APART void Note(uint64_t sequence, uint32_t scope);
  void NoteTopNode();
  void NoteEntered(uint32_t scope);

  struct Room {
    RecentRange recent[kRecentRanges];
    Frame frames[kMaxFrames];  // address space until used
  };

  Frame* frames_;
  uint32_t depth_;
  uint32_t capacity_;  // 0 or kMaxFrames
  uint32_t last_node_scope_;
  bool at_thread_end_known_;
  bool has_ended_;  // once: what is done in still later destructors needs another end
  ThreadLog* log_;
  Room* room_;  // mapped with the first frame
};

extern __thread ThreadScopes t_scopes __attribute__((tls_model("initial-exec")));

inline ThreadScopes& ThisThread() { return t_scopes; }

}  // namespace flopsprof::injector

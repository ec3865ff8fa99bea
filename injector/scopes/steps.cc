// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/scopes/steps.h"

#include <atomic>

#include "injector/base/brief_lock.h"
#include "injector/base/platform.h"
#include "injector/scopes/captured_steps.h"
#include "injector/scopes/scope_stack.h"
#include "injector/scopes/scope_table.h"
#include "injector/scopes/step_loops.h"
#include "injector/transport/record_sink.h"

namespace flopsprof::injector {

std::atomic<bool> g_wants_backward{false};

namespace {

using shm::StepPlace;

constexpr uint32_t kOptimizerChecks = 64;
// While fewer parts than this have run, an optimizer that has not stepped yet may be of the turn.
constexpr uint32_t kPartsToWait = 8;
std::atomic<bool> g_optimizer_known{false};  // made, or seen stepping
std::atomic<uint32_t> g_optimizers_made{0};
std::atomic<bool> g_explicit{false};
std::atomic<const StepEdges*> g_edges{nullptr};
std::atomic<uint32_t> g_checks_left{kOptimizerChecks};
BriefLock g_lock;

void EmitStep(shm::StepEvent event, uint32_t step, uint32_t number, uint32_t first_label,
              bool helped = false, bool settled = false) {
  if (!IsConnected()) return;
  // A label's number is a definition: it may be asked for by what a later window records.
  if (!IsRecording() && event != shm::StepEvent::kNumber) return;
  shm::StepRecord record = {};
  record.header.type = static_cast<uint16_t>(shm::RecordType::kStep);
  record.header.step = step;
  record.event = static_cast<uint8_t>(event);
  record.helped = helped ? 1 : 0;
  record.settled = settled ? 1 : 0;
  record.number = number;
  record.first_label = first_label;
  record.mono_ns = MonoNs();
  EmitRecord(&record);
}

uint32_t LabelOf(const StepLoop& loop, uint32_t number) {
  return IndexOfLoop(loop) << shm::kStepLoopShift | (number & shm::kStepLabelMask);
}
uint32_t FirstLabel(const StepLoop& loop) { return LabelOf(loop, loop.first_label); }

bool HasLabel(const StepLoop& loop) { return loop.label != kNoLabel; }

StepPlace PlaceNow(const StepLoop& loop) {
  return shm::PlaceOfStep(loop.step.load(std::memory_order_relaxed));
}

void SetPlace(StepLoop* loop, StepPlace place) {
  if (!HasLabel(*loop)) return;
  loop->step.store(shm::StepAt(place, loop->label), std::memory_order_relaxed);
}

// Only an optimizer that comes late, or another order of them, changes numbers after this. While
// there is none, it may come after any number of forwards.
bool IsSettled(const StepLoop& loop) {
  if (g_explicit.load(std::memory_order_relaxed) || loop.cycle.learned()) return true;
  const uint32_t made = g_optimizers_made.load(std::memory_order_relaxed);
  return made > 0 && made <= loop.cycle.OptimizerCount() && loop.cycle.count() >= kPartsToWait &&
         loop.cycle.EachPartIsATurn();
}

void BeginLabel(StepLoop* loop, uint32_t number, bool helped) {
  const uint32_t index = IndexOfLoop(*loop);
  const uint32_t label = LabelOf(*loop, loop->labels++);
  // Windows are of whole steps of the first loop.
  const bool step_begins = index == 0 && number != loop->number;
  const StepEdges* edges = step_begins ? g_edges.load(std::memory_order_acquire) : nullptr;
  if (edges != nullptr) edges->before(label, number);
  loop->label = label;
  loop->number = number;
  loop->pass_seen = false;
  loop->step.store(label, std::memory_order_relaxed);
  if (edges != nullptr) edges->after(label, number);
  loop->settled = loop->settled || IsSettled(*loop);
  EmitStep(shm::StepEvent::kBegin, label, number, 0, helped, loop->settled);
}

// All labels so far, up to `last`, were none of a step.
void DropLabelsUpTo(StepLoop* loop, uint32_t last) {
  EmitStep(shm::StepEvent::kNumber, last, shm::kNoStep, FirstLabel(*loop));
}

// Another optimizer has still to step, perhaps in this turn, which is the first.
bool WaitsForOthers(const StepLoop& loop) {
  return loop.numbers[0] == loop.first_number && loop.cycle.count() < kPartsToWait &&
         !loop.cycle.HasComeTwice() &&
         g_optimizers_made.load(std::memory_order_relaxed) > loop.cycle.OptimizerCount();
}

// What the cycle says now about the parts that it counts.
void Renumber(StepLoop* loop) {
  for (uint32_t part = 0; part < loop->cycle.count(); ++part) {
    const uint32_t number = loop->numbers[0] + loop->cycle.TurnOf(part);
    if (loop->numbers[part] == number) continue;
    loop->numbers[part] = number;
    const uint32_t label = loop->first_part_label + part;
    EmitStep(shm::StepEvent::kNumber, label, number, label);
    if (label == loop->label) loop->number = number;
  }
}

uint32_t NumberOfNextPart(const StepLoop& loop) {
  if (WaitsForOthers(loop)) return loop.numbers[0];
  return loop.numbers[0] + loop.cycle.TurnOf(loop.cycle.count());
}

void BeginPart(StepLoop* loop, uint32_t root) {
  const bool helped = loop->evaluated && loop->evaluated_root != root;
  if (!HasLabel(*loop) || loop->number == shm::kNoStep) {  // the first one
    loop->evaluated = false;
    BeginLabel(loop, loop->first_number, helped);
    loop->cycle.Forget();
    loop->optimizers = 0;
    loop->first_part_label = loop->label;
    loop->numbers[0] = loop->first_number;
    return;
  }
  if (loop->optimizers == 0) return;  // one more micro-batch
  loop->evaluated = false;
  const bool anew = loop->cycle.EndPart();
  loop->optimizers = 0;
  if (!loop->cycle.AtBegin()) return SetPlace(loop, StepPlace::kIn);
  if (loop->cycle.learned()) return BeginLabel(loop, loop->number + 1, helped);
  if (anew) {
    BeginLabel(loop, loop->number + 1, helped);
    loop->first_part_label = loop->label;
    loop->numbers[0] = loop->number;
    return;
  }
  const uint32_t part = loop->cycle.count();
  if (part == StepCycle::kMostParts) return BeginLabel(loop, loop->number + 1, helped);
  loop->numbers[part] = NumberOfNextPart(*loop);
  BeginLabel(loop, loop->numbers[part], helped);
}

void BeginForwardWithoutOptimizer(StepLoop* loop, bool with_gradients) {
  const bool begins = !HasLabel(*loop) || !loop->passes || (with_gradients && loop->pass_seen);
  if (begins) {
    BeginLabel(loop, loop->NextNumber(), false);
    if (!with_gradients) {
      loop->trained_from = kNoLabel;
    } else if (loop->trained_from == kNoLabel) {
      loop->trained_from = loop->label;
    }
  }
  if (loop->awaits_pass || loop->pass_seen) return;
  loop->awaits_pass = true;
  g_wants_backward.store(true, std::memory_order_relaxed);
}

// The first backward pass in a process without an optimizer: the forwards before it are one step.
void FirstPass(StepLoop* loop) {
  loop->passes = true;
  if (!HasLabel(*loop)) return;
  const uint32_t from = loop->trained_from == kNoLabel ? loop->label : loop->trained_from;
  const uint32_t first = FirstLabel(*loop);
  if (from > first) DropLabelsUpTo(loop, from - 1);
  // The very first label is 0 as it is.
  const uint32_t numbered = (from & shm::kStepLabelMask) == 0 ? from + 1 : from;
  if (numbered <= loop->label) {
    EmitStep(shm::StepEvent::kNumber, loop->label, loop->first_number, numbered);
  }
  loop->number = loop->first_number;
}

// True: it is the first one that makes steps of this loop.
bool SeePass(StepLoop* loop) {
  if (!HasLabel(*loop) || loop->pass_seen) return false;
  loop->pass_seen = true;
  loop->awaits_pass = false;
  if (loop->passes) return false;
  FirstPass(loop);
  return true;
}

// An optimizer is there: what was taken for steps is none, but the one in which it has stepped.
void OptimizerHasCome(bool stepped) {
  if (g_optimizer_known.exchange(true, std::memory_order_relaxed)) return;
  g_wants_backward.store(false, std::memory_order_relaxed);
  if (g_explicit.load(std::memory_order_relaxed)) return;
  for (StepLoop& loop : g_loops) {
    if (!HasLabel(loop)) continue;
    const uint32_t first = FirstLabel(loop);
    if (!stepped) {
      DropLabelsUpTo(&loop, loop.label);
      loop.number = shm::kNoStep;
      loop.step.store(shm::kNoStep, std::memory_order_relaxed);
      continue;
    }
    if (loop.label != first) {
      DropLabelsUpTo(&loop, loop.label - 1);
      EmitStep(shm::StepEvent::kNumber, loop.label, loop.first_number, loop.label);
    }
    loop.number = loop.first_number;
    loop.first_part_label = loop.label;
    loop.numbers[0] = loop.first_number;
  }
}

}  // namespace

uint32_t CurrentStep() {
  if (g_loop_count.load(std::memory_order_relaxed) == 1) {
    return g_loops[0].step.load(std::memory_order_relaxed);
  }
  return g_loops[ThisThread().step_loop].step.load(std::memory_order_relaxed);
}

namespace {
FLOPSPROF_APART uint32_t StepOfOneOfLoops(uint32_t scope) {
  // Of threads that share a model each is in its own steps. Its backward pass may run on a thread
  // that begins none: that is in the steps of whoever called the model last.
  const ThreadScopes& thread = ThisThread();
  const StepLoop& own = g_loops[thread.step_loop];
  if (own.IsBegunBy(&thread)) return own.step.load(std::memory_order_relaxed);
  const int loop = scope == shm::kOutsideScope ? -1 : LoopOfRoot(RootOfScope(scope));
  if (loop < 0) return CurrentStep();
  return g_loops[loop].step.load(std::memory_order_relaxed);
}
}  // namespace

uint32_t CurrentStepOf(uint32_t scope) {
  if (g_loop_count.load(std::memory_order_relaxed) == 1) {
    return g_loops[0].step.load(std::memory_order_relaxed);
  }
  return StepOfOneOfLoops(scope);
}

uint32_t CurrentStepNumber() { return g_loops[0].number; }

void OnRootForward(uint32_t root_scope, bool with_gradients) {
  const bool known = g_optimizer_known.load(std::memory_order_relaxed);
  if (NoteIfCaptured(known && !with_gradients ? kCapturedEvaluation : kCapturedForward)) return;
  ThreadScopes& thread = ThisThread();
  thread.FollowThreadEnd();
  const BriefLockHolder guard(&g_lock);
  if (known && !with_gradients) {
    StepLoop& loop = g_loops[thread.step_loop];
    if (loop.owner != nullptr && loop.owner != &thread) return;
    loop.evaluated = true;
    loop.evaluated_root = root_scope;
    if (!HasLabel(loop) && !g_explicit.load(std::memory_order_relaxed)) {
      loop.step.store(shm::StepAt(StepPlace::kBeside, kNoLabel), std::memory_order_relaxed);
      return;
    }
    if (PlaceNow(loop) != StepPlace::kTail || g_explicit.load(std::memory_order_relaxed)) return;
    SetPlace(&loop, StepPlace::kBeside);
    return EmitStep(shm::StepEvent::kBeside, loop.label, loop.number, 0);
  }
  // Whoever works is in the explicit step: a thread has a loop of its own only if it begins steps.
  if (g_explicit.load(std::memory_order_relaxed)) {
    thread.makes_no_steps = false;
    if (g_loops[thread.step_loop].IsBegunBy(nullptr)) {
      if (thread.step_loop != 0) MoveRoot(root_scope, 0);
      EnterLoop(&thread, g_loops[0]);  // its steps of before are over
    } else if (g_loops[thread.step_loop].IsBegunBy(&thread)) {
      MoveRoot(root_scope, thread.step_loop);
    }
    StepLoop& loop = g_loops[thread.step_loop];
    if (loop.owner == nullptr) loop.owner = &thread;
    loop.called = true;
    return SetPlace(&loop, StepPlace::kIn);
  }
  if (with_gradients) thread.calls_models = true;
  StepLoop* loop = LoopOfForward(&thread, root_scope);
  if (loop == nullptr) return;
  if (known) return BeginPart(loop, root_scope);
  BeginForwardWithoutOptimizer(loop, with_gradients);
}

bool WantsOptimizerCheck() {
  if (g_optimizer_known.load(std::memory_order_relaxed)) return false;
  const uint32_t left = g_checks_left.load(std::memory_order_relaxed);
  if (left == 0) return false;
  g_checks_left.store(left - 1, std::memory_order_relaxed);
  return true;
}

// Release; pairs with the acquire in BeginLabel.
void SetStepEdges(const StepEdges* edges) { g_edges.store(edges, std::memory_order_release); }

bool OptimizerKnown() { return g_optimizer_known.load(std::memory_order_relaxed); }

void OnOptimizerFound() {
  const BriefLockHolder guard(&g_lock);
  OptimizerHasCome(false);
}

void OnOptimizerMade() {
  g_optimizers_made.fetch_add(1, std::memory_order_relaxed);
  OnOptimizerFound();
}

void OnOptimizerBegins() {
  if (NoteIfCaptured(0)) return;
  const BriefLockHolder guard(&g_lock);
  if (ThisThread().makes_no_steps) return;
  StepLoop& loop = g_loops[ThisThread().step_loop];
  if (PlaceNow(loop) == StepPlace::kTail) SetPlace(&loop, StepPlace::kIn);
}

void OnOptimizerStepped(uint32_t optimizer) {
  if (NoteIfCaptured(CapturedOptimizer(optimizer))) {
    const BriefLockHolder guard(&g_lock);
    return OptimizerHasCome(false);
  }
  ThisThread().FollowThreadEnd();
  const BriefLockHolder guard(&g_lock);
  OptimizerHasCome(true);
  if (ThisThread().makes_no_steps) return;
  StepLoop& loop = g_loops[ThisThread().step_loop];
  // No module is called at all: steps end with an optimizer, and begin.
  if (!HasLabel(loop) || !loop.called) {
    if (g_explicit.load(std::memory_order_relaxed)) return;
    if (HasLabel(loop)) EmitStep(shm::StepEvent::kOptimizerEnd, loop.label, loop.number, 0);
    return BeginLabel(&loop, loop.NextNumber(), false);
  }
  EmitStep(shm::StepEvent::kOptimizerEnd, loop.label, loop.number, 0);
  if (g_explicit.load(std::memory_order_relaxed)) return SetPlace(&loop, StepPlace::kTail);
  // One that only steps optimizers works for the thread that calls the model.
  ThreadScopes& thread = ThisThread();
  if (thread.calls_models || loop.owner == nullptr) loop.owner = &thread;
  loop.trained = true;
  // The 64th and all after it are one.
  loop.optimizers |= uint64_t{1} << (optimizer < 63 ? optimizer : 63);
  loop.cycle.SetPart(loop.optimizers);
  if (!loop.cycle.learned() && !WaitsForOthers(loop)) Renumber(&loop);
  SetPlace(&loop, loop.cycle.TurnIsOver() ? StepPlace::kTail : StepPlace::kIn);
}

void OnBackwardSlow(uint32_t scope) {
  bool first = false;
  {
    const BriefLockHolder guard(&g_lock);
    bool awaited = false;  // a pass of another loop
    if (!g_optimizer_known.load(std::memory_order_relaxed) &&
        !g_explicit.load(std::memory_order_relaxed)) {
      const int index = LoopOfNode(scope);
      if (index >= 0) first = SeePass(&g_loops[index]);
      for (const StepLoop& loop : g_loops) awaited |= loop.awaits_pass;
    }
    g_wants_backward.store(awaited, std::memory_order_relaxed);
  }
  if (first) EmitNote("steps", "passes");
}

void OnStepDisturbed() {
  const uint32_t step = CurrentStep();
  if (step != shm::kNoStep && shm::PlaceOfStep(step) == StepPlace::kIn) {
    EmitStep(shm::StepEvent::kDisturbed, step, 0, 0);
  }
}

namespace {
// What was waited for does not come.
void Settle(StepLoop* loop) {
  if (HasLabel(*loop) && !loop->cycle.learned() && loop->number != shm::kNoStep) Renumber(loop);
}
}  // namespace

void TellStepsAgain() {
  BriefLockHolder hold(&g_lock);
  for (StepLoop& loop : g_loops) {
    if (!HasLabel(loop)) continue;
    for (uint32_t part = 0; part < loop.cycle.count() && part < StepCycle::kMostParts; ++part) {
      const uint32_t label = loop.first_part_label + part;
      if (label < loop.label) {
        EmitStep(shm::StepEvent::kNumber, label, loop.numbers[part], label);
      }
    }
    EmitStep(shm::StepEvent::kNumber, loop.label, loop.number, loop.label);
  }
}

void SettleSteps() {
  const BriefLockHolder guard(&g_lock);
  for (StepLoop& loop : g_loops) Settle(&loop);
}

void WantExplicitSteps() { g_explicit.store(true, std::memory_order_relaxed); }

void OnExplicitStep() {
  const bool first = !g_explicit.exchange(true, std::memory_order_relaxed);
  if (first) EmitNote("steps", "flopsprof.step()");
  ThreadScopes& thread = ThisThread();
  thread.FollowThreadEnd();
  const BriefLockHolder guard(&g_lock);
  const StepLoop& known = g_loops[thread.step_loop];
  if (!known.IsBegunBy(nullptr) && !known.IsBegunBy(&thread)) {
    const StepLoop* own = FindFreeLoop();
    if (own == nullptr) return;  // steps of others are not cut
    EnterLoop(&thread, *own);
  }
  StepLoop& loop = g_loops[thread.step_loop];
  loop.beginner.store(&thread, std::memory_order_relaxed);
  if (first && HasLabel(loop) && !loop.passes &&
      !g_optimizer_known.load(std::memory_order_relaxed)) {
    DropLabelsUpTo(&loop, loop.label);  // forwards before the loop
    loop.number = shm::kNoStep;
  }
  BeginLabel(&loop, loop.NextNumber(), false);
}

void ReleaseStepLoops(ThreadScopes* thread) {
  const BriefLockHolder guard(&g_lock);
  EnterLoop(thread, g_loops[0]);
  for (StepLoop& loop : g_loops) {
    if (loop.owner != thread && !loop.IsBegunBy(thread)) continue;
    if (loop.owner == thread) {
      loop.owner = nullptr;
      loop.trained = loop.awaits_pass = false;
    }
    if (loop.IsBegunBy(thread)) loop.beginner.store(nullptr, std::memory_order_relaxed);
    if (IndexOfLoop(loop) == 0 || !loop.IsOver()) continue;
    if (g_explicit.load(std::memory_order_relaxed)) {
      DropRootsOf(loop);  // whoever works with its models now is in the explicit step
    } else {
      Settle(&loop);
    }
  }
}

void ForgetSteps() {
  ForgetStepLoops();
  g_optimizer_known.store(false, std::memory_order_relaxed);
  g_optimizers_made.store(0, std::memory_order_relaxed);
  g_explicit.store(false, std::memory_order_relaxed);
  g_wants_backward.store(false, std::memory_order_relaxed);
  g_checks_left.store(kOptimizerChecks, std::memory_order_relaxed);
}

}  // namespace flopsprof::injector

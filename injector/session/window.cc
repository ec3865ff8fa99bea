// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/session/window.h"

#include <atomic>

#include "injector/base/platform.h"
#include "injector/cupti/cupti_session.h"
#include "injector/graphs/capture_state.h"
#include "injector/transport/record_sink.h"
#include "injector/transport/segment.h"

namespace flopsprof::injector {
namespace {

// A window whose steps were jumped over and that was opened later: as the agent named its steps,
// and where it ends instead. Used only where steps begin, which is one after the other.
uint64_t late_window = shm::kNoSteps;
uint32_t late_end;

// The header, if an agent is there that says which steps it wants.
shm::SegmentHeader* Controlled() {
  shm::SegmentHeader* header = CurrentSegment();
  // In a forked child the header is its parent's.
  if (header == nullptr || !IsConnected()) return nullptr;
  if (header->controlled.load(std::memory_order_relaxed) == 0) return nullptr;
  return header;
}

shm::StepsWanted Wanted(const shm::SegmentHeader& header) {
  return shm::UnpackSteps(header.steps_wanted.load(std::memory_order_acquire));
}

// `step` comes right after one before the window and is already behind it: numbers of steps jump
// when it turns out that no other optimizer is of the first turn.
bool IsJumpedOver(const shm::StepsWanted& wanted, uint32_t before, uint32_t step) {
  return wanted.first < wanted.end && before < wanted.first && step >= wanted.end;
}

void EmitEdge(shm::StepEvent event, uint32_t label, uint32_t step) {
  shm::StepRecord record{};
  record.header.type = static_cast<uint16_t>(shm::RecordType::kStep);
  record.header.step = step;
  record.event = static_cast<uint8_t>(event);
  record.first_label = label;
  record.mono_ns = MonoNs();
  EmitRecord(&record);
}

// The agent may say at any time that nothing is to be written: that stays.
bool Change(shm::SegmentHeader* header, shm::Recording from, shm::Recording to) {
  auto expected = static_cast<uint32_t>(from);
  return header->recording.compare_exchange_strong(expected, static_cast<uint32_t>(to),
                                                   std::memory_order_acq_rel);
}

// False: nothing is to be written.
bool Open(shm::SegmentHeader* header, uint32_t label, uint32_t step) {
  if (header->recording.load(std::memory_order_relaxed) !=
      static_cast<uint32_t>(shm::Recording::kPaused)) {
    return false;
  }
  CutCaptures();
  // Before the first record of the window.
  EmitEdge(shm::StepEvent::kWindowBegin, label, step);
  WantActivities();
  if (!Change(header, shm::Recording::kPaused, shm::RecordingOfWork(*header))) return false;
  header->windows.fetch_add(1, std::memory_order_relaxed);
  return true;
}

void Close(shm::SegmentHeader* header, uint32_t label, uint32_t step) {
  WantActivities();
  if (!Change(header, shm::RecordingOfWork(*header), shm::Recording::kPaused)) return;
  CutCaptures();
  EmitEdge(shm::StepEvent::kWindowEnd, label, step);
}

}  // namespace

void BeforeStepBegins(uint32_t label, uint32_t step) {
  shm::SegmentHeader* header = Controlled();
  if (header == nullptr || !IsRecording()) return;
  const shm::StepsWanted wanted = Wanted(*header);
  const bool late = late_window != shm::kNoSteps && late_window == shm::PackSteps(wanted);
  if (step < wanted.first || step >= (late ? late_end : wanted.end)) Close(header, label, step);
}

void AfterStepBegan(uint32_t label, uint32_t step) {
  shm::SegmentHeader* header = Controlled();
  if (header == nullptr) return;
  const uint32_t before = header->step.load(std::memory_order_relaxed);
  if (!IsRecording()) {
    const shm::StepsWanted wanted = Wanted(*header);
    const bool late = IsJumpedOver(wanted, before, step);
    late_window = late ? shm::PackSteps(wanted) : shm::kNoSteps;
    late_end = step + (wanted.end - wanted.first);
    const bool opens = late || (step >= wanted.first && step < wanted.end);
    if (opens && Open(header, label, step) && late) EmitNote("window", "late");
  }
  // After it: to the agent a window behind whose end the process is, and that is not open, is over.
  header->step.store(step, std::memory_order_release);
}

void FollowWindow(uint32_t step) {
  shm::SegmentHeader* header = Controlled();
  if (header == nullptr) return;
  const shm::StepsWanted wanted = Wanted(*header);
  const bool none = wanted.first == wanted.end;
  if (IsRecording()) {
    if (none)
      Close(header, shm::kNoStep, shm::kNoStep);  // at once: the step that runs is not whole
  } else if (!none && wanted.first == 0 && wanted.end == shm::kNoEnd && step == shm::kNoStep) {
    Open(header, shm::kNoStep, shm::kNoStep);
  }
}

}  // namespace flopsprof::injector

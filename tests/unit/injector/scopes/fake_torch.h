// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// PyTorch's side of attribution for unit tests: sequence numbers, thread numbers, grad mode and
// passes, per thread and set by hand.

#include <stdint.h>

#include <atomic>
#include <vector>

#include "injector/scopes/scope_stack.h"
#include "injector/scopes/scope_table.h"
#include "injector/scopes/scopes.h"
#include "injector/scopes/sequence_log.h"
#include "injector/scopes/steps.h"
#include "injector/scopes/torch_functions.h"
#include "tests/support/scopes/recording_sink.h"

namespace flopsprof::test {

struct FakeTorchThread {
  uint64_t next_sequence = 0;
  uint64_t number = 0;
  bool grad_enabled = true;
  int graph_task = -1;
};

inline FakeTorchThread& FakeTorch() {
  static std::atomic<uint64_t> next{1};
  thread_local FakeTorchThread thread{0, next++, true, -1};
  return thread;
}

// The number of a new autograd node of this thread.
inline uint64_t MakeNode() { return FakeTorch().next_sequence++; }

// Installs the fakes and forgets everything of earlier tests.
inline void ResetScopesForTesting() {
  injector::g_torch.next_sequence = [] { return FakeTorch().next_sequence; };
  injector::g_torch.thread_number = [] { return FakeTorch().number; };
  injector::g_torch.grad_enabled = [] { return FakeTorch().grad_enabled; };
  injector::g_torch.graph_task = [] { return FakeTorch().graph_task; };
  FakeTorch().next_sequence = 0;
  FakeTorch().grad_enabled = true;
  FakeTorch().graph_task = -1;
  injector::ForgetSequenceLogs();
  injector::ForgetScopeTable();
  injector::ForgetDomainsForTesting();
  injector::ForgetMarksForTesting();
  injector::ForgetSteps();
  injector::ThisThread().Forget();
  BeginRecording();
}

// Takes the records: what the numbers of the first labels of the first loop are by them.
inline std::vector<uint32_t> NumbersOfLabels(uint32_t count) {
  std::vector<uint32_t> numbers(count);
  for (uint32_t label = 0; label < count; ++label) numbers[label] = label;
  for (const RecordedRecord& one : TakeRecords()) {
    if (one.type() != shm::RecordType::kStep) continue;
    const auto& record = one.As<shm::StepRecord>();
    const auto event = static_cast<shm::StepEvent>(record.event);
    if (event != shm::StepEvent::kBegin && event != shm::StepEvent::kNumber) continue;
    const bool range = event == shm::StepEvent::kNumber;
    const uint32_t last = record.header.step;
    for (uint32_t label = range ? record.first_label : last; label <= last && label < count;
         ++label) {
      numbers[label] = record.number;
    }
  }
  return numbers;
}

// The scope of a model.
inline uint32_t AddRoot(const char* class_name) {
  injector::ScopeIdentity identity;
  identity.kind = shm::ScopeKind::kModule;
  identity.class_name = class_name;
  return injector::FindOrAddScope(identity);
}

}  // namespace flopsprof::test

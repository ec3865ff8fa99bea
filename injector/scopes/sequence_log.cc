// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/scopes/sequence_log.h"

#include <new>

#include "proto/shm/records.h"

namespace flopsprof::injector {
namespace {

// The reader's last log: a backward pass asks for the same thread again and again.
__thread uint64_t t_cached_thread __attribute__((tls_model("initial-exec")));
__thread ThreadLog* t_cached_log __attribute__((tls_model("initial-exec")));

}  // namespace

NodeLookup FindNodeScope(uint64_t thread_number, uint64_t sequence, uint32_t* scope) {
  *scope = shm::kOutsideScope;
  ThreadLog* log = t_cached_log;
  if (log == nullptr || t_cached_thread != thread_number) {
    log = FindThreadLog(thread_number);
    if (log == nullptr) {
      return MayHaveLostItsLog(thread_number) ? NodeLookup::kPruned : NodeLookup::kBeforeLog;
    }
    t_cached_thread = thread_number;
    t_cached_log = log;
  }
  uint32_t answer;
  const NodeLookup result = log->Find(sequence, &answer);
  if (log->thread() != thread_number) {
    t_cached_log = nullptr;  // another thread's since it was cached, or meanwhile
    return NodeLookup::kPruned;
  }
  if (result == NodeLookup::kFound) *scope = answer;
  return result;
}

uint64_t SequenceLogEntries() { return g_chunk_pool.CountEntries(); }

void ForgetSequenceLogs() {
  ForgetThreadLogs();
  new (&g_chunk_pool) ChunkPool();
  t_cached_log = nullptr;
}

void SetSequenceLogLimitForTesting(uint64_t entries) {
  g_chunk_pool.SetLimitForTesting(static_cast<uint32_t>(entries / kChunkEntries));
}

}  // namespace flopsprof::injector

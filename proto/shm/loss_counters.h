// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Every way in which a profiled process can lose a record or a fact, as an index into the
// counters of the segment header. Numbers are never reused; names go to the reader's eyes
// (`ranks[].loss` of summary.json) and are stable.

#include <stdint.h>

namespace flopsprof::shm {

#define FLOPSPROF_LOSS_COUNTERS(X)                                                          \
  X(kRingFull, 0, "ring_full", "record not written: the thread's ring was full")            \
  X(kNoSlot, 1, "no_ring_slot", "record not written: more threads than ring slots")         \
  X(kStringTableFull, 2, "string_table_full", "name not kept: the string table was full")   \
  X(kScopeTableFull, 3, "scope_table_full", "scope booked on \"(other)\": table full")      \
  X(kScopeDepth, 4, "scope_depth", "range deeper than the stack: not entered")              \
  X(kScopeUnbalanced, 5, "scope_unbalanced", "pop without a push")                          \
  X(kCuptiBufferDiscarded, 6, "cupti_buffer_discarded", "activity buffer beyond the pool")  \
  X(kCuptiDropped, 7, "cupti_dropped", "activity records that CUPTI says it dropped")       \
  X(kActivityUnknownKind, 8, "activity_unknown_kind", "activity record of unknown kind")    \
  X(kActivityMalformed, 9, "activity_malformed", "activity record or buffer not readable")  \
  X(kInvalidTimestamp, 10, "invalid_timestamp", "activity without valid times")             \
  X(kNoKernelName, 11, "no_kernel_name", "kernel record without a name")                    \
  X(kCuptiTaken, 12, "cupti_taken", "CUPTI is subscribed by another tool")                  \
  X(kCuptiYielded, 13, "cupti_yielded", "CUPTI given up for the job's own profiler")        \
  X(kCuptiUnusable, 14, "cupti_unusable", "CUPTI missing, too old, or refused a call")      \
  X(kCudnnPlanUnknown, 15, "cudnn_plan_unknown", "cuDNN plan without a JSON description")   \
  X(kGemmSizesUnknown, 16, "gemm_sizes_unknown", "product whose sizes could not be read")   \
  X(kRealFunctionMissing, 17, "real_function_missing", "hooked call without a real one")    \
  X(kForkedChild, 18, "forked_child", "records not written by a forked child")              \
  X(kBackwardNotAttributed, 19, "backward_not_attributed", "backward node without scope")   \
  X(kSequenceLogPruned, 20, "sequence_log_pruned", "backward node older than the log")      \
  X(kModuleHookRefused, 21, "module_hook_refused", "module names: no way of seeing calls")  \
  X(kShimFailed, 22, "shim_failed", "the Python shim raised or could not be loaded")        \
  X(kAgentGone, 23, "agent_gone", "the node agent vanished while records were written")     \
  X(kLaunchNotSeen, 24, "launch_not_seen", "launch without room for its scope and call")    \
  X(kCapturedCall, 25, "captured_call", "captured call of a capture that is not known")     \
  X(kGraphReplay, 26, "graph_replay", "graph replay whose work is not known")               \
  X(kBlobTooLarge, 27, "blob_too_large", "text or plan beyond the size limit")              \
  X(kNvtxDropped, 28, "nvtx_dropped", "NVTX event of a form that is not read")              \
  X(kFlushIncomplete, 29, "flush_incomplete", "activity still on the GPU at exit")          \
  X(kAgentLate, 30, "agent_late", "library call before the node agent had answered")        \
  X(kCallerUnseen, 31, "caller_unseen", "way into a library that could not be hooked")      \
  X(kNamespaceUnseen, 32, "namespace_unseen", "dlmopen: calls in there are not seen")       \
  X(kGraphStepsFull, 33, "graph_steps_full", "graph whose replays cannot be told as steps") \
  X(kStackCut, 34, "stack_cut", "sampled stack whose outer frames are not known")           \
  X(kScopeTooDeep, 36, "scope_too_deep", "scope booked on \"(deeper)\": too deep")          \
  X(kStepLoopsFull, 37, "step_loops_full", "forward or step() in steps of another thread")  \
  X(kAgentAway, 41, "agent_away", "call or launch made while no node agent was there")      \
  X(kCuptiStays, 40, "cupti_stays", "CUPTI given back, but still in the process")           \
  X(kStackTableFull, 35, "stack_table_full", "launch whose sampled stack could not be kept")

enum class LossCounter : uint32_t {
#define FLOPSPROF_ENUM(id, number, name, text) id = number,
  FLOPSPROF_LOSS_COUNTERS(FLOPSPROF_ENUM)
#undef FLOPSPROF_ENUM
};

constexpr uint32_t kLossCounterSlots = 64;  // in the segment header; unused ones are 0

// Stable name, or nullptr when the index is not used.
constexpr const char* LossCounterName(uint32_t index) {
  switch (index) {
#define FLOPSPROF_NAME(id, number, name, text) \
  case number:                                 \
    return name;
    FLOPSPROF_LOSS_COUNTERS(FLOPSPROF_NAME)
#undef FLOPSPROF_NAME
    default:
      return nullptr;
  }
}

}  // namespace flopsprof::shm

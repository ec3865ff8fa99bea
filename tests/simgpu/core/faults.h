// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// The fault script (SIMGPU_FAULTS): what the stand-in does wrong on purpose. README.md
// documents every switch.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
// GPU memory that a tool has taken (cudaMemGetInfo), and the time that it adds to each launch.
extern "C" uint64_t sim_tool_bytes, sim_tool_launch_us;

namespace simgpu {

// Which of a series of numbered things a fault strikes.
class Selector {
 public:
  Selector() = default;
  static Selector Every(uint64_t n);
  static Selector At(std::vector<uint64_t> numbers);
  // Notes that the switch has struck when it does.
  bool Hits(uint64_t number) const;
  void NoteAs(const char* name) { name_ = name; }
  bool Any() const { return every_ != 0 || !numbers_.empty(); }

 private:
  uint64_t every_ = 0;
  std::vector<uint64_t> numbers_;
  const char* name_ = nullptr;
};

// A function that refuses some of its calls, numbered from 1 in each process.
struct Refusal {
  Selector calls;
  int status = 0;  // 0: the usual error of the library
};

enum class CuptiState { kPresent, kMissing, kTooOld };

// A library that does its work by calling another: through the symbol that everybody sees, or
// by a way of its own.
// kThread: the exported function, on a thread of the calling library.
enum class InnerCalls { kNone, kExported, kInternal, kThread };

// The correlation ids of a driver call inside of a runtime call: one for both; or one each, and
// the record has the outer or the inner one's.
enum class NestedIds { kShared, kOuter, kInner };

// The driver call inside of a runtime launch, as callbacks tell it: one, none, two.
enum class NestedDriver { kOnce, kNone, kTwice };

// cuptiEnableCallback(0) for an API's callback: works, is refused, works 300 ms later.
enum class CallbackOff { kAtOnce, kRefused, kLate };

// Nodes of graphs within graphs: each copy keeps its number; or has a new one, which
// GRAPHNODE_CLONED tells, or nobody.
enum class ChildIds { kKept, kTold, kUntold };

struct Faults {
  // Times.
  bool hashed_durations = false;   // "durations": "hash"
  uint64_t fixed_duration_ns = 0;  // "durations": n
  uint64_t init_ms = 0;            // cuInit stays inside for so long after it has loaded the tool
  // Delivery of activity records.
  uint64_t late_ms = 0;
  uint64_t shuffle_seed = 0;         // 0: completion order
  uint64_t late_graph_trace_ms = 0;  // nodes are recorded so long beside GRAPH_TRACE
  unsigned callback_threads = 1;
  uint64_t dropped = 0;    // added once to the dropped counter
  Selector empty_buffers;  // by buffer: one more buffer with validSize 0
  // Contents of activity records, by ordinal of the operation.
  Selector null_name, recycled_name, zero_times, end_before_start, no_correlation;
  Selector unknown_kind, longer_record, shorter_record, lost_record;
  Selector falsify_duration, falsify_correlation;
  // Library calls, by number of the GEMM in the process.
  Selector falsify_shape, falsify_layout;
  // What real libraries and drivers may do in another way than the stand-in.
  InnerCalls cublas_calls_lt = InnerCalls::kNone;
  InnerCalls cusolver_calls_cublas = InnerCalls::kNone;
  Selector split_k, product_memset, other_thread;  // by number of the GEMM
  bool driver_launches = false;
  NestedIds nested_ids = NestedIds::kShared;
  NestedDriver nested_driver = NestedDriver::kOnce;
  bool captured_driver_none =
      false;  // "captured_driver": "none": captured launches have no such call
  bool lone_ids =
      false;  // a driver call whose runtime call is not told has an id that records lack
  CallbackOff callback_off = CallbackOff::kAtOnce;
  ChildIds child_ids = ChildIds::kKept;
  // What would make one of the profiler's assumptions false (tests/gpu/questions.toml).
  Selector moved_fields;              // kernel records, by ordinal
  bool update_renumbers = false;      // cudaGraphExecUpdate gives nodes new ids
  bool pool_limit_ignored = false;    // CUPTI takes all the GPU memory that it may by default
  uint64_t after_unsubscribe_us = 0;  // each launch takes longer until cuptiFinalize
  bool dead_after_finalize = false;   // no second subscription
  bool ids_start_again = false;       // correlation ids count CUPTI's calls since it was started
  bool many_subscribers = false;      // a second one beside the first
  bool lenient_arguments = false;     // too small leading dimensions are accepted
  uint64_t callback_us = 0;           // each callback takes longer
  // Calls that fail.
  bool strict_arguments = false;
  unsigned fail_percent = 0;                // of the calls that compute, by chance
  std::map<std::string, Refusal> refusals;  // by function name
  bool cudnn_json_refused = false;          // "cudnn_json": "refused"
  // "broken_cuda": from the operation with this ordinal on (0: from the start) every call gives the
  // status, as where the driver is too old or the card is gone. -1: never.
  int64_t broken_from = -1;
  int broken_status = 0;
  bool mig = false;  // the device is a slice of its card
  // CUPTI as a whole.
  uint64_t attached_ns = 0;  // each launch waits so long while CUPTI is in the process
  CuptiState cupti = CuptiState::kPresent;
  uint32_t cupti_version = 0;  // 0: that of the headers
  bool subscriber_taken = false;
  std::string subscriber_name;
};

// The script of this process. A script that cannot be read ends the process with a
// message: a test that asked for faults and got none would pass for the wrong reason.
const Faults& GetFaults();

// Writes a line of kind "fault" into the ledger, the first time for each switch: it has changed
// something. Safe from every thread, under any lock.
void NoteStruck(const char* name);

// Takes so much of the thread's time.
inline void Spin(uint64_t us) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(us);
  while (std::chrono::steady_clock::now() < end) {
  }
}

// For tests: parses JSON text.
Faults ParseFaults(const std::string& text);

}  // namespace simgpu
#pragma GCC visibility pop

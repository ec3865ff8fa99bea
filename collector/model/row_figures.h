// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Kernels, products, stacks, collectives, ranges, marks and optimizers: one row each. A part of the
// summary (summary.h).

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "collector/model/flops/flop_count.h"

namespace flopsprof::model {

struct KernelSummary {
  std::string name;
  std::string kind;
  std::string category;
  std::string phase;
  uint64_t count = 0;
  uint64_t gpu_time_ns = 0;
  uint64_t min_ns = 0;
  uint64_t max_ns = 0;   // 0: no valid time at all, neither sum nor minimum
  uint64_t in_call = 0;  // of `count`, where flops are unknown: owned by a call that was seen
  std::string kernel_class = {};  // why it holds no products: "elementwise", ...; "" for others
};

// Products of one kind of loss: product_sums.h says which.
struct LostProducts {
  uint64_t gpu_time_ns = 0;
  double best_ns = 0;  // that they would take at least
  // The one that loses most: function and shape, its time, and what it does and could do.
  std::string worst;
  uint64_t worst_ns = 0;
  double worst_flop_per_s = 0;
  double worst_best_flop_per_s = 0;

  friend bool operator==(const LostProducts&, const LostProducts&) = default;
};

// Products compared with what the card could do at their shapes. Without repeated forwards.
struct ProductsSummary {
  uint64_t gpu_time_ns = 0;      // of products whose flops are known
  uint64_t compared_ns = 0;      // of it: sizes, peak and bandwidth are known
  uint64_t memory_bound_ns = 0;  // of compared_ns
  LostProducts small;            // too short to reach any peak
  LostProducts slow;
  LostProducts misaligned;
  LostProducts plain_fp32;  // best_ns: as tf32
};

struct StackFrameSummary {
  std::string kind;      // "python", "native", "cut": frames further out are not known
  std::string function;  // mangled as in the symbol table; "" = not known
  std::string where;     // "file.py:12" (the function's first line), "libm.so", "libm.so+0x12"
};

// Launches sampled with one stack.
struct StackSummary {
  std::string path;  // of the module, or "(outside)"
  std::string kernel;
  std::string kind;
  std::string category;
  std::string phase;
  std::vector<StackFrameSummary> frames;  // outermost first
  uint64_t samples = 0;
  uint64_t launches = 0;     // that the samples stand for
  uint64_t gpu_time_ns = 0;  // of the samples alone
};

struct CollectiveSummary {
  std::string api;
  std::string detail;  // group size
  std::string phase;
  std::string module;  // path; "(outside)"
  std::string ranks;   // of the job, in the group: "0-3,8"; "" when not known
  uint64_t calls = 0;
  uint64_t bytes = 0;
  uint64_t gpu_time_ns = 0;
  // Calls for which the begin of every rank is known; their GPU time; the part of this time before
  // the last rank began.
  uint64_t matched_calls = 0;
  uint64_t matched_time_ns = 0;
  uint64_t wait_ns = 0;
  // GPU time that was compared with other work of the device, and the part of it that ran at the
  // same time as such work.
  uint64_t compared_time_ns = 0;
  uint64_t hidden_ns = 0;

  std::optional<uint64_t> known_hidden_ns() const {
    return compared_time_ns == gpu_time_ns ? std::optional<uint64_t>(hidden_ns) : std::nullopt;
  }
};

// Decimal texts as in v1::RangeRow; "" without numbers.
struct NumbersSummary {
  std::string sum;
  std::string min;
  std::string max;
  std::string last;
};

// Entries of a range that carried a category or a number.
struct RangeSummary {
  std::string module;  // path of its line; "(outside)"
  std::string range;   // names of the ranges around it and its own, joined by "."
  std::string domain;
  uint32_t category = 0;
  std::string category_name;
  uint64_t entries = 0;
  NumbersSummary numbers;
};

struct MarkSummary {
  std::string module;
  std::string range;  // in which it was set; "" = directly in the module
  std::string domain;
  std::string name;
  uint32_t category = 0;
  std::string category_name;
  uint64_t count = 0;
  uint64_t in_steps = 0;  // of them
  std::optional<uint32_t> first_step;
  std::optional<uint32_t> last_step;
  NumbersSummary numbers;
};

// Steps of one optimizer, of all ranks together.
struct OptimizerSummary {
  std::string name;  // class; " #2" behind that of the second that stepped in its process
  uint64_t steps = 0;
  std::optional<uint64_t> gpu_time_ns;  // absent: no GPU work, or none whose time is known
  bool time_incomplete = false;         // of some of it the time never came
  FlopCount flops = 0;                  // counted
};

}  // namespace flopsprof::model

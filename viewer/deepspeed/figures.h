// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace flopsprof::viewer::deepspeed {

// A count. Python prints an integer and a float differently.
struct Number {
  double value = 0;
  bool whole = true;
};

// What is absent is not known.
using Count = std::optional<Number>;
using Seconds = std::optional<double>;

// A module with all below it, in one forward.
struct Module {
  std::string name;  // in its parent
  std::string class_name;
  uint32_t depth = 0;
  Count params, flops, macs, calls;
  Seconds seconds;
  // What no layout of DeepSpeed has: the backward, as it was counted and measured.
  Count backward_flops, recompute_flops;
  Seconds backward_seconds;
};

// What one page is made of.
struct Figures {
  std::vector<Module>
      modules;  // each behind its parent, children in their order; tops have depth 0
  std::optional<uint64_t> step;
  std::string device = "cpu";
  Count world_size, dp_size, mp_size, batch;
  Seconds forward, backward, weights_update;  // of one step, work outside of modules too
  Count samples;                              // that all ranks take in a step
  // Flops of all modules together, for where those of each are not known.
  Module known_total;
  double recompute_fwd_factor = 0;
  bool has_backward = true;  // false: the lines of backward, step and iteration are left out
};

enum class Layout { kNewest, k2022, k2021May, k2021, kMirror };

struct PageOptions {
  Layout layout = Layout::kNewest;
  int module_depth = -1;
  int top_modules = 1;
  bool detailed = true;
};

// Adds each figure; a part that is not known makes the sum unknown. `first`: of the sum's parts.
void AddModule(const Module& module, bool first, Module* sum);
// Sums over the tops, or what is known of all together.
Module Total(const Figures& figures);
// The depths that a model has.
uint32_t Depths(const Figures& figures);

}  // namespace flopsprof::viewer::deepspeed

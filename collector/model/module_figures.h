// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// A line of the module tree of the run. A part of the summary (summary.h).

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "collector/model/module_paths.h"
#include "collector/model/work_figures.h"

namespace flopsprof::model {

// GPU time of one module over the ranks that report times.
struct RankSpread {
  std::optional<uint64_t> min_ns;
  std::optional<uint64_t> median_ns;  // of an even number: the mean of the two in the middle
  std::optional<uint64_t> max_ns;
  std::optional<int> worst_rank;  // the one with max_ns, the smallest of several
};

// Work of a module that no GPU did: nobody counted it.
enum class OnCpu : uint8_t {
  kNo,    // or not told
  kPart,  // of some modules below, or of some calls
  kAll,
};

struct ModuleSummary {
  // Unique in the run. Of programs beyond the first: "(program 1)", "(program 1).layer".
  std::string path;
  int program = 0;
  std::string program_path;  // as named_modules() of the program's root says
  std::string class_name;
  uint32_t depth = 0;
  std::optional<uint64_t> params;
  std::optional<ParameterSizes> sizes;  // present: Python told
  std::optional<uint64_t> calls;        // absent for "(outside)"
  std::vector<std::string> aliases;     // further paths of the same module
  OnCpu on_cpu = OnCpu::kNo;
  std::optional<std::string> copy_of;  // path of the model that this one is a copy of
  Work inclusive;
  Work self;
  RankSpread ranks;
};

}  // namespace flopsprof::model

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "viewer/deepspeed/step_part.h"

namespace flopsprof::viewer {

// The block flops_profiler of a DeepSpeed configuration, with DeepSpeed's defaults.
struct DsBlock {
  bool enabled = false;
  deepspeed::StepRange steps = {1, 2};  // of profile_step, or of start_step and end_step
  int module_depth = -1;
  int top_modules = 1;
  bool detailed = true;
  std::string output_file;  // "" = none
  double recompute_fwd_factor = 0;
};

struct ParsedDsBlock {
  // Absent: the configuration has none, or something is wrong.
  std::optional<DsBlock> block;
  bool has_block = false;
  bool enabled = false;              // known also where something else is wrong
  std::string error;                 // "" = nothing is wrong
  std::vector<std::string> unknown;  // keys of the block that DeepSpeed would ignore, as sentences
  std::vector<std::string> remarks;  // what is right, and may not be meant
};

// Reads the text of a configuration. As DeepSpeed does, it takes comments (#, //, /* */) and commas
// behind the last member; Hjson without quotes is an error with its line. Pure.
ParsedDsBlock ParseDsBlock(std::string_view text);

// The configuration as strict JSON of the same length and lines, or as near as this comes: comments
// and commas behind the last member are blanks.
std::string WithoutComments(std::string_view text);

}  // namespace flopsprof::viewer

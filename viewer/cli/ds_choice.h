// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "viewer/cli/ds_block.h"
#include "viewer/cli/ds_search.h"

namespace flopsprof::viewer {

// What a launcher does with the flops_profiler block of its job.
struct DsChoice {
  std::optional<DsBlock> block;    // enabled and right: its page is written at the job's end
  std::string origin;              // of the block: file, and where that was named
  std::vector<std::string> said;   // to the user, before the job starts
  std::vector<std::string> noted;  // the same with --verbose
  std::string refusal;             // the job is not started; "" = it is
};

// `given`: the file of --ds-config, "" = none; a mistake in it is the user's own, and refused. One
// in a file that is only found is said, and the job runs.
DsChoice ChooseDsBlock(const std::string& given, bool search,
                       const std::vector<std::string>& command, const DsSearchPlaces& places);

}  // namespace flopsprof::viewer

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "collector/model/run_sums.h"
#include "viewer/deepspeed/run_figures.h"

namespace flopsprof::viewer::deepspeed {

// What is wrong with the given sizes, for a run or one of its programs; "": nothing.
std::string ErrorInSizes(const model::RunSums& sums, const GivenFacts& given);

// The page of a run in a layout of DeepSpeed, and behind its last rule what was measured beside it:
// the backward, and what the figures mean. A job of several programs has a page for each, and this
// behind all of them. "": no module was seen. `parts`: the page is of these steps, of which some
// must have been recorded; null: of all. Pure.
std::string RunPage(const model::RunSums& sums, const PageOptions& options, const GivenFacts& given,
                    const StepParts* parts = nullptr);

}  // namespace flopsprof::viewer::deepspeed

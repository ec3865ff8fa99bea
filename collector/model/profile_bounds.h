// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "collector/model/run_profile.h"

namespace flopsprof::model {

// What is kept of a profile at most, so that no name, no depth and no circle that a program or a
// peer can make costs a reader more than its bytes. The injector keeps to these numbers by
// itself; what comes from elsewhere is cut, and counted.

inline constexpr size_t kMaxNameBytes = 4096;  // of a name; of a path of scopes
inline constexpr size_t kMaxPathParts = 256;   // of a path; dots in a name make parts too
inline constexpr uint32_t kMaxScopes = 256;    // inside of one another
// Ranges are cut earlier: modules that are called in them keep lines of their own.
inline constexpr uint32_t kMaxRangeScopes = 128;

// Name of the scopes that stand for deeper ones.
inline constexpr std::string_view kDeeperName = "(deeper)";

// The name, or its beginning with "…#" and a number made from the whole: two long names stay two.
// `is_path`: its dots make parts. The result of a result is the same.
std::string BoundedName(const std::string& name, bool is_path);

// True for what BoundedName has made of a longer name.
bool IsCutName(std::string_view name);

// Bounds every name of the process: of scopes, modules, kernels, calls, marks. Not texts: command
// line, shapes, details, notes, frames of stacks.
void CutNames(v1::ProcessProfile* process);

// Makes a profile fit: CutNames, and scopes that are too deep, have too long a path or lie in a
// circle give their work to the scope around them. Counts what was cut, here or before, in the
// process' losses "names_cut" and "scopes_cut".
void BoundProfile(v1::ProcessProfile* process);

// True where BoundProfile has nothing to do.
bool IsBounded(const v1::ProcessProfile& process);

}  // namespace flopsprof::model

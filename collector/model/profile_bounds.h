// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "collector/model/run_profile.h"

namespace flopsprof::model {

// Limits for a stored profile. A program or a sender can make long names, deep scopes and circles
// of scopes. With these limits none of them costs a reader more than its bytes. The injector keeps
// the limits by itself; what comes from elsewhere is cut, and counted.

inline constexpr size_t kMaxNameBytes = 4096;  // of a name; of a path of scopes
inline constexpr size_t kMaxPathParts = 256;   // of a path; dots in a name make parts too
inline constexpr uint32_t kMaxScopes = 256;    // inside of one another
// Ranges are cut earlier: modules that are called in them keep lines of their own.
inline constexpr uint32_t kMaxRangeScopes = 128;

// Name of the scopes that stand for deeper ones.
inline constexpr std::string_view kDeeperName = "(deeper)";

// The name. A name that is too long becomes its beginning, "…#", and a hash of the whole name, so
// that two long names stay different. `is_path`: its dots make parts. Applied to its own result it
// changes nothing.
std::string BoundedName(const std::string& name, bool is_path);

// True for what BoundedName has made of a longer name.
bool IsCutName(std::string_view name);

// Bounds every name of the process: of scopes, modules, kernels, calls, marks. Not texts: command
// line, shapes, details, notes, frames of stacks.
void CutNames(v1::ProcessProfile* process);

// Makes a profile fit the limits. Calls CutNames. A scope that is too deep, has too long a path, or
// lies in a circle gives its work to the scope around it. The process's losses "names_cut" and
// "scopes_cut" count everything that was cut, here or before. `longest_text_bytes`: no text of the
// process is longer.
void BoundProfile(v1::ProcessProfile* process, size_t longest_text_bytes = SIZE_MAX);

// True where BoundProfile has nothing to do.
bool IsBounded(const v1::ProcessProfile& process);

}  // namespace flopsprof::model

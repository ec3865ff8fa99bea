// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace flopsprof::model {

// Longest readable name that is made. 155 characters of a mangled name can stand for a million
// readable ones.
constexpr size_t kLongestReadableName = 1 << 16;

// "void f<int>(int)" of "_Z1fIiEvT_". Empty: not a mangled name, not a correct one, or one whose
// readable form is longer than kLongestReadableName. Thread-safe.
std::string Demangle(std::string_view mangled);

}  // namespace flopsprof::model

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace flopsprof::viewer {

// One field of CSV (RFC 4180) from a text that a program has chosen: without characters that steer
// a terminal (line ends and tabs stay), and with ' before what a spreadsheet would take for a
// formula. Numbers stay numbers.
std::string CsvText(std::string_view text);

}  // namespace flopsprof::viewer

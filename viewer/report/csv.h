// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace flopsprof::viewer {

// One field of CSV (RFC 4180) from a text that a program has chosen: without characters that steer
// a terminal (line ends and tabs stay), and with ' before what a spreadsheet would take for a
// formula. Numbers stay numbers.
std::string CsvText(std::string_view text);

// Fields as they are written, with their quotes.
using CsvRows = std::vector<std::vector<std::string>>;
CsvRows RowsOfCsv(std::string_view text);
// One table of several that have a header each: columns of one name are one, in the order in which
// they come; empty where a table has no such column.
std::string JoinedCsv(const std::vector<CsvRows>& tables);

}  // namespace flopsprof::viewer

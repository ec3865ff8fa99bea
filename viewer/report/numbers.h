// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "collector/model/flops/flop_count.h"

namespace flopsprof::viewer {

// Numbers as the report shows them: three or four significant digits with an SI prefix. What is
// not known is "?", never 0; exact integers are in summary.json, or by FormatExact.

// "0", "120", "62.0 K", "5.21 M", "8.03 B": parameters and calls, in English thousands.
std::string FormatCount(std::optional<double> value);
// "0", "120", "62.0 k", "5.21 M", "8.03 G", "1.20 P": operations and rates, SI.
std::string FormatSi(std::optional<double> value);
// "15,210,240".
std::string FormatExact(std::optional<model::FlopCount> value);
// "87 ns", "12.3 us", "103 ms", "1.93 s", "2 min 03 s", "1 h 02 min"; micro as "µs" in UTF-8.
std::string FormatSeconds(std::optional<double> seconds, bool utf8);
// A share 0..1 as "34.2%", "<0.1%" for what is there but small, "0" for nothing.
std::string FormatShare(std::optional<double> share);
// "1.23 GB".
std::string FormatBytes(std::optional<double> bytes);

}  // namespace flopsprof::viewer

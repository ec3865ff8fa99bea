// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace flopsprof::viewer::deepspeed {

// Numbers and texts as Python prints them: the layouts are made of its formats.

// round(value, 2)
double Round2(double value);
// f"{value:g}"
std::string General(double value);
// str(value) of a float: the shortest text that gives the same float, "5.0", "1e+16".
std::string FloatText(double value);
// f"{value:.2}" of a float, "13.0" is "1.3e+01".
std::string TwoDigits(double value);
// repr(text)
std::string Quoted(const std::string& text);
// repr(dict) of texts
std::string DictText(const std::vector<std::pair<std::string, std::string>>& items);

}  // namespace flopsprof::viewer::deepspeed

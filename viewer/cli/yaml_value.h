// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace flopsprof::viewer {

struct YamlValue {
  std::string text;   // "" = there is none, or null
  std::string error;  // it is there, in a form that is not read; names the line
};

// A text or number of a YAML file: that of `key` in the mapping `outer` of the file's own mapping;
// "" = of this one itself. Reads what `accelerate config` and arguments files have, a key and its
// value a line; no braces, anchors or texts of several lines. For a whole YAML there would be a
// library, which every user would have to have. Pure.
YamlValue FindYamlValue(std::string_view text, std::string_view outer, std::string_view key);

}  // namespace flopsprof::viewer

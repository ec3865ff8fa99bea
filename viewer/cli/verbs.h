// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace flopsprof::viewer {

struct Verb {
  std::string_view name;
  std::string_view summary;    // one line of the help
  bool available;              // false: known by name, not in this version
  std::string_view next = {};  // then: what to do instead
};

// All verbs, in the order of the help.
const std::vector<Verb>& Verbs();

struct VerbMatch {
  const Verb* verb = nullptr;
  // Set when `verb` is not: what to tell the user.
  std::string error;
};

// The verb that `word` names: in full, or by a beginning that no other verb shares.
VerbMatch MatchVerb(std::string_view word);

// The candidate nearest to `word` by edit distance, "" when none is near.
std::string Nearest(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace flopsprof::viewer

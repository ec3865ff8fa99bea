// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "viewer/cli/verbs.h"

#include <algorithm>

namespace flopsprof::viewer {
namespace {

size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replace = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replace});
    }
  }
  return row[b.size()];
}

std::string Join(const std::vector<const Verb*>& verbs) {
  std::string text;
  for (const Verb* verb : verbs) {
    if (!text.empty()) text += ", ";
    text += verb->name;
  }
  return text;
}

}  // namespace

const std::vector<Verb>& Verbs() {
  static const std::vector<Verb> verbs = {
      {"run", "launch a command under the profiler: run [OPTIONS] -- COMMAND...", true},
      {"report", "print the report of a run folder", true},
      {"ctl", "start, stop and mark in a running job; its status", true},
      {"attach", "profile processes that run, without restarting them", true},
      {"detach", "end a flopsprof attach; the process runs on", true},
      {"ps", "list processes that could be attached, and why others could not", true},
      {"query", "run a read-only SQL query on a run folder", true},
      {"doctor", "what works on this machine, what is missing, what to do", true},
      {"peaks", "the peak rates that utilisation is measured against, with sources", true},
      {"count", "flops of one call of a model, by module; needs PyTorch, no GPU", true},
      {"collector", "receive profiles from other nodes", true},
      {"env", "print the environment to set when we cannot launch the job", true},
      {"completion", "print a completion script for bash, zsh or fish", true},
      {"version", "print the version", true},
      {"help", "print help on a verb", true},
      {"top", "live view of running jobs", false,
       "of jobs under flopsprof-run: flopsprof ctl status"},
      {"html", "write the report as one web page", false, "flopsprof report RUN"},
      {"serve", "serve reports over HTTP", false, "flopsprof report RUN"},
      {"diff", "compare two runs", false,
       "summary.json of both runs has the same numbers by the same names"},
      {"export", "write other formats", false,
       "flopsprof query RUN SQL, or flopsprof report --json RUN"},
      {"merge", "combine run folders", false, "send all nodes to one: flopsprof collector"},
      {"push", "send a run to a database", false, "profile.db of a run folder is SQLite"},
      {"demo", "make a run folder without a GPU", false,
       "flopsprof-run needs a GPU; without one: tests/simgpu/README.md"},
  };
  return verbs;
}

VerbMatch MatchVerb(std::string_view word) {
  std::vector<const Verb*> begins;
  for (const Verb& verb : Verbs()) {
    if (verb.name == word) return {&verb, ""};
    if (!word.empty() && verb.name.substr(0, word.size()) == word) begins.push_back(&verb);
  }
  if (begins.size() == 1) return {begins[0], ""};
  std::string error = "\"" + std::string(word) + "\" ";
  if (begins.size() > 1) {
    error += "could be any of: " + Join(begins);
    return {nullptr, error};
  }
  std::vector<std::string> names;
  for (const Verb& verb : Verbs()) names.emplace_back(verb.name);
  error += "is neither a verb nor a run folder";
  const std::string nearest = Nearest(word, names);
  if (!nearest.empty()) error += "; did you mean \"" + nearest + "\"?";
  return {nullptr, error};
}

std::string Nearest(std::string_view word, const std::vector<std::string>& candidates) {
  std::string best;
  // A third of the letters may differ: beyond that a suggestion is noise.
  size_t best_distance = std::max<size_t>(1, (word.size() + 1) / 3) + 1;
  for (const std::string& candidate : candidates) {
    const size_t distance = EditDistance(word, candidate);
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

}  // namespace flopsprof::viewer

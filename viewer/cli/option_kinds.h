// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Kinds of options that several verbs have. Only files that define options include this one: CLI11
// takes seconds to compile.

#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "collector/model/peaks/peaks.h"
#include "viewer/report/terminal.h"

namespace flopsprof::viewer {

// CLI11 2.1 makes its own usage line, which cannot say "-- COMMAND...".
void SetUsage(CLI::App* app, const std::string& usage);

// What is wrong with a word that is none of `words`, which are `list` joined by "|".
std::string ErrorInChoice(const std::string& name, const std::string& word,
                          const std::vector<std::string>& words, const std::string& list);

// An option whose value is one of a few words.
template <typename T>
void AddChoice(CLI::App* app, const std::string& name, T* value, const std::string& text,
               const std::map<std::string, T>& words) {
  std::string list;
  for (const auto& [word, unused] : words) list += (list.empty() ? "" : "|") + word;
  app->add_option_function<std::string>(
         name,
         [=](const std::string& word) {
           const auto found = words.find(word);
           if (found == words.end()) {
             std::vector<std::string> known;
             for (const auto& [one, unused] : words) known.push_back(one);
             throw CLI::ValidationError(ErrorInChoice(name, word, known, list));
           }
           *value = found->second;
         },
         text)
      ->type_name(list);
}

// A word that an unset variable of the shell would make empty.
// host:4777, 10.0.0.1:4777, [::1]:4777
bool IsHostAndPort(const std::string& text);

CLI::Option* AddText(CLI::App* app, const std::string& name, std::string* value,
                     const std::string& text);

// A whole number from `lowest` to `highest`. CLI11's own conversion has words of its own for an
// error.
constexpr int kMostNumber = 1'000'000'000;
CLI::Option* AddNumber(CLI::App* app, const std::string& name, int lowest,
                       const std::function<void(int)>& set, const std::string& text,
                       int highest = kMostNumber);

// A regular expression.
CLI::Option* AddRegex(CLI::App* app, const std::string& name, std::string* value,
                      const std::string& text);

void AddLook(CLI::App* app, ColourMode* colour, bool* ascii);
void AddPeak(CLI::App* app, model::GivenPeaks* peaks);
void AddRawNames(CLI::App* app, bool* raw_names);

}  // namespace flopsprof::viewer

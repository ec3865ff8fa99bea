// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "viewer/cli/ds_choice.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace flopsprof::viewer {
namespace {

DsChoice RefuseOrTake(const DsSource& source) {
  DsChoice choice;
  ParsedDsBlock parsed;
  parsed.error = source.error;
  if (parsed.error.empty()) parsed = ParseDsBlock(source.text);
  std::string error = parsed.error;
  if (error.empty() && !parsed.has_block) error = "no flops_profiler block";
  if (error.empty() && !parsed.unknown.empty()) error = parsed.unknown.front();
  if (!error.empty()) {
    choice.refusal = absl::StrCat(source.name, ": ", error);
    return choice;
  }
  choice.block = parsed.block;
  choice.said = parsed.remarks;
  return choice;
}

DsChoice SayOrTake(const DsSource& source) {
  DsChoice choice;
  const auto no_page = [&](const std::string& error) {
    return absl::StrCat("no page in DeepSpeed's layout will be written: ", source.name, ": ", error,
                        " (named by ", source.where, "; the job runs on)");
  };
  if (!source.error.empty()) {
    choice.said.push_back(no_page(source.error));
    return choice;
  }
  const ParsedDsBlock parsed = ParseDsBlock(source.text);
  // A file that is no configuration, or one that is to write a page.
  if (!parsed.error.empty()) {
    auto& messages = parsed.has_block && !parsed.enabled ? choice.noted : choice.said;
    messages.push_back(no_page(parsed.error));
    return choice;
  }
  if (!parsed.has_block) {
    choice.noted.push_back(no_page("no flops_profiler block"));
    return choice;
  }
  choice.block = parsed.block;
  for (const std::string& text : parsed.unknown) {
    choice.said.push_back(absl::StrCat(source.name, ": ", text));
  }
  choice.said.insert(choice.said.end(), parsed.remarks.begin(), parsed.remarks.end());
  return choice;
}

}  // namespace

DsChoice ChooseDsBlock(const std::string& given, bool search,
                       const std::vector<std::string>& command, const DsSearchPlaces& places) {
  std::optional<DsSource> source;
  if (!given.empty()) {
    source = ReadDsConfig(given, "--ds-config");
  } else if (search) {
    source = FindDsConfig(command, places);
  }
  if (!source.has_value()) return {};
  DsChoice choice = given.empty() ? SayOrTake(*source) : RefuseOrTake(*source);
  choice.origin = absl::StrCat("flops_profiler of ", source->name, ", named by ", source->where);
  if (choice.block.has_value() && !choice.block->enabled) {
    choice.block.reset();
    choice.noted = std::exchange(choice.said, {});
    choice.noted.insert(
        choice.noted.begin(),
        absl::StrCat("no page in DeepSpeed's layout: \"enabled\" is not true in ", choice.origin));
  }
  return choice;
}

}  // namespace flopsprof::viewer

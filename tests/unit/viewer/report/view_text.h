// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "tests/unit/viewer/report/sample_run.h"
#include "viewer/report/report.h"

namespace flopsprof::viewer {

// The report of a summary made by hand, wide enough for every column.
inline std::string RenderView(const model::Summary& summary, const ReportStyle& style) {
  Terminal terminal;
  terminal.width = 160;
  return RenderReport(summary, SampleRun(), "run", style, terminal);
}

// The lines that hold `part`: cells, which two blanks or more keep apart, joined by " | ".
inline std::vector<std::string> LinesWith(const std::string& text, const std::string& part) {
  std::vector<std::string> found;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.find(part) == std::string::npos) continue;
    std::string joined;
    for (size_t begin = 0; begin < line.size();) {
      const size_t end = std::min(line.find("  ", begin), line.size());
      if (end > begin) joined += (joined.empty() ? "" : " | ") + line.substr(begin, end - begin);
      begin = line.find_first_not_of(' ', end);
    }
    found.push_back(joined);
  }
  return found;
}

}  // namespace flopsprof::viewer

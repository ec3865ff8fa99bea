// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "viewer/cli/progress.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "viewer/report/numbers.h"
#include "viewer/report/text.h"

namespace flopsprof::viewer {
namespace {

constexpr absl::Duration kRewriteEvery = absl::Milliseconds(250);
constexpr absl::Duration kPlainEvery = absl::Seconds(60);

}  // namespace

std::string ProgressText(const ProgressFacts& facts) {
  std::string text;
  const auto add = [&](const std::string& part) {
    absl::StrAppend(&text, text.empty() ? "" : "  ", part);
  };
  if (facts.step.has_value()) add(absl::StrCat("step ", *facts.step));
  if (facts.rank_count > 0) {
    add(absl::StrCat(facts.rank_count, facts.rank_count == 1 ? " rank" : " ranks"));
  } else {
    add(absl::StrCat(facts.process_count, facts.process_count == 1 ? " process" : " processes"));
  }
  if (facts.step_seconds.has_value()) {
    add(absl::StrCat(FormatSeconds(facts.step_seconds, false), "/step"));
  }
  if (facts.lost_record_count > 0) {
    add(absl::StrCat("! ", facts.lost_record_count, " records lost"));
  }
  return text;
}

void ProgressPrinter::WriteLine(const std::string& text) {
  write_(absl::StrCat("flopsprof: ", CleanText(text), "\n"));
}

void ProgressPrinter::WriteJson(const char* event, absl::Time now, const ProgressFacts& facts,
                                const std::string& text) {
  nlohmann::ordered_json line = {{"event", event},
                                 {"elapsed_s", absl::ToDoubleSeconds(now - start_)},
                                 {"processes", facts.process_count},
                                 {"ranks", facts.rank_count},
                                 {"records_lost", facts.lost_record_count}};
  line["step"] =
      facts.step.has_value() ? nlohmann::ordered_json(*facts.step) : nlohmann::ordered_json();
  if (!text.empty()) line["text"] = text;
  write_(line.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace) + "\n");
}

void ProgressPrinter::Start(absl::Time now, const std::string& what) {
  start_ = last_ = now;
  if (mode_ == ProgressMode::kJson) {
    WriteJson("start", now, {}, what);
  } else if (mode_ != ProgressMode::kNone) {
    WriteLine(what);
  }
}

void ProgressPrinter::Update(absl::Time now, const ProgressFacts& facts) {
  if (mode_ == ProgressMode::kNone) return;
  const bool first_step = facts.step.has_value() && !step_seen_;
  step_seen_ = step_seen_ || first_step;
  const absl::Duration every = mode_ == ProgressMode::kTty ? kRewriteEvery : kPlainEvery;
  if (now - last_ < every && !first_step) return;
  last_ = now;
  if (mode_ == ProgressMode::kJson) {
    WriteJson(first_step ? "first_step" : "progress", now, facts, "");
  } else if (mode_ == ProgressMode::kTty) {
    const std::string line = absl::StrCat("flopsprof: ", ProgressText(facts));
    const size_t width = DisplayWidth(line);
    write_(absl::StrCat("\r", PadRight(line, line_width_)));
    line_width_ = width;
  } else {
    WriteLine(absl::StrCat(first_step ? "steps are seen, now " : "", ProgressText(facts),
                           "  after ", FormatSeconds(absl::ToDoubleSeconds(now - start_), false)));
  }
}

void ProgressPrinter::End(absl::Time now, const ProgressFacts& facts, const std::string& how) {
  if (mode_ == ProgressMode::kNone) return;
  if (mode_ == ProgressMode::kJson) {
    WriteJson("end", now, facts, how);
    return;
  }
  if (line_width_ > 0) write_("\n");
  line_width_ = 0;
  WriteLine(
      absl::StrCat(how, " after ", FormatSeconds(absl::ToDoubleSeconds(now - start_), false)));
}

}  // namespace flopsprof::viewer

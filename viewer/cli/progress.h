// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "absl/time/time.h"

namespace flopsprof::viewer {

enum class ProgressMode { kAuto, kTty, kPlain, kJson, kNone };

// What is known while the job runs.
struct ProgressFacts {
  uint32_t process_count = 0;  // profiled processes that have connected
  uint32_t rank_count = 0;     // different ranks among them; 0 = no launcher gave any
  // The newest step that has begun in any process.
  std::optional<uint32_t> step = {};
  // How long the step before that took.
  std::optional<double> step_seconds = {};
  uint64_t lost_record_count = 0;
};

// Tells on stderr how the job goes. On request one line that is rewritten at most four times a
// second; else one line at the start, when steps are first seen (of fast ones a later one than the
// first), every 60 seconds and at the end, because the job writes on the same terminal. One thread.
class ProgressPrinter {
 public:
  using Writer = std::function<void(std::string_view)>;
  ProgressPrinter(ProgressMode mode, Writer writer) : mode_(mode), write_(std::move(writer)) {}

  void Start(absl::Time now, const std::string& what);
  void Update(absl::Time now, const ProgressFacts& facts);
  // Ends a rewritten line; says how the job ended.
  void End(absl::Time now, const ProgressFacts& facts, const std::string& how);

 private:
  void WriteLine(const std::string& text);
  void WriteJson(const char* event, absl::Time now, const ProgressFacts& facts,
                 const std::string& text);

  const ProgressMode mode_;
  const Writer write_;
  absl::Time start_ = absl::InfinitePast();
  absl::Time last_ = absl::InfinitePast();
  bool step_seen_ = false;
  size_t line_width_ = 0;  // of the line that is to be rewritten
};

// "step 104  2 ranks  1.93 s/step", with what is not known left out.
std::string ProgressText(const ProgressFacts& facts);

}  // namespace flopsprof::viewer

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "collector/store/log/log_format.h"

namespace flopsprof::store {

// Bytes between two whole frames that are none.
struct BadBytes {
  uint64_t offset = 0;  // in the bytes that were walked
  uint64_t count = 0;   // 0: there are none
  const char* why = "";
  // As a writer leaves what it did not finish: the file ends inside a frame, or in zeros.
  bool is_torn_tail = false;
};

// Walks the frames of a piece of a segment, from one frame's begin to another's end or the end of
// the file. What is no whole frame is stepped over, to the next one that is. The bytes must live as
// long.
class SegmentWalker {
 public:
  SegmentWalker(std::string_view bytes, std::optional<uint64_t> log_id)
      : bytes_(bytes), log_id_(log_id) {}

  // False: no further one. `bad`: what lies before it, or before the end.
  bool Next(Frame* frame, BadBytes* bad);

  // Of the walker's start or the first frame's.
  std::optional<uint64_t> log_id() const { return log_id_; }

 private:
  std::string_view bytes_;
  std::optional<uint64_t> log_id_;
  size_t at_ = 0;
  uint64_t checked_in_vain_ = 0;  // bytes of payloads that were damaged
};

}  // namespace flopsprof::store

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/store/log/segment_walker.h"

namespace flopsprof::store {
namespace {

// Of all bytes, how many times.
constexpr uint64_t kMostInVain = 4;

}  // namespace

bool SegmentWalker::Next(Frame* frame, BadBytes* bad) {
  *bad = BadBytes();
  if (at_ >= bytes_.size()) return false;
  const size_t begin = at_;
  const FrameState first = ParseFrame(bytes_.substr(begin), &log_id_, frame);
  FrameState state = first;
  while (state != FrameState::kWhole && at_ != std::string_view::npos) {
    // Within a damaged payload too: it may be shorter than its header says. Not for ever: headers
    // without an end, each of a long payload, would be checked for hours.
    size_t from = at_ + 1;
    if (state == FrameState::kPayloadDamaged) {
      checked_in_vain_ += frame->payload.size();
      if (checked_in_vain_ > kMostInVain * bytes_.size())
        from = at_ + kFrameHeaderBytes + frame->payload.size();
    }
    at_ = FindFrame(bytes_, from);
    if (at_ != std::string_view::npos) state = ParseFrame(bytes_.substr(at_), &log_id_, frame);
  }
  const bool found = state == FrameState::kWhole;
  if (!found) at_ = bytes_.size();
  if (first != FrameState::kWhole) {
    const bool zeros = !found && bytes_.find_first_not_of('\0', begin) == std::string_view::npos;
    *bad = {begin, at_ - begin, WhyOf(first), !found && (first == FrameState::kCut || zeros)};
  }
  if (found) at_ += frame->bytes;
  return found;
}

}  // namespace flopsprof::store

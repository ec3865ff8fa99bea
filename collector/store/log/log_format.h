// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace flopsprof::store {

// The bytes of a log: README.md has the layout. Pure functions.

inline constexpr uint32_t kLogVersion = 2;
inline constexpr size_t kSegmentHeaderBytes = 36;
inline constexpr size_t kFrameHeaderBytes = 40;
// Of a payload, compressed or not.
inline constexpr size_t kMaxPayloadBytes = 64 << 20;

struct SegmentHeader {
  // A random number of the whole log, in every header: what a payload holds is never taken for a
  // frame, and a segment of another log never for one of this.
  uint64_t log_id = 0;
  // Of the first frame.
  uint64_t first_sequence = 0;
};

enum class SegmentState {
  kWhole,
  kCut,      // the bytes end before the header does, or are zeros
  kDamaged,  // or of another tool
  kNewer,    // of a version that this one does not know
  kOlder,    // or does not know any more
};

std::string EncodeSegmentHeader(const SegmentHeader& header);
SegmentState ParseSegmentHeader(std::string_view bytes, SegmentHeader* header);

// How a payload is held.
enum class Packing : uint8_t {
  kZstd = 1,
  kNone = 2,  // as it came
};

struct Frame {
  uint64_t sequence = 0;
  int64_t utc_ns = 0;  // when it came
  Packing packing = Packing::kZstd;
  std::string_view payload;  // so packed
  size_t bytes = 0;          // with its header
};

enum class FrameState {
  kWhole,
  kCut,  // the bytes end inside the frame
  kNoFrame,
  kHeaderDamaged,
  kPayloadDamaged,
  kOtherLog,
};

// The reason in words; a constant.
const char* WhyOf(FrameState state);

void AppendFrame(uint64_t log_id, uint64_t sequence, int64_t utc_ns, std::string_view payload,
                 std::string* bytes, Packing packing = Packing::kZstd);

// The frame that the bytes begin with. Without an id: of any log, whose id is then in `log_id`.
FrameState ParseFrame(std::string_view bytes, std::optional<uint64_t>* log_id, Frame* frame);

// The first place from `from` on at which a frame may begin; npos: none.
size_t FindFrame(std::string_view bytes, size_t from);

// zstd. Compress: "" without memory. Decompress: false where the bytes are no payload of at most
// kMaxPayloadBytes.
std::string Compress(std::string_view payload);
bool Decompress(std::string_view bytes, std::string* payload);
bool Unpack(Packing packing, std::string_view bytes, std::string* payload);

}  // namespace flopsprof::store

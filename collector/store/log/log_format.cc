// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/store/log/log_format.h"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <memory>

#include "collector/store/log/crc32c.h"

namespace flopsprof::store {
namespace {

constexpr std::string_view kSegmentMagic = "FLOPSLOG";
// Behind it a byte: the Packing.
constexpr std::string_view kFrameMagic = "FLG";
// The quickest of zstd's usual levels: uploads are half names, which it finds as well.
constexpr int kLevel = 1;

void Put(uint64_t value, size_t bytes, std::string* out) {
  for (size_t i = 0; i < bytes; ++i) out->push_back(static_cast<char>(value >> (8 * i)));
}

uint64_t Get(std::string_view bytes, size_t at, size_t count) {
  uint64_t value = 0;
  for (size_t i = 0; i < count; ++i) {
    value |= static_cast<uint64_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
  }
  return value;
}

// Of the bytes of a segment that are the same in every version.
uint32_t OldChecksum(std::string_view bytes) {
  return static_cast<uint32_t>(
      crc32_z(0, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()));
}

bool AllZero(std::string_view bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](char c) { return c == 0; });
}

bool IsPacking(char byte) {
  return byte == static_cast<char>(Packing::kZstd) || byte == static_cast<char>(Packing::kNone);
}

// Contexts of zstd are some 100 kB that would be made anew for every upload: one a thread.
struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

}  // namespace

std::string EncodeSegmentHeader(const SegmentHeader& header) {
  std::string bytes(kSegmentMagic);
  Put(kLogVersion, 4, &bytes);
  Put(OldChecksum(bytes), 4, &bytes);
  Put(header.log_id, 8, &bytes);
  Put(header.first_sequence, 8, &bytes);
  Put(Crc32c(std::string_view(bytes).substr(16, 16)), 4, &bytes);
  return bytes;
}

SegmentState ParseSegmentHeader(std::string_view bytes, SegmentHeader* header) {
  if (AllZero(bytes)) return SegmentState::kCut;
  if (bytes.size() < 16) {
    return bytes.substr(0, 8) == kSegmentMagic.substr(0, bytes.size()) ? SegmentState::kCut
                                                                       : SegmentState::kDamaged;
  }
  const bool ours =
      bytes.substr(0, 8) == kSegmentMagic && Get(bytes, 12, 4) == OldChecksum(bytes.substr(0, 12));
  if (!ours) return SegmentState::kDamaged;
  if (Get(bytes, 8, 4) > kLogVersion) return SegmentState::kNewer;
  if (Get(bytes, 8, 4) < kLogVersion) return SegmentState::kOlder;
  if (bytes.size() < kSegmentHeaderBytes) return SegmentState::kCut;
  if (Get(bytes, 32, 4) != Crc32c(bytes.substr(16, 16))) return SegmentState::kDamaged;
  header->log_id = Get(bytes, 16, 8);
  header->first_sequence = Get(bytes, 24, 8);
  return SegmentState::kWhole;
}

const char* WhyOf(FrameState state) {
  switch (state) {
    case FrameState::kWhole:
      return "whole";
    case FrameState::kCut:
      return "it ends inside an upload";
    case FrameState::kNoFrame:
      return "no upload begins here";
    case FrameState::kHeaderDamaged:
      return "the checksum of a header does not match";
    case FrameState::kPayloadDamaged:
      return "the checksum of an upload does not match";
    case FrameState::kOtherLog:
      return "an upload of another log";
  }
  return "";
}

void AppendFrame(uint64_t log_id, uint64_t sequence, int64_t utc_ns, std::string_view payload,
                 std::string* bytes, Packing packing) {
  const size_t begin = bytes->size();
  bytes->append(kFrameMagic);
  bytes->push_back(static_cast<char>(packing));
  Put(payload.size(), 4, bytes);
  Put(sequence, 8, bytes);
  Put(log_id, 8, bytes);
  Put(static_cast<uint64_t>(utc_ns), 8, bytes);
  Put(Crc32c(payload), 4, bytes);
  Put(Crc32c(std::string_view(*bytes).substr(begin)), 4, bytes);
  bytes->append(payload);
}

FrameState ParseFrame(std::string_view bytes, std::optional<uint64_t>* log_id, Frame* frame) {
  const std::string_view magic = bytes.substr(0, kFrameMagic.size());
  if (magic != kFrameMagic.substr(0, magic.size())) return FrameState::kNoFrame;
  if (bytes.size() > magic.size() && !IsPacking(bytes[magic.size()])) return FrameState::kNoFrame;
  if (bytes.size() < kFrameHeaderBytes) return FrameState::kCut;
  if (Get(bytes, 36, 4) != Crc32c(bytes.substr(0, 36))) return FrameState::kHeaderDamaged;
  const uint64_t id = Get(bytes, 16, 8);
  if (log_id->has_value() && **log_id != id) return FrameState::kOtherLog;
  const uint64_t payload_bytes = Get(bytes, 4, 4);
  if (payload_bytes > bytes.size() - kFrameHeaderBytes) return FrameState::kCut;
  frame->payload = bytes.substr(kFrameHeaderBytes, payload_bytes);
  frame->packing = static_cast<Packing>(bytes[kFrameMagic.size()]);
  if (Get(bytes, 32, 4) != Crc32c(frame->payload)) return FrameState::kPayloadDamaged;
  frame->sequence = Get(bytes, 8, 8);
  frame->utc_ns = static_cast<int64_t>(Get(bytes, 24, 8));
  frame->bytes = kFrameHeaderBytes + payload_bytes;
  *log_id = id;
  return FrameState::kWhole;
}

size_t FindFrame(std::string_view bytes, size_t from) {
  size_t at = bytes.find(kFrameMagic, from);
  while (at != std::string_view::npos && at + kFrameMagic.size() < bytes.size() &&
         !IsPacking(bytes[at + kFrameMagic.size()])) {
    at = bytes.find(kFrameMagic, at + 1);
  }
  return at;
}

std::string Compress(std::string_view payload) {
  thread_local const std::unique_ptr<ZSTD_CCtx, FreeContext> context(ZSTD_createCCtx());
  if (context == nullptr) return "";
  std::string bytes(ZSTD_compressBound(payload.size()), '\0');
  const size_t size = ZSTD_compressCCtx(context.get(), bytes.data(), bytes.size(), payload.data(),
                                        payload.size(), kLevel);
  bytes.resize(ZSTD_isError(size) != 0 ? 0 : size);
  return bytes;
}

bool Unpack(Packing packing, std::string_view bytes, std::string* payload) {
  if (packing == Packing::kZstd) return Decompress(bytes, payload);
  payload->assign(bytes);
  return bytes.size() <= kMaxPayloadBytes;
}

bool Decompress(std::string_view bytes, std::string* payload) {
  const unsigned long long size = ZSTD_getFrameContentSize(bytes.data(), bytes.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN ||
      size > kMaxPayloadBytes) {
    return false;
  }
  thread_local const std::unique_ptr<ZSTD_DCtx, FreeContext> context(ZSTD_createDCtx());
  if (context == nullptr) return false;
  payload->resize(size);
  const size_t done =
      ZSTD_decompressDCtx(context.get(), payload->data(), size, bytes.data(), bytes.size());
  return ZSTD_isError(done) == 0 && done == size;
}

}  // namespace flopsprof::store

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/store/log/log_reader.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "collector/base/status.h"

namespace flopsprof::store {
namespace {

constexpr std::string_view kSuffix = ".flog";
constexpr size_t kMostDigits = 12;
constexpr size_t kMostOpen = 128;
// More than a writer makes: 16 MiB, and what it takes at a time. A file is read as far as this.
constexpr uint64_t kMostSegmentBytes = 256 << 20;

absl::Status ReadAt(const LogSegments::Segment& segment, uint64_t offset, std::string* bytes) {
  size_t done = 0;
  while (done < bytes->size()) {
    const ssize_t count = pread(segment.fd.get(), bytes->data() + done, bytes->size() - done,
                                static_cast<off_t>(offset + done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return base::ErrnoStatus("cannot read " + segment.path);
    if (count == 0) break;  // it was cut since
    done += static_cast<size_t>(count);
  }
  bytes->resize(done);
  return absl::OkStatus();
}

absl::StatusOr<SegmentHeader> HeaderOf(const LogSegments::Segment& segment) {
  std::string bytes(kSegmentHeaderBytes, '\0');
  FLOPSPROF_RETURN_IF_ERROR(ReadAt(segment, 0, &bytes));
  SegmentHeader header;
  if (ParseSegmentHeader(bytes, &header) == SegmentState::kWhole) return header;
  return absl::DataLossError(absl::StrCat("the header of ", segment.path, " is damaged"));
}

// Of a file, whatever it holds. Not valid, with the reason in errno: it is none.
base::UniqueFd OpenSegment(const std::string& path, uint64_t* bytes) {
  // What waits for a writer, or goes on for ever, is no file.
  base::UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
  struct stat info;
  if (!fd.valid() || fstat(fd.get(), &info) != 0) return base::UniqueFd();
  if (!S_ISREG(info.st_mode)) {
    errno = ELOOP;
    return base::UniqueFd();
  }
  *bytes = std::min(static_cast<uint64_t>(info.st_size), kMostSegmentBytes);
  return fd;
}

bool IsNoFile(int error) { return error == ENOENT || error == ELOOP || error == ENXIO; }

// Of a segment's name; 0: it is none.
uint64_t NumberOf(const std::string& name) {
  uint64_t number = 0;
  if (name.size() <= kSuffix.size() || name.size() > kMostDigits + kSuffix.size()) return 0;
  if (!absl::SimpleAtoi(name.substr(0, name.size() - kSuffix.size()), &number)) return 0;
  return SegmentPath("", number) == "/" + name ? number : 0;
}

std::string FileName(const std::string& path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

std::string ToText(const LogDamage& damage) {
  const std::string where = damage.file.empty()
                                ? absl::StrCat("behind update ", damage.after_record, ": ")
                                : absl::StrCat("log/", damage.file, ", ", damage.bytes,
                                               " bytes from byte ", damage.offset, ": ");
  return absl::StrCat(where, damage.why, "; uploads lost: ",
                      damage.lost_records == 0 ? "not known" : absl::StrCat(damage.lost_records));
}

std::string SegmentPath(const std::string& folder, uint64_t number) {
  return absl::StrFormat("%s/%08d%s", folder, number, std::string(kSuffix));
}

absl::StatusOr<std::vector<uint64_t>> ListSegments(const std::string& folder) {
  std::vector<uint64_t> numbers;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const uint64_t number = NumberOf(entry->path().filename().string());
    if (number > 0) numbers.push_back(number);
  }
  if (error) return base::ErrnoStatus(error.value(), "cannot read the folder " + folder);
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

absl::StatusOr<SegmentHeader> ReadSegmentHeader(const std::string& path) {
  LogSegments::Segment segment = {0, path, base::UniqueFd(), 0};
  segment.fd = OpenSegment(path, &segment.bytes);
  if (!segment.fd.valid()) return base::ErrnoStatus("cannot read " + path);
  return HeaderOf(segment);
}

std::optional<uint64_t> FindLogId(const std::string& folder) {
  const absl::StatusOr<std::vector<uint64_t>> numbers = ListSegments(folder);
  if (!numbers.ok()) return std::nullopt;
  for (const uint64_t number : *numbers) {
    const absl::StatusOr<SegmentHeader> header = ReadSegmentHeader(SegmentPath(folder, number));
    if (header.ok()) return header->log_id;
  }
  return std::nullopt;
}

absl::Status LogSegments::OpenAgain(Segment* segment) {
  if (segment->fd.valid()) return absl::OkStatus();
  uint64_t bytes = 0;
  segment->fd = OpenSegment(segment->path, &bytes);
  if (segment->fd.valid()) return absl::OkStatus();
  if (errno == ENOENT) return absl::AbortedError(segment->path + " was deleted just now");
  return base::ErrnoStatus("cannot read " + segment->path);
}

absl::Status LogSegments::SyncAll() {
  for (Segment& segment : all_) {
    const bool was_open = segment.fd.valid();
    FLOPSPROF_RETURN_IF_ERROR(OpenAgain(&segment));
    if (fsync(segment.fd.get()) != 0) return base::ErrnoStatus("cannot sync " + segment.path);
    if (!was_open) segment.fd.Reset();
  }
  return absl::OkStatus();
}

void LogSegments::CloseAll() {
  for (Segment& segment : all_) segment.fd.Reset();
}

absl::Status LogSegments::Add(uint64_t number) {
  const std::string path = SegmentPath(folder_, number);
  uint64_t bytes = 0;
  base::UniqueFd fd = OpenSegment(path, &bytes);
  // Deleted just now, so it is merged; or no file.
  if (!fd.valid() && IsNoFile(errno)) return absl::OkStatus();
  if (!fd.valid()) return base::ErrnoStatus("cannot read " + path);
  if (all_.size() >= kMostOpen) fd.Reset();
  all_.push_back({number, path, std::move(fd), bytes});
  return absl::OkStatus();
}

absl::StatusOr<LogSegments> LogSegments::Open(const std::string& folder) {
  LogSegments segments;
  segments.folder_ = folder;
  const absl::StatusOr<std::vector<uint64_t>> numbers = ListSegments(folder);
  if (absl::IsNotFound(numbers.status())) return segments;
  if (!numbers.ok()) return numbers.status();
  for (const uint64_t number : *numbers) FLOPSPROF_RETURN_IF_ERROR(segments.Add(number));
  return segments;
}

LogSegments LogSegments::Copy() const {
  LogSegments copy;
  copy.folder_ = folder_;
  for (const Segment& segment : all_) {
    // Without a descriptor for it, it is opened when it is read.
    base::UniqueFd fd;
    if (segment.fd.valid()) fd.Reset(fcntl(segment.fd.get(), F_DUPFD_CLOEXEC, 0));
    copy.all_.push_back({segment.number, segment.path, std::move(fd), segment.bytes});
  }
  return copy;
}

absl::Status LogSegments::Extend(const LogEnd& end) {
  // Begun since somebody asked for the end: its records may still be cut away, and their numbers
  // given again.
  while (!all_.empty() && all_.back().number > end.segment) all_.pop_back();
  if (end.segment == 0) return absl::OkStatus();
  const uint64_t newest = all_.empty() ? 0 : all_.back().number;
  if (newest < end.segment) {
    const absl::StatusOr<std::vector<uint64_t>> numbers = ListSegments(folder_);
    if (!numbers.ok() && !absl::IsNotFound(numbers.status())) return numbers.status();
    if (numbers.ok()) {
      for (const uint64_t number : *numbers) {
        if (number > newest && number <= end.segment) FLOPSPROF_RETURN_IF_ERROR(Add(number));
      }
    }
  }
  for (Segment& segment : all_) {
    if (segment.number == end.segment) {
      segment.bytes = end.offset;
    } else if (segment.number >= newest) {  // grew until the next was begun
      struct stat info;
      const bool is_known = segment.fd.valid() ? fstat(segment.fd.get(), &info) == 0
                                               : lstat(segment.path.c_str(), &info) == 0;
      if (is_known) {
        segment.bytes = std::min(static_cast<uint64_t>(info.st_size), kMostSegmentBytes);
      }
    }
  }
  return absl::OkStatus();
}

absl::Status LogReader::Extend(const LogEnd& end, LogWindow* window) {
  end_sequence_ = end.sequence;
  window_ = window;
  return segments_.Extend(end);
}

absl::StatusOr<bool> LogReader::ReadHeader(const LogSegments::Segment& segment) {
  SegmentHeader header;
  const SegmentState state =
      ParseSegmentHeader(std::string_view(buffer_).substr(0, kSegmentHeaderBytes), &header);
  const std::string_view frames = buffer_.size() < kSegmentHeaderBytes
                                      ? std::string_view()
                                      : std::string_view(buffer_).substr(kSegmentHeaderBytes);
  if (state == SegmentState::kNewer) {
    return absl::FailedPreconditionError(absl::StrCat(
        segment.path, " was written by a newer flopsprof: use that one, or update this one"));
  }
  if (state == SegmentState::kOlder) {
    return absl::FailedPreconditionError(absl::StrCat(
        segment.path, " was written by an older flopsprof: use that one, which reads it"));
  }
  if (state == SegmentState::kWhole) {
    if (log_id_.has_value() && *log_id_ != header.log_id) {
      return absl::FailedPreconditionError(
          absl::StrCat(segment.path,
                       " belongs to another run than the profile.db beside its folder: put the "
                       "files of one run together, or move it away"));
    }
    log_id_ = header.log_id;
  } else if (state == SegmentState::kDamaged) {
    // With frames of ours in it, it is ours.
    Frame frame;
    BadBytes bad;
    if (!SegmentWalker(frames, log_id_).Next(&frame, &bad)) {
      strays_.push_back(absl::StrCat("log/", FileName(segment.path),
                                     " is not a log of flopsprof, or nothing of it can be read any "
                                     "more: it is left as it is"));
      return false;
    }
  } else {
    KeepBad({0, buffer_.size(), "it ends inside its header", true});
  }
  buffer_.erase(0, std::min(buffer_.size(), kSegmentHeaderBytes));
  buffer_offset_ = kSegmentHeaderBytes;
  return true;
}

uint64_t LogReader::segment() const {
  return current_ < segments_.all().size() ? segments_.all()[current_].number : 0;
}

// Whether all of a segment is before `after_`: the next one says so in its header.
bool LogReader::IsBehind(size_t segment) {
  std::vector<LogSegments::Segment>& all = segments_.all();
  if (segment + 1 >= all.size() || !LogSegments::OpenAgain(&all[segment + 1]).ok()) return false;
  const absl::StatusOr<SegmentHeader> header = HeaderOf(all[segment + 1]);
  return header.ok() && header->log_id == log_id_.value_or(header->log_id) &&
         header->first_sequence <= after_ + 1;
}

absl::StatusOr<bool> LogReader::LoadMore() {
  std::vector<LogSegments::Segment>& all = segments_.all();
  while (current_ < all.size()) {
    LogSegments::Segment& segment = all[current_];
    if (offset_ == 0 && IsBehind(current_)) {
      segment.fd.Reset();
      ++current_;
      continue;
    }
    if (offset_ >= segment.bytes) {
      if (current_ + 1 == all.size()) return false;
      segment.fd.Reset();
      ++current_;
      offset_ = 0;
      continue;
    }
    FLOPSPROF_RETURN_IF_ERROR(LogSegments::OpenAgain(&segment));
    buffer_.resize(segment.bytes - offset_);
    buffer_offset_ = offset_;
    const bool is_begin = offset_ == 0;
    FLOPSPROF_RETURN_IF_ERROR(ReadAt(segment, offset_, &buffer_));
    offset_ = segment.bytes;
    if (is_begin) {
      const absl::StatusOr<bool> is_segment = ReadHeader(segment);
      if (!is_segment.ok()) return is_segment;
      if (!*is_segment) continue;
    }
    walker_.emplace(buffer_, log_id_);
    return true;
  }
  return false;
}

void LogReader::Rest() {
  segments_.CloseAll();
  if (!walker_.has_value()) std::string().swap(buffer_);
}

void LogReader::KeepBad(const BadBytes& bad) {
  if (bad.count == 0) return;
  bad_is_torn_ = bad.is_torn_tail && (bad_is_torn_ || !bad_.has_value());
  if (bad_.has_value()) return;
  bad_ = LogDamage{FileName(segments_.all()[current_].path), bad.offset, bad.count, bad.why, 0, 0};
}

absl::StatusOr<bool> LogReader::Accept(const Frame& frame, LogRecord* record) {
  log_id_ = walker_->log_id();
  newest_seen_ = std::max(newest_seen_, frame.sequence);
  if (frame.sequence <= last_) {
    if (frame.sequence <= after_) bad_.reset();
    return false;
  }
  const uint64_t missing = frame.sequence - last_ - 1;
  if (missing > 0) {
    damage_.push_back(bad_.value_or(LogDamage{"", 0, 0, "a file of log/ is missing", 0, 0}));
    damage_.back().lost_records = missing;
    damage_.back().after_record = last_;
  }
  bad_.reset();
  last_ = frame.sequence;
  record->sequence = frame.sequence;
  record->utc_ns = frame.utc_ns;
  if (Unpack(frame.packing, frame.payload, &record->payload)) return true;
  const auto begin = static_cast<uint64_t>(frame.payload.data() - buffer_.data());
  damage_.push_back({FileName(segments_.all()[current_].path),
                     buffer_offset_ + begin - kFrameHeaderBytes, frame.bytes,
                     "an upload cannot be decompressed", 1});
  return false;
}

bool LogReader::TakeFromWindow(LogRecord* record) {
  // Bytes that are no record are of the file, and are named from there.
  if (window_ == nullptr || bad_.has_value() || last_ >= end_sequence_.value_or(0)) return false;
  LogWindow::Record next;
  if (!window_->Take(last_ + 1, &next)) return false;
  const std::vector<LogSegments::Segment>& all = segments_.all();
  if (current_ >= all.size()) return false;
  const bool is_at_end = offset_ >= all[current_].bytes;
  const bool begins = next.begin == kSegmentHeaderBytes && is_at_end && current_ + 1 < all.size() &&
                      all[current_ + 1].number == next.segment;
  if (!begins && (all[current_].number != next.segment || next.begin != offset_)) return false;
  if (begins) segments_.all()[current_++].fd.Reset();
  offset_ = next.end;
  last_ = next.sequence;
  newest_seen_ = std::max(newest_seen_, last_);
  *record = {next.sequence, next.utc_ns, std::move(next.payload)};
  return true;
}

void LogReader::EndOfLog() {
  const uint64_t missing = end_sequence_.value_or(0) > last_ ? *end_sequence_ - last_ : 0;
  // What lies behind the last record was a record's if its number is missing, or if it is not what
  // an unfinished write leaves. A number that is merged is known to be.
  const bool is_loss = missing > 0 || (bad_.has_value() && !bad_is_torn_ && newest_seen_ >= after_);
  if (is_loss) {
    damage_.push_back(bad_.value_or(LogDamage{"", 0, 0, "a file of log/ is missing", 0, 0}));
    damage_.back().lost_records = missing;
    damage_.back().after_record = last_;
  } else if (bad_.has_value() && bad_is_torn_) {
    torn_bytes_ += bad_->bytes;
  }
  bad_.reset();
  last_ += missing;
}

absl::StatusOr<bool> LogReader::Next(LogRecord* record) {
  while (true) {
    while (walker_.has_value()) {
      Frame frame;
      BadBytes bad;
      const bool found = walker_->Next(&frame, &bad);
      bad.offset += buffer_offset_;
      KeepBad(bad);
      if (!found) {
        walker_.reset();
        break;
      }
      const absl::StatusOr<bool> accepted = Accept(frame, record);
      if (!accepted.ok() || *accepted) return accepted;
    }
    if (TakeFromWindow(record)) return true;
    const absl::StatusOr<bool> more = LoadMore();
    if (!more.ok()) return more;
    if (!*more) break;
  }
  EndOfLog();
  return false;
}

}  // namespace flopsprof::store

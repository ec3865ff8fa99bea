// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/store/log/log_writer.h"

#include <absl/strings/str_cat.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <new>
#include <utility>

#include "collector/base/log.h"
#include "collector/base/status.h"
#include "collector/store/log/log_format.h"

namespace flopsprof::store {
namespace {

absl::Status MakeFolder(const std::string& folder, LogFiles* files) {
  if (mkdir(folder.c_str(), 0700) == 0) {
    if (chmod(folder.c_str(), 0700) != 0) return FileError(errno, "cannot make " + folder);
    const std::string parent = std::filesystem::path(folder).parent_path().string();
    FLOPSPROF_RETURN_IF_ERROR(files->SyncFolder(parent.empty() ? "." : parent));
  } else if (errno != EEXIST) {
    return FileError(errno, "cannot make the folder " + folder);
  }
  return absl::OkStatus();
}

// Files of others in a row whose names are ours.
constexpr int kMostTaken = 1000;

struct OwnSegment {
  std::string path;
  uint64_t first_sequence = 0;
};

// The segments that say of themselves that they are of this log, in order.
std::vector<OwnSegment> ListOwn(const std::string& folder, uint64_t log_id) {
  std::vector<OwnSegment> own;
  const absl::StatusOr<std::vector<uint64_t>> numbers = ListSegments(folder);
  if (!numbers.ok()) return own;
  for (const uint64_t number : *numbers) {
    const std::string path = SegmentPath(folder, number);
    const absl::StatusOr<SegmentHeader> header = ReadSegmentHeader(path);
    if (header.ok() && header->log_id == log_id) own.push_back({path, header->first_sequence});
  }
  return own;
}

}  // namespace

absl::StatusOr<std::unique_ptr<LogWriter>> LogWriter::Open(const Options& options) {
  std::unique_ptr<LogWriter> writer(new LogWriter(options));
  FLOPSPROF_RETURN_IF_ERROR(MakeFolder(options.folder, options.files));
  writer->folder_lock_.Reset(open(options.folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!writer->folder_lock_.valid()) return FileError(errno, "cannot open " + options.folder);
  // File systems without locks do without.
  if (flock(writer->folder_lock_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    return absl::UnavailableError(
        absl::StrCat(options.folder,
                     " is being written by another collector: end that one, or use another "
                     "folder"));
  }
  FLOPSPROF_RETURN_IF_ERROR(writer->FindEnd());
  return writer;
}

// Whatever an earlier writer left stays as it is: the next record begins a new segment.
absl::Status LogWriter::FindEnd() {
  absl::StatusOr<LogSegments> segments = LogSegments::Open(options_.folder);
  if (!segments.ok()) return segments.status();
  if (!segments->empty()) newest_segment_ = segments->all().back().number;
  // The writer may have been killed before it synced what readers see.
  FLOPSPROF_RETURN_IF_ERROR(segments->SyncAll());
  LogReader reader(*std::move(segments), options_.after_sequence, options_.log_id);
  LogRecord record;
  while (true) {
    const absl::StatusOr<bool> more = reader.Next(&record);
    if (!more.ok()) return more.status();
    if (!*more) break;
    bytes_found_ += record.payload.size();
  }
  for (const std::string& stray : reader.strays()) {
    base::Log().warn("{}: {}", options_.folder, stray);
  }
  if (reader.torn_bytes() > 0) {
    base::Log().info("{}: {} bytes at its end were never acknowledged", options_.folder,
                     reader.torn_bytes());
  }
  written_.segment = newest_segment_;
  written_.sequence = reader.last_sequence();
  // Bytes at the end that may have been acknowledged: one number is left out, so that every reader
  // finds a record missing there.
  for (const LogDamage& damage : reader.TakeDamage()) {
    if (damage.lost_records == 0) ++written_.sequence;
  }
  struct stat info;
  if (newest_segment_ > 0 &&
      stat(SegmentPath(options_.folder, newest_segment_).c_str(), &info) == 0) {
    written_.offset = static_cast<uint64_t>(info.st_size);
  }
  base::MutexLock lock(&mutex_);
  end_ = written_;
  return absl::OkStatus();
}

absl::StatusOr<uint64_t> LogWriter::Append(std::string payload, int64_t utc_ns, Packing packing) {
  if (payload.size() > kMaxPayloadBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("an upload of ", payload.size(), " bytes is beyond ", kMaxPayloadBytes));
  }
  Waiting waiting;
  if (packing == Packing::kZstd) {
    waiting.packed = Compress(payload);
    if (waiting.packed.empty()) return absl::ResourceExhaustedError("no memory to compress");
  }
  waiting.payload = std::move(payload);
  waiting.packing = packing;
  waiting.utc_ns = utc_ns;
  base::MutexLock lock(&mutex_);
  pending_.push_back(&waiting);
  while (!waiting.done) {
    if (leading_) {
      condition_.Wait(&mutex_);
    } else {
      Lead();
    }
  }
  if (!waiting.status.ok()) return waiting.status;
  return waiting.sequence;
}

// Writes and syncs what is pending, without the lock. What is more than a payload may be is left to
// the next, so that a segment has a largest size.
void LogWriter::Lead() {
  size_t count = 0;
  size_t bytes = 0;
  while (count < pending_.size() && bytes < kMaxPayloadBytes) {
    bytes += pending_[count++]->written().size();
  }
  const auto end = pending_.begin() + static_cast<std::ptrdiff_t>(count);
  const std::vector<Waiting*> batch(pending_.begin(), end);
  pending_.erase(pending_.begin(), end);
  leading_ = true;
  mutex_.Unlock();
  absl::Status status;
  try {
    status = Write(batch);
  } catch (const std::bad_alloc&) {
    status = absl::ResourceExhaustedError("no memory to write the log");
  }
  mutex_.Lock();
  end_ = written_;
  for (Waiting* waiting : batch) {
    waiting->status = status;
    waiting->done = true;
    if (!status.ok()) continue;
    // Its lock is taken under ours: who sees the new end finds these there.
    window_.Add({waiting->sequence, waiting->utc_ns, waiting->segment, waiting->begin, waiting->end,
                 std::move(waiting->payload)});
  }
  leading_ = false;
  condition_.SignalAll();
}

absl::Status LogWriter::Write(const std::vector<Waiting*>& batch) {
  FLOPSPROF_RETURN_IF_ERROR(MakeReady());
  buffer_.clear();
  uint64_t sequence = written_.sequence;
  for (Waiting* waiting : batch) {
    waiting->sequence = ++sequence;
    waiting->segment = written_.segment;
    waiting->begin = written_.offset + buffer_.size();
    AppendFrame(options_.log_id, sequence, waiting->utc_ns, waiting->written(), &buffer_,
                waiting->packing);
    waiting->end = written_.offset + buffer_.size();
  }
  must_cut_ = true;
  absl::Status status = file_->Append(buffer_);
  if (status.ok()) {
    sync_count_.fetch_add(1, std::memory_order_relaxed);
    status = file_->Sync();
  }
  if (status.ok() && file_->IsDeleted()) {
    // Our reader has it open, and must not take these for the next of that number.
    if (!file_->Truncate(written_.offset).ok()) written_.sequence = sequence;
    file_.reset();
    must_cut_ = false;
    return absl::UnavailableError(
        absl::StrCat(SegmentPath(options_.folder, written_.segment), " was deleted"));
  }
  if (!status.ok()) {
    // Numbers are given again, so these frames must not be read. Tried again before the next.
    if (file_->Truncate(written_.offset).ok()) must_cut_ = false;
    return status;
  }
  must_cut_ = false;
  written_.offset += buffer_.size();
  written_.sequence = sequence;
  if (buffer_.capacity() > (8 << 20)) std::string().swap(buffer_);
  return absl::OkStatus();
}

absl::Status LogWriter::MakeReady() {
  if (file_ != nullptr && must_cut_) {
    FLOPSPROF_RETURN_IF_ERROR(file_->Truncate(written_.offset));
    must_cut_ = false;
  }
  if (file_ != nullptr && written_.offset < options_.segment_bytes) return absl::OkStatus();
  return BeginSegment();
}

absl::Status LogWriter::BeginSegment() {
  FLOPSPROF_RETURN_IF_ERROR(MakeFolder(options_.folder, options_.files));
  std::string path = SegmentPath(options_.folder, newest_segment_ + 1);
  absl::StatusOr<std::unique_ptr<LogFile>> file = options_.files->Create(path);
  // Somebody else's file has the name: the next one.
  for (int i = 0; i < kMostTaken && absl::IsAlreadyExists(file.status()); ++i) {
    path = SegmentPath(options_.folder, ++newest_segment_ + 1);
    file = options_.files->Create(path);
  }
  if (absl::IsAlreadyExists(file.status())) {
    return absl::UnavailableError(std::string(file.status().message()));
  }
  if (!file.ok()) return file.status();
  const std::string header = EncodeSegmentHeader({options_.log_id, written_.sequence + 1});
  absl::Status status = options_.files->SyncFolder(options_.folder);
  if (status.ok()) status = (*file)->Append(header);
  if (!status.ok()) {
    options_.files->Delete(path);
    return status;
  }
  file_ = *std::move(file);
  ++newest_segment_;
  written_.segment = newest_segment_;
  written_.offset = header.size();  // synced with the first frame
  return absl::OkStatus();
}

size_t LogWriter::waiting_count() {
  base::MutexLock lock(&mutex_);
  return pending_.size();
}

LogEnd LogWriter::end() {
  base::MutexLock lock(&mutex_);
  return end_;
}

void LogWriter::WaitForLeader() {
  while (leading_) condition_.Wait(&mutex_);
}

void LogWriter::DropThrough(uint64_t sequence, bool even_newest) {
  base::MutexLock lock(&mutex_);
  WaitForLeader();
  const std::vector<OwnSegment> own = ListOwn(options_.folder, options_.log_id);
  const bool all = even_newest && written_.sequence <= sequence;
  if (all) {
    file_.reset();
    must_cut_ = false;
  }
  for (size_t i = 0; i < own.size(); ++i) {
    // The next one's first is one more than this one's last.
    if (!all && (i + 1 == own.size() || own[i + 1].first_sequence > sequence + 1)) break;
    options_.files->Delete(own[i].path);
  }
}

}  // namespace flopsprof::store

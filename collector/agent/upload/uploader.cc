// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/upload/uploader.h"

#include <sys/random.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "collector/base/thread.h"

namespace flopsprof::agent {
namespace {

// How long the thread sleeps at least and at most when nothing comes back.
constexpr absl::Duration kTick = absl::Milliseconds(10);
constexpr absl::Duration kLongestSleep = absl::Seconds(1);
constexpr absl::Duration kGoodbyeTime = absl::Milliseconds(500);

std::shared_ptr<grpc::Channel> MakeChannel(const std::string& target) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 100);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 2000);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 30'000);
  return grpc::CreateCustomChannel(target, grpc::InsecureChannelCredentials(), arguments);
}

// Of the kernel: a copy of the process would draw the same ones from a generator in memory. 0 where
// it gives none, which is no mark.
uint64_t NewMark() {
  uint64_t mark = 0;
  while (mark == 0) {
    if (::getrandom(&mark, sizeof mark, 0) != sizeof mark && errno != EINTR) return 0;
  }
  return mark;
}

}  // namespace

Uploader::Uploader(Options options)
    : options_(std::move(options)),
      stub_(v1::Ingest::NewStub(MakeChannel(options_.target))),
      backoff_(options_.min_backoff),
      random_(std::random_device()()) {
  thread_ = base::StartThread([this] { Run(); });
  if (!thread_.joinable()) CloseQueue();
}

Uploader::~Uploader() {
  {
    base::MutexLock lock(&mutex_);
    stop_ = true;
  }
  Wake();
  if (thread_.joinable()) thread_.join();
}

void Uploader::Wake() {
  {
    base::MutexLock lock(&mutex_);
    if (std::exchange(waking_, true)) return;
  }
  wake_.Set(&queue_, std::chrono::system_clock::now(), reinterpret_cast<void*>(kWoken));
}

void Uploader::OnWoken() {
  base::MutexLock lock(&mutex_);
  waking_ = false;
}

bool Uploader::CanAccept() const {
  base::MutexLock lock(&mutex_);
  return !refused_.empty() || requests_.size() < options_.max_unacknowledged;
}

void Uploader::Post(std::vector<v1::ProcessProfile> processes) {
  {
    base::MutexLock lock(&mutex_);
    if (!refused_.empty()) return;
    v1::UploadRequest& request = requests_.emplace_back();
    Address(&request);
    for (v1::ProcessProfile& process : processes) *request.add_processes() = std::move(process);
  }
  Wake();
}

void Uploader::Address(v1::UploadRequest* request) {
  request->set_run_id(options_.run_id);
  request->set_agent_id(options_.agent_id);
  request->set_sequence(next_sequence_++);
  request->set_format(v1::UPLOAD_FORMAT_INCREMENTS);
  request->set_previous_mark(mark_);
  mark_ = NewMark();
  request->set_mark(mark_);
}

Uploader::Stats Uploader::stats() const {
  base::MutexLock lock(&mutex_);
  return stats_;
}

uint64_t Uploader::posted_sequence() const {
  base::MutexLock lock(&mutex_);
  return next_sequence_ - 1;
}

bool Uploader::IsDone(uint64_t sequence) const {
  base::MutexLock lock(&mutex_);
  return !refused_.empty() || requests_.empty() || requests_.front().sequence() > sequence;
}

uint32_t Uploader::lacked_numbering() const {
  base::MutexLock lock(&mutex_);
  return lacked_numbering_;
}

bool Uploader::Idle() const {
  base::MutexLock lock(&mutex_);
  return requests_.empty() || !refused_.empty();
}

absl::Status Uploader::Finish(const v1::RunInfo& run, bool complete, absl::Duration timeout) {
  const absl::Time deadline = absl::Now() + timeout;
  absl::Status result;
  {
    base::MutexLock lock(&mutex_);
    v1::UploadRequest& request = requests_.emplace_back();
    Address(&request);
    *request.mutable_run() = run;
    request.set_last(complete);
  }
  Wake();
  {
    base::MutexLock lock(&mutex_);
    while (!requests_.empty() && refused_.empty() && absl::Now() < deadline) {
      changed_.WaitWithTimeout(&mutex_, std::min(deadline - absl::Now(), absl::Milliseconds(100)));
    }
    if (!refused_.empty()) {
      result = absl::FailedPreconditionError(
          absl::StrCat("the collector at ", options_.target, " refuses this run: ", refused_));
    } else if (!requests_.empty()) {
      result = absl::DeadlineExceededError(absl::StrCat(
          "the collector at ", options_.target, " has not acknowledged ", requests_.size(),
          " updates", stats_.last_error.empty() ? "" : ": ", stats_.last_error));
    }
    stop_ = true;
  }
  Wake();
  if (thread_.joinable()) thread_.join();
  return result;
}

void Uploader::Run() {
  absl::Time give_up = absl::InfiniteFuture();
  while (true) {
    bool stop;
    bool refused;
    {
      base::MutexLock lock(&mutex_);
      stop = stop_;
      refused = !refused_.empty();
    }
    if (stop && stream_ == nullptr) break;
    if (stop && !stream_->closing) {
      give_up = absl::Now() + kGoodbyeTime;
      Close();
    }
    if (stop && absl::Now() > give_up) stream_->context.TryCancel();
    if (!stop && !refused && stream_ == nullptr && absl::Now() >= retry_at_) Connect();
    if (stream_ != nullptr) WriteNext();

    absl::Time until = std::min(absl::Now() + kLongestSleep, give_up);
    if (stream_ == nullptr && !refused) until = std::min(until, retry_at_);
    AwaitEvent(std::max(until, absl::Now() + kTick));
  }
  CloseQueue();
}

void Uploader::AwaitEvent(absl::Time until) {
  void* tag = nullptr;
  bool ok = false;
  const auto deadline = absl::ToChronoTime(until);
  if (queue_.AsyncNext(&tag, &ok, deadline) != grpc::CompletionQueue::GOT_EVENT) return;
  Handle(static_cast<Tag>(reinterpret_cast<intptr_t>(tag)), ok);
}

void Uploader::CloseQueue() {
  // Who is just waking us must find the queue open; nobody does it afterwards.
  const auto woken = [this] {
    base::MutexLock lock(&mutex_);
    return std::exchange(waking_, true);
  };
  while (woken()) AwaitEvent(absl::InfiniteFuture());
  queue_.Shutdown();
  void* tag;
  bool ok;
  while (queue_.Next(&tag, &ok)) {
  }
}

void Uploader::Connect() {
  stream_ = std::make_unique<Stream>();
  {
    base::MutexLock lock(&mutex_);
    // Everything that is not acknowledged goes again.
    stream_->next_sequence = next_sequence_ - requests_.size();
    stats_.connections++;
  }
  stream_->call = stub_->PrepareAsyncUpload(&stream_->context, &queue_);
  stream_->call->StartCall(reinterpret_cast<void*>(kStarted));
  stream_->outstanding++;
}

void Uploader::WriteNext() {
  Stream& stream = *stream_;
  if (!stream.open || stream.writing || stream.closing) return;
  const v1::UploadRequest* request = nullptr;
  {
    base::MutexLock lock(&mutex_);
    const uint64_t front = next_sequence_ - requests_.size();
    stream.next_sequence = std::max(stream.next_sequence, front);
    if (stream.next_sequence >= next_sequence_) return;
    v1::UploadRequest& next = requests_[stream.next_sequence - front];
    // The last request brings newer facts of its own.
    if (stream.first && !next.has_run()) *next.mutable_run() = options_.run;
    request = &next;
  }
  stream.first = false;
  stream.writing = true;
  stream.next_sequence++;
  stream.outstanding++;
  // Write() has serialised the message when it returns.
  stream.call->Write(*request, reinterpret_cast<void*>(kWritten));
}

void Uploader::Handle(Tag tag, bool ok) {
  if (tag == kWoken) return OnWoken();
  Stream& stream = *stream_;
  stream.outstanding--;
  switch (tag) {
    case kStarted:
      if (!ok) break;
      stream.open = true;
      stream.outstanding++;
      stream.call->Read(&stream.reply, reinterpret_cast<void*>(kRead));
      return;
    case kWritten:
      stream.writing = false;
      if (ok) return CloseIfDone();
      break;
    case kRead:
      if (!ok) break;
      OnReply();
      stream.outstanding++;
      stream.call->Read(&stream.reply, reinterpret_cast<void*>(kRead));
      return;
    case kWritesDone:
      return CloseIfDone();
    case kWoken:  // above
      return;
    case kFinished: {
      {
        base::MutexLock lock(&mutex_);
        if (!stream.status.ok()) stats_.last_error = stream.status.error_message();
      }
      stream_.reset();
      retry_at_ = absl::Now() + NextBackoff();
      return;
    }
  }
  // The stream is broken or at its end: collect its operations, then its status.
  stream.closing = true;
  if (stream.outstanding > 0) stream.context.TryCancel();
  CloseIfDone();
}

void Uploader::OnReply() {
  base::MutexLock lock(&mutex_);
  const v1::UploadReply& reply = stream_->reply;
  backoff_ = options_.min_backoff;
  changed_.SignalAll();
  if (!reply.refused().empty()) refused_ = reply.refused();
  if (!refused_.empty()) return;
  // It would take for totals what are increments, or the other way round.
  if (reply.format() != v1::UPLOAD_FORMAT_INCREMENTS) {
    const bool older = reply.format() < v1::UPLOAD_FORMAT_INCREMENTS;
    refused_ =
        absl::StrCat("it is of ", older ? "an older" : "a newer", " flopsprof (uploads of format ",
                     static_cast<int>(reply.format()), ") than this agent (",
                     options_.run.version(), options_.run.version().empty() ? "" : ", ", "format ",
                     static_cast<int>(v1::UPLOAD_FORMAT_INCREMENTS),
                     "): use the same version of flopsprof on all nodes");
    return;
  }
  // A later reply may say nothing of it: to another process of this agent all is defined.
  lacked_numbering_ = std::max(lacked_numbering_, reply.lacks_numbering());
  while (!requests_.empty() && requests_.front().sequence() <= reply.acknowledged()) {
    // One that is being written has been serialised: it may go.
    requests_.pop_front();
    stats_.acknowledged++;
  }
}

void Uploader::Close() {
  Stream& stream = *stream_;
  stream.closing = true;
  if (stream.open && !stream.writing) {
    stream.outstanding++;
    stream.call->WritesDone(reinterpret_cast<void*>(kWritesDone));
  } else {
    stream.context.TryCancel();
  }
}

void Uploader::CloseIfDone() {
  Stream& stream = *stream_;
  if (!stream.closing || stream.outstanding > 0 || stream.finishing) return;
  stream.finishing = true;
  stream.outstanding++;
  stream.call->Finish(&stream.status, reinterpret_cast<void*>(kFinished));
}

absl::Duration Uploader::NextBackoff() {
  // Jitter: thousands of agents must not come back in one instant.
  const double factor = std::uniform_real_distribution<double>(0.5, 1.5)(random_);
  const absl::Duration wait = backoff_ * factor;
  backoff_ = std::min(backoff_ * 2, options_.max_backoff);
  return wait;
}

}  // namespace flopsprof::agent

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/time/clock.h>
#include <absl/time/time.h>
#include <grpcpp/grpcpp.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "collector/base/mutex.h"
#include "flopsprof/v1/ingest.grpc.pb.h"
#include "tests/support/row_blocks.h"

namespace flopsprof::testing {

// A collector that keeps every request, with rows in place of blocks, and misbehaves when it is
// told to.
class FakeCollector : public v1::Ingest::Service {
 public:
  // `address`: "unix:/path".
  explicit FakeCollector(const std::string& address) : address_(address) { Start(); }
  ~FakeCollector() override { Stop(); }

  void Start() {
    grpc::ServerBuilder builder;
    builder.AddListeningPort(address_, grpc::InsecureServerCredentials());
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
  }
  // Cuts every stream.
  void Stop() {
    if (server_ != nullptr) server_->Shutdown(std::chrono::system_clock::now());
    server_.reset();
  }
  // From now on requests come in but are not acknowledged.
  void StopAcknowledging(bool stop) {
    base::MutexLock lock(&mutex_);
    silent_ = stop;
  }
  // How long it takes over each request.
  void TakeOverEach(absl::Duration duration) {
    base::MutexLock lock(&mutex_);
    takes_ = duration;
  }
  void Refuse(const std::string& reason) {
    base::MutexLock lock(&mutex_);
    refusal_ = reason;
  }

  // Before anything is sent to it.
  void SetFormat(v1::UploadFormat format) { format_ = format; }

  // From now on it says that it lacks this numbering's definitions.
  void Lack(uint32_t numbering) {
    base::MutexLock lock(&mutex_);
    lacks_ = numbering;
  }

  std::vector<v1::UploadRequest> requests() const {
    base::MutexLock lock(&mutex_);
    return requests_;
  }
  // Of each part of a process: its numbering, and how many keys of calls it has defined.
  std::vector<std::pair<uint32_t, int>> defined_calls() const {
    base::MutexLock lock(&mutex_);
    return defined_calls_;
  }
  int stream_count() const {
    base::MutexLock lock(&mutex_);
    return stream_count_;
  }

  grpc::Status Upload(
      grpc::ServerContext* context,
      grpc::ServerReaderWriter<v1::UploadReply, v1::UploadRequest>* stream) override {
    {
      base::MutexLock lock(&mutex_);
      stream_count_++;
    }
    v1::UploadRequest request;
    while (stream->Read(&request)) {
      v1::UploadReply reply;
      reply.set_format(format_);
      absl::SleepFor(takes());
      {
        base::MutexLock lock(&mutex_);
        for (const v1::ProcessProfile& part : request.processes()) {
          defined_calls_.emplace_back(part.numbering(), part.defined().calls_size());
        }
        requests_.push_back(request);
        expander_.Expand(&requests_.back());
        reply.set_lacks_numbering(lacks_);
        if (silent_) continue;
        reply.set_acknowledged(refusal_.empty() ? request.sequence() : 0);
        reply.set_refused(refusal_);
      }
      if (!stream->Write(reply)) break;
    }
    return grpc::Status::OK;
  }

 private:
  absl::Duration takes() const {
    base::MutexLock lock(&mutex_);
    return takes_;
  }

  const std::string address_;
  std::atomic<v1::UploadFormat> format_ = v1::UPLOAD_FORMAT_INCREMENTS;
  mutable base::Mutex mutex_;
  std::vector<v1::UploadRequest> requests_ ABSL_GUARDED_BY(mutex_);
  std::string refusal_ ABSL_GUARDED_BY(mutex_);
  bool silent_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<std::pair<uint32_t, int>> defined_calls_ ABSL_GUARDED_BY(mutex_);
  uint32_t lacks_ ABSL_GUARDED_BY(mutex_) = 0;
  BlockExpander expander_ ABSL_GUARDED_BY(mutex_);
  absl::Duration takes_ ABSL_GUARDED_BY(mutex_) = absl::ZeroDuration();
  int stream_count_ ABSL_GUARDED_BY(mutex_) = 0;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace flopsprof::testing

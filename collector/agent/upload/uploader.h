// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <grpcpp/alarm.h>
#include <grpcpp/grpcpp.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "collector/base/mutex.h"
#include "flopsprof/v1/ingest.grpc.pb.h"

namespace flopsprof::agent {

// Sends an agent's updates to the collector, each until it is acknowledged, in order, again
// after every lost connection. Never blocks its caller: when too much is unacknowledged it says
// so, and the caller keeps its changes for later. Post and Finish from one thread at a
// time, the rest from any; one thread of its own speaks gRPC, and sleeps while there is nothing to
// say.
class Uploader {
 public:
  struct Options {
    std::string target;  // "unix:/path" or "host:port"
    std::string run_id;
    std::string agent_id;
    v1::RunInfo run;
    size_t max_unacknowledged = 16;
    absl::Duration min_backoff = absl::Milliseconds(100);
    absl::Duration max_backoff = absl::Seconds(5);
  };
  explicit Uploader(Options options);
  ~Uploader();

  // False: the machine allowed none. Nothing is sent then.
  bool has_thread() const { return thread_.joinable(); }
  // False: not now, too much waits for its acknowledgement. After a refusal nothing waits.
  bool CanAccept() const;
  // Number of the newest request that was posted; 0: none was.
  uint64_t posted_sequence() const;
  // The request of this number, and all before it, are acknowledged (or refused).
  bool IsDone(uint64_t sequence) const;
  // ProcessProfile.numbering of which the collector says that it lacks definitions; 0: of none.
  uint32_t lacked_numbering() const;
  // True: all that was posted is acknowledged (or refused, and waits no more).
  bool Idle() const;
  // One request. Ignored after a refusal.
  void Post(std::vector<v1::ProcessProfile> processes);

  // Sends the last request and waits until everything is acknowledged; then stops. Not OK:
  // refused, or not everything was acknowledged in time.
  absl::Status Finish(const v1::RunInfo& run, bool complete, absl::Duration timeout);

  struct Stats {
    uint64_t acknowledged = 0;  // requests
    uint64_t connections = 0;   // streams that were opened
    std::string last_error;
  };
  Stats stats() const;

 private:
  enum Tag : intptr_t {
    kStarted = 1,
    kWritten = 2,
    kRead = 3,
    kWritesDone = 4,
    kFinished = 5,
    kWoken = 6
  };

  // Everything of one connection; lives until all its operations have come back.
  struct Stream {
    grpc::ClientContext context;
    std::unique_ptr<grpc::ClientAsyncReaderWriter<v1::UploadRequest, v1::UploadReply>> call;
    v1::UploadReply reply;
    grpc::Status status;
    uint64_t next_sequence = 0;  // to be written
    int outstanding = 0;
    bool open = false;
    bool writing = false;
    bool first = true;
    bool closing = false;
    bool finishing = false;
  };

  void Address(v1::UploadRequest* request) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Run();
  // Makes the thread look at what has changed.
  void Wake();
  void OnWoken();
  // Handles what comes back until then, or one event.
  void AwaitEvent(absl::Time until);
  void CloseQueue();
  void Connect();
  void Handle(Tag tag, bool ok);
  void OnReply();
  void WriteNext();
  void Close();
  void CloseIfDone();
  absl::Duration NextBackoff();

  Options options_;
  std::unique_ptr<v1::Ingest::Stub> stub_;
  grpc::CompletionQueue queue_;

  mutable base::Mutex mutex_;
  base::CondVar changed_;
  // Not acknowledged yet; the front is the oldest. Elements stay where they are while written.
  std::deque<v1::UploadRequest> requests_ ABSL_GUARDED_BY(mutex_);
  uint64_t next_sequence_ ABSL_GUARDED_BY(mutex_) = 1;
  uint64_t mark_ ABSL_GUARDED_BY(mutex_) = 0;  // of the newest request
  bool stop_ ABSL_GUARDED_BY(mutex_) = false;
  bool waking_ ABSL_GUARDED_BY(mutex_) = false;  // kWoken is on its way
  std::string refused_ ABSL_GUARDED_BY(mutex_);
  uint32_t lacked_numbering_ ABSL_GUARDED_BY(mutex_) = 0;
  Stats stats_ ABSL_GUARDED_BY(mutex_);

  grpc::Alarm wake_;  // set by who has set waking_

  // The thread's own.
  std::unique_ptr<Stream> stream_;
  absl::Time retry_at_ = absl::InfinitePast();
  absl::Duration backoff_;
  std::mt19937 random_;

  std::thread thread_;
};

}  // namespace flopsprof::agent

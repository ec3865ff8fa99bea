// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "collector/server/request_check.h"
#include "collector/server/run_registry.h"
#include "flopsprof/v1/ingest.grpc.pb.h"

namespace flopsprof::server {

// The Ingest service: stores each request, then acknowledges it. gRPC's threads.
// A request that can be sent again with success (disk full) ends the stream with UNAVAILABLE;
// one that never will be accepted is answered with `refused`.
class IngestService : public v1::Ingest::CallbackService {
 public:
  struct Options {
    RequestLimits limits;
    int max_streams = 20000;
  };

  IngestService(const Options& options, RunRegistry* runs) : options_(options), runs_(*runs) {}

  grpc::ServerBidiReactor<v1::UploadRequest, v1::UploadReply>* Upload(
      grpc::CallbackServerContext* context) override;

  uint64_t refused_requests() const { return refused_.load(std::memory_order_relaxed); }

 private:
  class Stream;

  // Bounds the names in one request and stores it; fills the reply. An error ends the stream with
  // that status.
  grpc::Status Handle(v1::UploadRequest* request, v1::UploadReply* reply);
  // For the report: why the run has no more of this agent.
  void NoteRefusal(const v1::UploadRequest& request, const std::string& why);

  const Options options_;
  RunRegistry& runs_;
  std::atomic<int> streams_{0};
  std::atomic<uint64_t> refused_{0};
};

}  // namespace flopsprof::server

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/server/ingest_service.h"

#include <utility>

#include "collector/base/clock.h"
#include "collector/base/log.h"
#include "collector/server/unix_listener.h"

namespace flopsprof::server {

// One agent's stream: reads, stores, acknowledges, in turn. Deletes itself when gRPC is done.
class IngestService::Stream : public grpc::ServerBidiReactor<v1::UploadRequest, v1::UploadReply> {
 public:
  Stream(IngestService* service, std::string peer) : service_(*service), peer_(std::move(peer)) {
    if (service_.streams_.fetch_add(1, std::memory_order_relaxed) >=
        service_.options_.max_streams) {
      Finish(grpc::Status(grpc::StatusCode::RESOURCE_EXHAUSTED, "too many streams"));
      return;
    }
    StartRead(&request_);
  }

  void OnReadDone(bool ok) override {
    if (!ok) {
      Finish(grpc::Status::OK);
      return;
    }
    reply_.Clear();
    request_.set_peer(peer_);
    const grpc::Status status = service_.Handle(&request_, &reply_);
    if (!status.ok()) {
      Finish(status);
    } else if (!reply_.refused().empty()) {
      StartWriteAndFinish(&reply_, grpc::WriteOptions(), grpc::Status::OK);
    } else {
      StartWrite(&reply_);
    }
  }

  void OnWriteDone(bool ok) override {
    if (!ok) {
      Finish(grpc::Status(grpc::StatusCode::UNAVAILABLE, "the agent went away"));
      return;
    }
    if (reply_.refused().empty()) StartRead(&request_);
  }

  void OnDone() override {
    service_.streams_.fetch_sub(1, std::memory_order_relaxed);
    delete this;
  }

 private:
  IngestService& service_;
  const std::string peer_;
  v1::UploadRequest request_;
  v1::UploadReply reply_;
};

grpc::ServerBidiReactor<v1::UploadRequest, v1::UploadReply>* IngestService::Upload(
    grpc::CallbackServerContext* context) {
  return new Stream(this, PeerName(context->peer()));
}

grpc::Status IngestService::Handle(v1::UploadRequest* bounded, v1::UploadReply* reply) {
  const v1::UploadRequest& request = *bounded;
  reply->set_format(v1::UPLOAD_FORMAT_INCREMENTS);
  absl::Status status = CheckRequest(request, options_.limits);
  if (status.ok()) BoundRequest(bounded);
  if (status.ok()) BoundTimes(base::Clock::Real().UtcNs(), bounded);
  std::shared_ptr<store::RunFolder> run;
  if (status.ok()) {
    absl::StatusOr<std::shared_ptr<store::RunFolder>> found =
        runs_.Find(request.run_id(), request.run());
    status = found.status();
    if (found.ok()) run = *std::move(found);
  }
  if (status.ok()) status = run->Apply(request);
  if (status.ok()) {
    runs_.NoteStored(request.run_id(), request.last());
    reply->set_acknowledged(request.sequence());
    reply->set_lacks_numbering(run->LacksNumbering(request.agent_id()));
    return grpc::Status::OK;
  }
  const std::string text(status.message());
  if (absl::IsInvalidArgument(status) || absl::IsFailedPrecondition(status)) {
    refused_.fetch_add(1, std::memory_order_relaxed);
    base::Log().warn("collector: refused an upload: {}", text);
    NoteRefusal(request, text);
    reply->set_refused(text);
    return grpc::Status::OK;
  }
  base::Log().warn("collector: {}", text);
  return grpc::Status(grpc::StatusCode::UNAVAILABLE, text);
}

void IngestService::NoteRefusal(const v1::UploadRequest& request, const std::string& why) {
  if (!CheckIds(request, options_.limits).ok()) return;
  const std::shared_ptr<store::RunFolder> run = runs_.FindKnown(request.run_id());
  if (run == nullptr) return;
  const absl::Status noted =
      run->NoteRefusal(request.agent_id(), NodeOf(request, options_.limits), why);
  if (!noted.ok()) base::Log().warn("collector: {}", std::string(noted.message()));
}

}  // namespace flopsprof::server

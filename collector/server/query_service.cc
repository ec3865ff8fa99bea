// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/server/query_service.h"

#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "collector/base/clock.h"
#include "collector/model/run_sums.h"

namespace flopsprof::server {
namespace {

constexpr size_t kMostIdBytes = 256;
constexpr int kMostMembers = 64;

grpc::Status ToGrpc(const absl::Status& status) {
  const std::string text(status.message());
  switch (status.code()) {
    case absl::StatusCode::kNotFound:
      return grpc::Status(grpc::StatusCode::NOT_FOUND, text);
    case absl::StatusCode::kInvalidArgument:
      return grpc::Status(grpc::StatusCode::INVALID_ARGUMENT, text);
    case absl::StatusCode::kFailedPrecondition:
      return grpc::Status(grpc::StatusCode::FAILED_PRECONDITION, text);
    case absl::StatusCode::kResourceExhausted:
      return grpc::Status(grpc::StatusCode::RESOURCE_EXHAUSTED, text);
    case absl::StatusCode::kPermissionDenied:
      return grpc::Status(grpc::StatusCode::PERMISSION_DENIED, text);
    default:
      return grpc::Status(grpc::StatusCode::UNAVAILABLE, text);
  }
}

absl::Status CheckReportRequest(const v1::ReportRequest& request) {
  if (request.run_id().size() > kMostIdBytes || request.members_size() > kMostMembers) {
    return absl::InvalidArgumentError("the request is too large");
  }
  if (request.form() == v1::REPORT_FORM_SUMS) {
    if (request.made_by() == model::SumsMadeBy()) return absl::OkStatus();
    return absl::FailedPreconditionError(
        "this collector is of another version of flopsprof than who asks: use the same one, or ask "
        "for JSON");
  }
  if (request.form() == v1::REPORT_FORM_JSON) return absl::OkStatus();
  return absl::InvalidArgumentError("the form of the report is not known here");
}

// Members that the report has not got: InvalidArgument.
absl::StatusOr<std::string> JsonOfMembers(const LiveReport& report,
                                          const v1::ReportRequest& request) {
  std::string json = "{";
  for (const std::string& name : request.members()) {
    const auto member =
        std::find_if(report.members.begin(), report.members.end(),
                     [&](const LiveReport::Member& found) { return found.name == name; });
    if (member == report.members.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat("summary.json has no member \"", name.substr(0, 64), "\""));
    }
    absl::StrAppend(&json, json.size() > 1 ? "," : "", "\n  \"", name,
                    "\":", report.json.substr(member->begin, member->end - member->begin));
  }
  while (json.back() == '\n' || json.back() == ' ') json.pop_back();
  return json + "\n}\n";
}

}  // namespace

// One who asks for a report. Deletes itself when gRPC is done.
class QueryService::Stream : public grpc::ServerWriteReactor<v1::ReportPart> {
 public:
  // What calls of LiveReports reach the stream through, as long as it is there. The lock is held
  // while the stream is used: gRPC calls back in threads of its own.
  struct Link {
    base::Mutex mutex;
    Stream* stream ABSL_GUARDED_BY(mutex) = nullptr;
  };

  Stream(QueryService* service, grpc::CallbackServerContext* context,
         const v1::ReportRequest& request)
      : service_(*service),
        context_(*context),
        request_(request),
        link_(std::make_shared<Link>()),
        moved_mono_ns_(base::Clock::Real().MonoNs()) {
    base::MutexLock lock(&link_->mutex);
    link_->stream = this;
  }

  void Begin() {
    if (const absl::Status status = service_.CheckPeer(context_); !status.ok()) return End(status);
    if (const absl::Status status = CheckReportRequest(request_); !status.ok()) return End(status);
    if (!service_.Add(this)) {
      return End(absl::ResourceExhaustedError("too many ask this collector: ask again later"));
    }
    LiveReports::Question question;
    question.run_id = request_.run_id();
    question.patience = absl::Milliseconds(request_.patience_ms());
    question.on_waiting = [link = link_](uint64_t done, uint64_t processes) {
      base::MutexLock lock(&link->mutex);
      if (link->stream != nullptr) link->stream->Wait(done, processes);
    };
    question.on_done = [link = link_](const absl::StatusOr<LiveReports::Answer>& answer) {
      base::MutexLock lock(&link->mutex);
      if (link->stream != nullptr) link->stream->Take(answer);
    };
    const uint64_t number = service_.reports_.Ask(std::move(question));
    base::MutexLock lock(&link_->mutex);
    number_ = number;
    if (ended_ && number != 0) service_.reports_.Forget(number);
  }

  void OnWriteDone(bool ok) override {
    base::MutexLock lock(&link_->mutex);
    moved_mono_ns_ = base::Clock::Real().MonoNs();
    writing_ = false;
    if (ended_) return;
    if (!ok) return EndLocked(absl::UnavailableError("who has asked went away"));
    if (answer_.report != nullptr) WriteNext();
  }

  void OnCancel() override {
    base::MutexLock lock(&link_->mutex);
    if (!ended_) EndLocked(absl::CancelledError("who has asked went away"));
    if (number_ != 0) service_.reports_.Forget(number_);
  }

  void OnDone() override {
    service_.Remove(this);
    const std::shared_ptr<Link> link = link_;
    {
      base::MutexLock lock(&link->mutex);
      link->stream = nullptr;
    }
    delete this;
  }

  uint64_t moved_mono_ns() const { return moved_mono_ns_; }
  void Cancel() { context_.TryCancel(); }

 private:
  void End(const absl::Status& status) {
    base::MutexLock lock(&link_->mutex);
    EndLocked(status);
  }
  void EndLocked(const absl::Status& status) {
    if (std::exchange(ended_, true)) return;
    Finish(status.ok() ? grpc::Status::OK : ToGrpc(status));
  }

  void Wait(uint64_t done, uint64_t processes) {
    if (writing_ || ended_ || answer_.report != nullptr) return;
    part_.mutable_waiting()->set_processes_done(done);
    part_.mutable_waiting()->set_processes(processes);
    Write();
  }

  void Take(const absl::StatusOr<LiveReports::Answer>& answer) {
    if (ended_) return;
    if (!answer.ok()) return EndLocked(answer.status());
    answer_ = *answer;
    if (request_.form() == v1::REPORT_FORM_JSON && request_.members_size() > 0) {
      absl::StatusOr<std::string> json = JsonOfMembers(*answer_.report, request_);
      if (!json.ok()) return EndLocked(json.status());
      of_members_ = *std::move(json);
      bytes_ = of_members_;
    } else {
      bytes_ =
          request_.form() == v1::REPORT_FORM_SUMS ? answer_.report->sums : answer_.report->json;
    }
    if (!writing_) WriteNext();
  }

  void WriteNext() {
    if (!head_is_written_) {
      head_is_written_ = true;
      v1::ReportHead& head = *part_.mutable_head();
      head = answer_.report->head;
      head.set_newest_record(answer_.newest_record);
      head.set_size(bytes_.size());
      return Write();
    }
    if (written_ == bytes_.size()) return EndLocked(absl::OkStatus());
    const std::string_view next = bytes_.substr(written_, service_.options_.part_bytes);
    part_.set_bytes(next.data(), next.size());
    written_ += next.size();
    Write();
  }

  void Write() {
    writing_ = true;
    StartWrite(&part_);
  }

  QueryService& service_;
  grpc::CallbackServerContext& context_;
  const v1::ReportRequest request_;
  const std::shared_ptr<Link> link_;  // its lock guards what follows
  uint64_t number_ = 0;               // of the question
  bool ended_ = false;
  bool writing_ = false;
  LiveReports::Answer answer_;
  std::string of_members_;
  std::string_view bytes_;
  size_t written_ = 0;
  bool head_is_written_ = false;
  v1::ReportPart part_;
  std::atomic<uint64_t> moved_mono_ns_;
};

bool QueryService::Add(Stream* stream) {
  base::MutexLock lock(&mutex_);
  if (streams_.size() < options_.most_streams) {
    streams_.insert(stream);
    return true;
  }
  const uint64_t now_ns = base::Clock::Real().MonoNs();
  const auto stuck = std::min_element(
      streams_.begin(), streams_.end(),
      [](const Stream* a, const Stream* b) { return a->moved_mono_ns() < b->moved_mono_ns(); });
  const auto since = absl::Nanoseconds(static_cast<int64_t>(now_ns - (*stuck)->moved_mono_ns()));
  if (since > options_.stuck) (*stuck)->Cancel();
  return false;
}

void QueryService::Remove(Stream* stream) {
  base::MutexLock lock(&mutex_);
  streams_.erase(stream);
}

grpc::ServerWriteReactor<v1::ReportPart>* QueryService::GetReport(
    grpc::CallbackServerContext* context, const v1::ReportRequest* request) {
  auto* const stream = new Stream(this, context, *request);
  stream->Begin();
  return stream;
}

absl::Status QueryService::CheckPeer(const grpc::CallbackServerContext& context) const {
  const std::string peer = context.peer();
  // Accepted by UnixListener, or by gRPC itself.
  const bool is_local = absl::StartsWith(peer, "fd:") || absl::StartsWith(peer, "unix:");
  if (is_local || options_.over_tcp) return absl::OkStatus();
  return absl::PermissionDeniedError(
      "this collector shows its runs by its Unix socket alone, since all users of a machine reach "
      "a port: ask there, or start it with --reports-over-tcp");
}

grpc::ServerUnaryReactor* QueryService::ListRuns(grpc::CallbackServerContext* context,
                                                 const v1::ListRunsRequest* request,
                                                 v1::ListRunsReply* reply) {
  // Waits a moment, and is not worth cancelling.
  grpc::ServerUnaryReactor* const reactor = context->DefaultReactor();
  if (const absl::Status status = CheckPeer(*context); !status.ok()) {
    reactor->Finish(ToGrpc(status));
    return reactor;
  }
  reports_.AskForRuns([reactor, reply](const absl::StatusOr<LiveReports::Answer>& answer) {
    if (answer.ok()) *reply = answer->report->runs;
    reactor->Finish(answer.ok() ? grpc::Status::OK : ToGrpc(answer.status()));
  });
  return reactor;
}

}  // namespace flopsprof::server

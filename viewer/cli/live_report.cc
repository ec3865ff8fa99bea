// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "viewer/cli/live_report.h"

#include <grpc/support/log.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "collector/base/unique_fd.h"
#include "collector/store/manifest.h"
#include "flopsprof/v1/query.grpc.pb.h"
#include "viewer/cli/runtime_dir.h"

namespace flopsprof::viewer {
namespace {

// Where a report of an earlier position is there, how long one of now is waited for.
constexpr uint32_t kPatienceMs = 1500;
constexpr uint64_t kMostAnswerBytes = uint64_t{1} << 30;

absl::Status ToAbsl(const grpc::Status& status) {
  return absl::Status(static_cast<absl::StatusCode>(status.error_code()), status.error_message());
}

// One call, read with a limit for each of its messages.
class Call {
 public:
  Call(const std::string& target, absl::Duration silence)
      : silence_(silence),
        stub_(v1::Query::NewStub(grpc::CreateChannel(target, grpc::InsecureChannelCredentials()))) {
  }
  ~Call() {
    context_.TryCancel();
    queue_.Shutdown();
    void* tag = nullptr;
    bool ok = false;
    while (queue_.Next(&tag, &ok)) {
    }
  }

  absl::Status Begin(const v1::ReportRequest& request) {
    reader_ = stub_->AsyncGetReport(&context_, request, &queue_, nullptr);
    return Await().status();
  }

  // False: there is no further message.
  absl::StatusOr<bool> Read(v1::ReportPart* part) {
    reader_->Read(part, nullptr);
    return Await();
  }

  // Why it has ended.
  absl::Status End() {
    reader_->Finish(&status_, nullptr);
    if (const absl::StatusOr<bool> ended = Await(); !ended.ok()) return ended.status();
    return ToAbsl(status_);
  }

 private:
  absl::StatusOr<bool> Await() {
    void* tag = nullptr;
    bool ok = false;
    const auto until = std::chrono::system_clock::now() + absl::ToChronoNanoseconds(silence_);
    if (queue_.AsyncNext(&tag, &ok, until) == grpc::CompletionQueue::GOT_EVENT) return ok;
    return absl::DeadlineExceededError(
        absl::StrCat("it was silent for ", absl::FormatDuration(silence_)));
  }

  const absl::Duration silence_;
  grpc::CompletionQueue queue_;
  grpc::ClientContext context_;
  std::unique_ptr<v1::Query::Stub> stub_;
  std::unique_ptr<grpc::ClientAsyncReader<v1::ReportPart>> reader_;
  grpc::Status status_;
};

// Somebody listens at a Unix socket; one that is stopped does too. Never waits.
bool IsListenedAt(const std::string& path) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return false;
  path.copy(address.sun_path, path.size());
  const base::UniqueFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd.valid()) return false;
  const auto* name = reinterpret_cast<const sockaddr*>(&address);
  return connect(fd.get(), name, sizeof address) == 0 || errno == EAGAIN;
}

}  // namespace

absl::StatusOr<CollectorsReport> AskCollector(const std::string& target, const std::string& run_id,
                                              absl::Duration silence) {
  gpr_set_log_function([](gpr_log_func_args*) {});  // stderr is for messages of ours
  v1::ReportRequest request;
  request.set_run_id(run_id);
  request.set_form(v1::REPORT_FORM_SUMS);
  request.set_made_by(std::string(model::SumsMadeBy()));
  request.set_patience_ms(kPatienceMs);
  CollectorsReport report;
  std::string bytes;
  v1::ReportPart part;  // before the call, which may be writing it when it is given up
  Call call(target, silence);
  if (const absl::Status begun = call.Begin(request); !begun.ok()) return begun;
  while (true) {
    const absl::StatusOr<bool> more = call.Read(&part);
    if (!more.ok()) return more.status();
    if (!*more) break;
    if (part.has_head()) report.head = part.head();
    if (part.part_case() == v1::ReportPart::kBytes) bytes += part.bytes();
    if (bytes.size() > kMostAnswerBytes) return absl::DataLossError("its answer is too large");
  }
  if (const absl::Status ended = call.End(); !ended.ok()) return ended;
  std::optional<model::RunSums> sums = model::FromBytes(bytes);
  if (bytes.size() != report.head.size() || !sums.has_value()) {
    return absl::DataLossError("its answer is not whole");
  }
  report.sums = *std::move(sums);
  return report;
}

WrittenRun FindWrittenRun(const std::string& folder) {
  struct stat info;
  std::error_code error;
  const std::string control = std::filesystem::read_symlink(folder + "/" + kControlLink, error);
  // Another user's link may lead anywhere.
  if (error || stat(folder.c_str(), &info) != 0 || info.st_uid != geteuid()) return {};
  const std::string socket = std::filesystem::path(control).parent_path() / kCollectorSocket;
  if (lstat(socket.c_str(), &info) != 0 || !S_ISSOCK(info.st_mode) || info.st_uid != geteuid()) {
    return {};
  }
  const absl::StatusOr<store::Manifest> manifest = store::ReadManifest(folder);
  if (!manifest.ok() || manifest->finished) return {};
  // One that was killed leaves its socket behind.
  if (!IsListenedAt(socket)) return {};
  return {"unix:" + socket, manifest->run_id};
}

}  // namespace flopsprof::viewer

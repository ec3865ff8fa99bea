// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/server/collector.h"

#include <absl/strings/str_cat.h>
#include <grpc/support/log.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server_builder.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <list>
#include <optional>

#include "collector/base/clock.h"
#include "collector/base/log.h"
#include "collector/base/mutex.h"
#include "collector/base/thread.h"
#include "collector/server/listen_address.h"

namespace flopsprof::server {
namespace {

constexpr auto kStopPatience = std::chrono::seconds(2);
constexpr absl::Duration kCloseRound = absl::Milliseconds(500);
constexpr absl::Duration kWantedRound = absl::Milliseconds(100);

// gRPC writes to stderr by itself, which belongs to the job; what matters comes as a Status.
void QuietGrpc() {
  gpr_set_log_function(
      [](gpr_log_func_args* args) { base::Log().debug("gRPC: {}", args->message); });
}

absl::StatusOr<std::unique_ptr<RunRegistry>> OpenRuns(const Collector::Options& options) {
  if (!options.run_id.empty()) {
    store::RunFolder::Options folder_options;
    folder_options.path = options.output;
    folder_options.limits = options.runs.limits;
    absl::StatusOr<std::unique_ptr<store::RunFolder>> folder =
        store::RunFolder::Create(folder_options, options.run_id, options.run);
    if (!folder.ok()) return folder.status();
    return std::make_unique<RunRegistry>(std::shared_ptr<store::RunFolder>(*std::move(folder)));
  }
  const std::string root = options.output.empty() ? "." : options.output;
  std::error_code error;
  std::filesystem::create_directories(root, error);
  if (error || access(root.c_str(), W_OK | X_OK) != 0) {
    return absl::PermissionDeniedError(
        absl::StrCat("cannot write to the folder ", root, error ? ": " + error.message() : "",
                     "; nothing can be collected there; choose another one with -o DIR"));
  }
  return std::make_unique<RunRegistry>(root, options.runs);
}

absl::StatusOr<std::vector<ListenAddress>> ParseAll(const Collector::Options& options) {
  if (options.listen.empty()) return absl::InvalidArgumentError("no address to listen on");
  std::vector<ListenAddress> addresses;
  for (const std::string& text : options.listen) {
    absl::StatusOr<ListenAddress> address = ParseListenAddress(text);
    if (!address.ok()) return address.status();
    if (!address->is_loopback && !options.insecure) {
      return absl::PermissionDeniedError(
          absl::StrCat("will not listen on ", text,
                       ": other machines reach it, and it is not encrypted; use "
                       "127.0.0.1 with an SSH tunnel, or allow it with --insecure"));
    }
    addresses.push_back(*std::move(address));
  }
  return addresses;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Collector>> Collector::Create(const Options& options) {
  absl::StatusOr<std::vector<ListenAddress>> addresses = ParseAll(options);
  if (!addresses.ok()) return addresses.status();
  absl::StatusOr<std::unique_ptr<RunRegistry>> runs = OpenRuns(options);
  if (!runs.ok()) return runs.status();

  QuietGrpc();
  std::unique_ptr<Collector> collector(new Collector);
  collector->runs_ = *std::move(runs);
  collector->service_ = std::make_unique<IngestService>(options.ingest, collector->runs_.get());
  collector->reports_ = std::make_unique<LiveReports>(options.reports, collector->runs_.get());
  collector->query_service_ =
      std::make_unique<QueryService>(options.queries, collector->reports_.get());
  grpc::ServerBuilder builder;
  std::list<int> ports;  // gRPC keeps the addresses until it has started
  for (const ListenAddress& address : *addresses) {
    if (address.is_unix) continue;  // below
    ports.push_back(0);
    builder.AddListeningPort(address.text, grpc::InsecureServerCredentials(), &ports.back());
  }
  builder.SetMaxReceiveMessageSize(static_cast<int>(options.max_message_bytes));
  // Two collectors on one port would share the agents between them.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, 64);
  builder.AddChannelArgument(GRPC_ARG_MAX_METADATA_SIZE, 8192);
  builder.RegisterService(collector->service_.get());
  builder.RegisterService(collector->query_service_.get());
  collector->server_ = builder.BuildAndStart();
  if (collector->server_ == nullptr) {
    std::string all;
    for (const ListenAddress& address : *addresses) absl::StrAppend(&all, " ", address.text);
    return absl::UnavailableError(
        absl::StrCat("cannot listen on", all, ": in use or not allowed; choose another address"));
  }
  collector->ports_.assign(ports.begin(), ports.end());
  for (const ListenAddress& address : *addresses) {
    if (!address.is_unix) continue;
    absl::StatusOr<std::unique_ptr<UnixListener>> listener =
        UnixListener::Create(address.unix_path, collector->server_.get());
    if (!listener.ok()) {
      return absl::UnavailableError(
          absl::StrCat(std::string(listener.status().message()), "; choose another address"));
    }
    collector->unix_listeners_.push_back(*std::move(listener));
    collector->socket_files_.push_back(address.unix_path);
  }
  collector->closer_ = base::StartThread([raw = collector.get()] { raw->CloseRunsUntilStopped(); });
  if (!collector->closer_.joinable()) {
    return absl::ResourceExhaustedError("the machine allows no further thread");
  }
  return collector;
}

void Collector::CloseRunsUntilStopped() {
  while (true) {
    {
      base::MutexLock lock(&mutex_);
      if (!stopping_) stop_.WaitWithTimeout(&mutex_, kCloseRound);
      if (stopping_) return;
    }
    runs_->CloseEnded();
  }
}

absl::StatusOr<std::shared_ptr<const LiveReport>> Collector::MakeReport(
    const std::string& folder, const std::function<bool()>& is_wanted) {
  // Who answers may do so after who asked has gone.
  struct Reply {
    base::Mutex mutex;
    base::CondVar came;
    std::optional<absl::StatusOr<LiveReports::Answer>> answer ABSL_GUARDED_BY(mutex);
  };
  const auto reply = std::make_shared<Reply>();
  LiveReports::Question question;
  question.patience = absl::InfiniteDuration();
  question.is_for_texts = true;
  question.on_done = [reply](const absl::StatusOr<LiveReports::Answer>& answer) {
    base::MutexLock lock(&reply->mutex);
    reply->answer = answer;
    reply->came.SignalAll();
  };
  for (const std::shared_ptr<store::RunFolder>& run : runs_->All()) {
    if (run->path() == folder) question.run_id = run->run_id();
  }
  if (question.run_id.empty()) return absl::NotFoundError("no run is open in " + folder);
  const uint64_t number = reports_->Ask(std::move(question));
  while (is_wanted()) {
    base::MutexLock lock(&reply->mutex);
    if (!reply->answer.has_value()) reply->came.WaitWithTimeout(&reply->mutex, kWantedRound);
    if (!reply->answer.has_value()) continue;
    if (!reply->answer->ok()) return reply->answer->status();
    return (*reply->answer)->report;
  }
  reports_->Forget(number);
  return absl::CancelledError("not wanted any more");
}

Collector::~Collector() { Stop(); }

std::shared_ptr<store::RunFolder> Collector::run(const std::string& run_id) {
  for (const std::shared_ptr<store::RunFolder>& run : runs_->All()) {
    if (run->run_id() == run_id) return run;
  }
  return nullptr;
}

void Collector::Stop() {
  if (server_ == nullptr) return;
  // Who waits for a report is told, and nothing reads the runs any more.
  reports_->Stop();
  unix_listeners_.clear();
  // Streams of agents that do not hang up are ended after a while.
  server_->Shutdown(std::chrono::system_clock::now() + kStopPatience);
  server_->Wait();
  server_.reset();
  {
    base::MutexLock lock(&mutex_);
    stopping_ = true;
    stop_.SignalAll();
  }
  if (closer_.joinable()) closer_.join();
  // All runs together have the time of one: what is not merged then stays in their logs.
  const uint64_t begin_ns = base::Clock::Real().MonoNs();
  for (const std::shared_ptr<store::RunFolder>& run : runs_->All()) {
    const absl::Duration since = absl::Nanoseconds(base::Clock::Real().MonoNs() - begin_ns);
    const absl::Duration rest = store::RunFolder::kFinishPatience - since;
    if (const absl::Status status = run->Finish(std::max(rest, absl::ZeroDuration()));
        !status.ok()) {
      base::Log().warn("collector: {}", std::string(status.message()));
    }
    runs_->NoteStored(run->run_id(), false);  // its texts are to say that it is finished
  }
  for (const std::string& path : socket_files_) unlink(path.c_str());
}

}  // namespace flopsprof::server

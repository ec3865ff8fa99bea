// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <grpcpp/server.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "collector/base/mutex.h"
#include "collector/server/ingest_service.h"
#include "collector/server/live_reports.h"
#include "collector/server/query_service.h"
#include "collector/server/run_registry.h"
#include "collector/server/unix_listener.h"
#include "flopsprof/v1/ingest.pb.h"

namespace flopsprof::server {

// Takes uploads of node agents and makes them durable in run folders, and says what is in these.
// `run` hosts one on a private Unix socket; `flopsprof collector` hosts one for many nodes. Any
// thread; the work is done by gRPC's threads.
class Collector {
 public:
  struct Options {
    // "unix:/path", "127.0.0.1:0" (any free port), "host:port". At least one.
    std::vector<std::string> listen;
    // With `run_id`: the one run's folder, "" = flopsprof-<job>-<UTC time> here; it is made at
    // once, and other run ids are refused. Without: a folder that gets one folder per run id;
    // it is made when it is not there.
    std::string output;
    std::string run_id;
    v1::RunInfo run;
    // Addresses that other machines reach need TLS, or this.
    bool insecure = false;
    // A larger message ends its stream. Agents split their uploads at half of that.
    size_t max_message_bytes = 1 << 20;
    RunRegistry::Options runs;
    IngestService::Options ingest;
    LiveReports::Options reports;
    QueryService::Options queries;
  };

  static absl::StatusOr<std::unique_ptr<Collector>> Create(const Options& options);

  // Stop().
  ~Collector();

  // Port of every HOST:PORT in `listen`, in that order.
  std::vector<int> ports() const { return ports_; }
  // Folder of a run, "" when it has none yet.
  std::string run_folder(const std::string& run_id) { return runs_->FolderOf(run_id); }
  // The run itself, for texts made from it; null when this collector has not got it.
  std::shared_ptr<store::RunFolder> run(const std::string& run_id);
  // Requests that were refused for good.
  uint64_t refused_requests() const { return service_->refused_requests(); }

  // Who asks for a report and has not got it yet.
  size_t waiting_queries() { return reports_->waiting_count(); }

  // A report of an open run as of now, for texts; one that took long is kept for who asks. Waits
  // for it as long as `is_wanted`. NotFound: no run is open in that folder. Cancelled: it is not
  // wanted any more.
  absl::StatusOr<std::shared_ptr<const LiveReport>> MakeReport(
      const std::string& folder, const std::function<bool()>& is_wanted);

  // As RunRegistry::TakeChanged: what texts are to be made of.
  std::set<std::string> TakeChangedRuns() { return runs_->TakeChanged(); }

  // Ends all streams, stores what has arrived, marks the runs as finished. Idempotent.
  void Stop();

 private:
  Collector() = default;
  void CloseRunsUntilStopped();

  std::unique_ptr<RunRegistry> runs_;
  std::unique_ptr<IngestService> service_;
  std::unique_ptr<QueryService> query_service_;
  std::unique_ptr<LiveReports> reports_;  // before the runs: it reads them
  std::vector<int> ports_;
  std::vector<std::string> socket_files_;
  base::Mutex mutex_;
  base::CondVar stop_;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread closer_;  // of runs that have ended
  // Its threads use all of the above.
  std::unique_ptr<grpc::Server> server_;
  std::vector<std::unique_ptr<UnixListener>> unix_listeners_;  // last: they use the server
};

}  // namespace flopsprof::server

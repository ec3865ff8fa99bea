// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/time/time.h>

#include <cstddef>
#include <set>

#include "collector/base/mutex.h"
#include "collector/server/live_reports.h"
#include "flopsprof/v1/query.grpc.pb.h"

namespace flopsprof::server {

// The Query service: gives what LiveReports makes. gRPC's threads and those of LiveReports; none
// of gRPC's waits.
class QueryService : public v1::Query::CallbackService {
 public:
  struct Options {
    size_t most_streams = 64;
    // One that has taken nothing for so long is ended when another one comes and there are too
    // many.
    absl::Duration stuck = absl::Seconds(30);
    size_t part_bytes = 256 << 10;
    // Else only who comes by a Unix socket is answered: a port is open to all users of a machine.
    bool over_tcp = false;
  };

  QueryService(const Options& options, LiveReports* reports)
      : options_(options), reports_(*reports) {}

  grpc::ServerUnaryReactor* ListRuns(grpc::CallbackServerContext* context,
                                     const v1::ListRunsRequest* request,
                                     v1::ListRunsReply* reply) override;
  grpc::ServerWriteReactor<v1::ReportPart>* GetReport(grpc::CallbackServerContext* context,
                                                      const v1::ReportRequest* request) override;

 private:
  class Stream;

  absl::Status CheckPeer(const grpc::CallbackServerContext& context) const;

  // False: there are too many.
  bool Add(Stream* stream);
  void Remove(Stream* stream);

  const Options options_;
  LiveReports& reports_;
  base::Mutex mutex_;
  std::set<Stream*> streams_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace flopsprof::server

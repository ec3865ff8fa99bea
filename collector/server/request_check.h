// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>

#include <cstddef>
#include <string>

#include "flopsprof/v1/ingest.pb.h"

namespace flopsprof::server {

struct RequestLimits {
  size_t max_id_bytes = 256;      // run and agent ids
  size_t max_text_bytes = 65536;  // names, shapes, notes, command lines
  size_t max_processes = 4096;    // in one request
};

// Refuses what no agent of ours sends. Peers are not trusted: ids and names become keys and
// text, never paths, but they must not fill memory or disk either.
absl::Status CheckRequest(const v1::UploadRequest& request, const RequestLimits& limits);

// The part of it about run and agent id.
absl::Status CheckIds(const v1::UploadRequest& request, const RequestLimits& limits);

// Cuts names beyond what is kept (model/profile_bounds.h): an older agent, and a program, may send
// longer ones. A cut name shows that it is.
void BoundRequest(v1::UploadRequest* request);

// Moments that a node's clock has put more than an hour ahead of the collector's become unknown,
// and are counted (times_refused): the latest of them would be that of the run for ever.
void BoundTimes(int64_t now_utc_ns, v1::UploadRequest* request);

// The node that sends, "" = it does not say in a way that can be kept.
std::string NodeOf(const v1::UploadRequest& request, const RequestLimits& limits);

}  // namespace flopsprof::server

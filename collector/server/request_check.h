// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>

#include <cstddef>

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

}  // namespace flopsprof::server

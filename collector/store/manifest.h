// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <cstdint>
#include <string>

#include "flopsprof/v1/ingest.pb.h"

namespace flopsprof::store {

// run.json: what a run folder is, for people and for tools that do not read SQLite.
struct Manifest {
  std::string run_id;
  std::string job;
  std::string command;
  int64_t start_utc_ns = 0;
  std::string version;
  // False while agents send, and for ever when the collector was killed.
  bool finished = false;
  // The format of profile.db and log/ (kSchemaVersion). 1: the file is older than this field.
  int64_t format = 1;
};

// What it says of the run, for a profile.db that was lost.
v1::RunInfo RunInfoOf(const Manifest& manifest);

absl::Status WriteManifest(const std::string& folder, const Manifest& manifest);

// NotFound: no run.json there. DataLoss: it is not a manifest.
absl::StatusOr<Manifest> ReadManifest(const std::string& folder);

}  // namespace flopsprof::store

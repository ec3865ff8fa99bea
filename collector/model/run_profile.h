// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "flopsprof/v1/ingest.pb.h"
#include "flopsprof/v1/profile.pb.h"

namespace flopsprof::model {

// A node agent that has sent something.
struct AgentState {
  std::string node;  // "" = it has not said
  // It has sent its last request: everything that it had.
  bool finished = false;
  uint64_t newest_sequence = 0;
  uint64_t missing = 0;       // requests that it has numbered and that never came
  int64_t newest_utc_ns = 0;  // when the newest came, by the collector's clock; 0 = not known
  std::string refused;        // why the collector took no more of it; "" = it did
  std::string id;
  // Agents with one id, which somebody has copied, are counted from 1. They are not mixed.
  int64_t copy = 1;
  uint64_t left_out = 0;         // requests of numbers that were taken too long ago to compare
  std::string peer, other_peer;  // who has sent it: the first one, and the newest other one
};

// Something of which the run had more than the collector takes of one.
struct OverLimit {
  std::string what;  // "processes"
  uint64_t most = 0;
  uint64_t uploads = 0;  // that were left out, or of which a part was
};

// Everything that is known about one run: what the store holds and the summary is made from.
struct RunProfile {
  std::string run_id;
  v1::RunInfo run;
  // One per process that loaded the injector, in no particular order.
  std::vector<v1::ProcessProfile> processes;
  // BoundProfile has made all of them fit.
  bool is_bounded = false;
  // In the order of their first request. Empty: nothing is known of agents.
  std::vector<AgentState> agents;
  // No agent sends any more: the collector has ended.
  bool finished = false;
  // The number of the state of profile.db that all of this was read from. Absent: the run is not
  // finished, or not all of it is in that file.
  std::optional<uint32_t> state;
  // What launcher and collector could not do, as sentences.
  std::vector<std::string> problems;
  // Uploads that were acknowledged but are no longer in the collector's log or database, as far as
  // they can be counted, and where each was, as texts.
  uint64_t lost_uploads = 0;
  std::vector<std::string> log_damage;
  // Uploads that were acknowledged and that the database could not take, and why, as texts.
  std::vector<std::string> refused_uploads;
  std::vector<OverLimit> over_limits;
};

}  // namespace flopsprof::model

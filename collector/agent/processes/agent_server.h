// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "collector/agent/processes/epoch_numbers.h"
#include "collector/agent/processes/process_watch.h"
#include "collector/agent/rings/segment.h"
#include "collector/base/unique_fd.h"
#include "flopsprof/v1/profile.pb.h"
#include "proto/shm/handshake.h"

namespace flopsprof::agent {

// A process that has been given a segment.
struct NewProcess {
  uint64_t id = 0;
  Segment segment;
  v1::ProcessKey key;
  v1::EpochRow epoch;  // this session's number and facts
  v1::ProcessInfo info;
  std::string executable;  // its file; "" = not known
  pid_t ancestor_pid = 0;  // see v1::ProcessLife
};

// Where profiled processes find their agent: a Unix socket in a folder that only its user can
// enter. Checks who comes, hands out segments, and notices how each process ends. Every call
// happens on the one thread that calls Poll; callbacks too.
class AgentServer {
 public:
  struct Options {
    std::string socket_path;  // its folder is made, mode 0700, when it does not exist
    std::string node;         // host name, part of each process's key
    SegmentOptions segment;
    uint32_t welcome_options = shm::kOptionCupti | shm::kOptionModules;
    uint32_t stacks_per_second = shm::kNoStacks;
    size_t max_processes = 4096;
    std::function<bool()> pause;  // asked for each process: begins it without recording? null: no
    std::function<void(NewProcess)> on_process;
    // Nothing more is written by the process.
    std::function<void(uint64_t id, ProcessEnd)> on_end;
  };
  static absl::StatusOr<std::unique_ptr<AgentServer>> Create(Options options);
  ~AgentServer();

  // Handles what has come; waits at most `timeout` for it.
  void Poll(absl::Duration timeout);

  size_t running_count() const;
  // Connections that were turned away: another user, another version, no room, not our words.
  uint64_t refused_count() const { return refused_count_; }

 private:
  struct Connection {
    uint64_t id = 0;
    base::UniqueFd socket;
    std::unique_ptr<ProcessWatch> watch;  // null: has not said Hello
    pid_t pid = -1;
    absl::Time since;  // of the connection, then of the end of its socket
    bool socket_open = true;
    bool ended = false;
  };

  explicit AgentServer(Options options) : options_(std::move(options)) {}
  absl::Status Listen();
  void AcceptAll();
  void OnSocketReadable(Connection* connection);
  void OnHello(Connection* connection, const shm::Hello& hello, pid_t pid);
  void Refuse(Connection* connection, const std::string& reason);
  void CheckEnd(Connection* connection);
  v1::ProcessKey MakeKey(pid_t pid, uint64_t start_ticks, uint64_t image) const;
  v1::EpochRow MakeEpoch(const shm::Hello& hello, uint64_t number) const;
  // Nearest process around `pid` that has a connection now; 0 = none.
  pid_t AncestorOf(pid_t pid) const;

  const Options options_;
  base::UniqueFd listener_;
  std::vector<std::unique_ptr<Connection>> connections_;
  EpochNumbers epochs_;
  uint64_t socket_file_ = 0;  // of our socket
  uint64_t next_id_ = 1;
  uint64_t refused_count_ = 0;
};

}  // namespace flopsprof::agent

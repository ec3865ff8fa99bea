// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "absl/status/statusor.h"
#include "collector/base/unique_fd.h"
#include "flopsprof/v1/control.pb.h"

namespace flopsprof::agent {

// Where `flopsprof ctl` finds a running job: a Unix socket of its user alone. Answers one packet by
// one packet, one connection at a time; who sends nothing is not waited for long. A thread of its
// own, on which the callback is called.
class ControlServer {
 public:
  using Answer = std::function<v1::ControlReply(const v1::ControlRequest&)>;
  // The folder of the socket is there, and its user's alone.
  static absl::StatusOr<std::unique_ptr<ControlServer>> Create(const std::string& socket_path,
                                                               Answer answer);
  ~ControlServer();

 private:
  ControlServer(std::string path, base::UniqueFd listener, Answer answer);
  void Run();
  void Serve(int socket);

  const std::string path_;
  const base::UniqueFd listener_;
  const Answer answer_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

// Sends the request and waits for the answer, at most a few seconds. NotFound: nobody listens
// there.
absl::StatusOr<v1::ControlReply> AskRun(const std::string& socket_path,
                                        const v1::ControlRequest& request);

}  // namespace flopsprof::agent

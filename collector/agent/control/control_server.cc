// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/control/control_server.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "collector/agent/control/run_control.h"
#include "collector/base/log.h"
#include "collector/base/thread.h"
#include "collector/base/unix_socket.h"

namespace flopsprof::agent {
namespace {

constexpr int kAcceptMs = 500;  // how often the server looks whether it is to stop, unless woken
constexpr int kRequestMs = 1000;
constexpr int kReplyMs = 10000;
constexpr size_t kMaxRequestBytes = 4096;
constexpr size_t kMaxReplyBytes = 256 * 1024;

bool IsReadable(int fd, int timeout_ms) {
  pollfd ready = {fd, POLLIN, 0};
  int result = ::poll(&ready, 1, timeout_ms);
  while (result < 0 && errno == EINTR) result = ::poll(&ready, 1, timeout_ms);
  return result > 0;
}

}  // namespace

absl::StatusOr<std::unique_ptr<ControlServer>> ControlServer::Create(const std::string& socket_path,
                                                                     Answer answer) {
  absl::StatusOr<base::UniqueFd> listener = base::ListenUnix(socket_path);
  if (!listener.ok()) return listener.status();
  std::unique_ptr<ControlServer> server(
      new ControlServer(socket_path, *std::move(listener), std::move(answer)));
  if (!server->thread_.joinable()) {
    return absl::ResourceExhaustedError("the machine allows no further thread");
  }
  return server;
}

ControlServer::ControlServer(std::string path, base::UniqueFd listener, Answer answer)
    : path_(std::move(path)),
      listener_(std::move(listener)),
      answer_(std::move(answer)),
      thread_(base::StartThread([this] { Run(); })) {}

ControlServer::~ControlServer() {
  stop_.store(true, std::memory_order_relaxed);
  ::shutdown(listener_.get(), SHUT_RDWR);  // ends the wait for a connection
  if (thread_.joinable()) thread_.join();
  ::unlink(path_.c_str());
}

void ControlServer::Run() {
  while (!stop_.load(std::memory_order_relaxed)) {
    if (!IsReadable(listener_.get(), kAcceptMs)) continue;
    absl::StatusOr<base::UniqueFd> socket = base::AcceptUnix(listener_.get());
    if (socket.ok() && socket->valid()) Serve(socket->get());
  }
}

void ControlServer::Serve(int socket) {
  const absl::StatusOr<base::PeerCredentials> peer = base::GetPeerCredentials(socket);
  if (!peer.ok() || peer->uid != ::geteuid()) {
    base::Log().info("a control request of another user was not taken");
    return;
  }
  if (!IsReadable(socket, kRequestMs)) return;
  std::vector<char> bytes(kMaxRequestBytes);
  const absl::StatusOr<base::Packet> packet =
      base::ReceivePacket(socket, bytes.data(), bytes.size());
  if (!packet.ok() || packet->bytes == 0) return;
  v1::ControlRequest request;
  v1::ControlReply reply;
  if (packet->truncated || !request.ParseFromArray(bytes.data(), static_cast<int>(packet->bytes))) {
    reply.set_error("not a control request");
  } else if (request.version() != kControlVersion) {
    reply.set_error(absl::StrCat("the run speaks version ", kControlVersion,
                                 " of the control protocol, this flopsprof ", request.version()));
    reply.set_next("use the flopsprof that started the run");
  } else {
    reply = answer_(request);
  }
  const std::string text = reply.SerializeAsString();
  (void)base::SendPacket(socket, text.data(), text.size(), -1);  // it may have gone
}

absl::StatusOr<v1::ControlReply> AskRun(const std::string& socket_path,
                                        const v1::ControlRequest& request) {
  const absl::StatusOr<base::UniqueFd> socket = base::ConnectUnix(socket_path);
  if (!socket.ok()) return absl::NotFoundError(socket.status().message());
  const std::string text = request.SerializeAsString();
  if (const absl::Status sent = base::SendPacket(socket->get(), text.data(), text.size(), -1);
      !sent.ok()) {
    return sent;
  }
  if (!IsReadable(socket->get(), kReplyMs)) {
    return absl::DeadlineExceededError("the run does not answer; its launcher may be stopped");
  }
  std::vector<char> bytes(kMaxReplyBytes);
  const absl::StatusOr<base::Packet> packet =
      base::ReceivePacket(socket->get(), bytes.data(), bytes.size());
  if (!packet.ok()) return packet.status();
  v1::ControlReply reply;
  if (packet->bytes == 0) return absl::NotFoundError("the run has just ended");
  if (packet->truncated || !reply.ParseFromArray(bytes.data(), static_cast<int>(packet->bytes))) {
    return absl::DataLossError("the run's answer cannot be read");
  }
  return reply;
}

}  // namespace flopsprof::agent

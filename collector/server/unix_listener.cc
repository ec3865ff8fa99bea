// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/server/unix_listener.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_replace.h>
#include <grpcpp/server_posix.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

#include "collector/base/status.h"
#include "collector/base/thread.h"
#include "collector/base/unix_socket.h"

namespace flopsprof::server {
namespace {

constexpr int kBacklog = 128;
constexpr int kRetryMs = 100;  // where there is no descriptor left for a connection

}  // namespace

absl::StatusOr<std::unique_ptr<UnixListener>> UnixListener::Create(const std::string& path,
                                                                   grpc::Server* server) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    return absl::InvalidArgumentError(absl::StrCat("the path of a socket is too long: ", path));
  }
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  base::UniqueFd listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  base::UniqueFd stop(::eventfd(0, EFD_CLOEXEC));
  if (!listener.valid() || !stop.valid()) return base::ErrnoStatus("cannot make a socket");
  struct stat info;
  if (::lstat(path.c_str(), &info) == 0 && S_ISSOCK(info.st_mode)) ::unlink(path.c_str());
  // Before it has a name: nobody finds it with another mode.
  if (::fchmod(listener.get(), 0600) != 0 ||
      ::bind(listener.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(listener.get(), kBacklog) != 0) {
    return base::ErrnoStatus(absl::StrCat("cannot listen on unix:", path));
  }
  std::unique_ptr<UnixListener> made(
      new UnixListener(std::move(listener), std::move(stop), server));
  if (made->thread_.joinable()) return made;
  ::unlink(path.c_str());
  return absl::ResourceExhaustedError("the machine allows no further thread");
}

UnixListener::UnixListener(base::UniqueFd listener, base::UniqueFd stop, grpc::Server* server)
    : listener_(std::move(listener)), stop_(std::move(stop)), server_(server) {
  thread_ = base::StartThread([this] { AcceptUntilStopped(); });
}

UnixListener::~UnixListener() {
  const uint64_t one = 1;
  while (::write(stop_.get(), &one, sizeof one) < 0 && errno == EINTR) {
  }
  if (thread_.joinable()) thread_.join();
}

void UnixListener::AcceptUntilStopped() {
  bool may_accept = true;
  while (true) {
    std::array<pollfd, 2> waits = {pollfd{stop_.get(), POLLIN, 0},
                                   pollfd{listener_.get(), POLLIN, 0}};
    ::poll(waits.data(), may_accept ? 2 : 1, may_accept ? -1 : kRetryMs);
    if (waits[0].revents != 0) return;
    const int fd = ::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    may_accept =
        fd >= 0 || (errno != EMFILE && errno != ENFILE && errno != ENOMEM && errno != ENOBUFS);
    if (fd >= 0) grpc::AddInsecureChannelFromFd(server_, fd);
  }
}

std::string PeerName(const std::string& grpc_peer) {
  if (grpc_peer.rfind("fd:", 0) == 0) {
    int fd = -1;
    if (!absl::SimpleAtoi(grpc_peer.substr(3), &fd)) return "";
    const absl::StatusOr<base::PeerCredentials> who = base::GetPeerCredentials(fd);
    return who.ok() ? absl::StrCat("uid:", who->uid) : "";
  }
  // Without the port, which is another one in each connection.
  const std::string address = grpc_peer.substr(0, grpc_peer.rfind(':'));
  return absl::StrReplaceAll(address, {{"%5B", "["}, {"%5D", "]"}});
}

}  // namespace flopsprof::server

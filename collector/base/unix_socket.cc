// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/base/unix_socket.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "collector/base/status.h"

namespace flopsprof::base {
namespace {

constexpr int kBacklog = 128;
constexpr size_t kMaxDescriptors = 4;  // received and closed, so that a peer cannot fill our table

absl::StatusOr<sockaddr_un> Address(const std::string& path) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    return absl::InvalidArgumentError(
        absl::StrCat("socket path is longer than ", sizeof address.sun_path - 1, " bytes: ", path));
  }
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return address;
}

}  // namespace

absl::StatusOr<UniqueFd> ListenUnix(const std::string& path) {
  absl::StatusOr<sockaddr_un> address = Address(path);
  if (!address.ok()) return address.status();
  UniqueFd fd(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd.valid()) return ErrnoStatus("socket");
  struct stat info;
  if (::lstat(path.c_str(), &info) == 0 && S_ISSOCK(info.st_mode)) ::unlink(path.c_str());
  if (::bind(fd.get(), reinterpret_cast<sockaddr*>(&*address), sizeof *address) != 0) {
    return ErrnoStatus(absl::StrCat("bind ", path));
  }
  if (::chmod(path.c_str(), 0600) != 0) return ErrnoStatus(absl::StrCat("chmod ", path));
  if (::listen(fd.get(), kBacklog) != 0) return ErrnoStatus(absl::StrCat("listen ", path));
  return fd;
}

absl::StatusOr<UniqueFd> ConnectUnix(const std::string& path) {
  absl::StatusOr<sockaddr_un> address = Address(path);
  if (!address.ok()) return address.status();
  UniqueFd fd(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  if (!fd.valid()) return ErrnoStatus("socket");
  if (::connect(fd.get(), reinterpret_cast<sockaddr*>(&*address), sizeof *address) != 0) {
    return ErrnoStatus(absl::StrCat("connect ", path));
  }
  return fd;
}

absl::StatusOr<UniqueFd> AcceptUnix(int listener) {
  UniqueFd fd(::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (fd.valid()) return fd;
  const bool none = errno == EAGAIN || errno == ECONNABORTED || errno == EINTR;
  if (none) return UniqueFd();
  return ErrnoStatus("accept");
}

absl::StatusOr<PeerCredentials> GetPeerCredentials(int socket) {
  ucred credentials = {};
  socklen_t bytes = sizeof credentials;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &bytes) != 0) {
    return ErrnoStatus("SO_PEERCRED");
  }
  return PeerCredentials{credentials.pid, credentials.uid};
}

absl::Status SendPacket(int socket, const void* data, size_t bytes, int fd) {
  iovec part = {const_cast<void*>(data), bytes};
  msghdr message = {};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  if (fd >= 0) {
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(header), &fd, sizeof fd);
  }
  const ssize_t sent = ::sendmsg(socket, &message, MSG_NOSIGNAL);
  if (sent < 0) return ErrnoStatus("sendmsg");
  if (static_cast<size_t>(sent) != bytes) return absl::DataLossError("sendmsg: short packet");
  return absl::OkStatus();
}

absl::StatusOr<Packet> ReceivePacket(int socket, void* data, size_t capacity) {
  iovec part = {data, capacity};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * kMaxDescriptors)];
  msghdr message = {};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  const ssize_t got = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  if (got < 0) return ErrnoStatus("recvmsg");
  Packet packet;
  packet.bytes = static_cast<size_t>(got);
  packet.truncated = (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0;
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr;
       header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    const size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; i++) {
      int fd;
      std::memcpy(&fd, CMSG_DATA(header) + i * sizeof fd, sizeof fd);
      UniqueFd owned(fd);
      if (!packet.fd.valid()) packet.fd = std::move(owned);
    }
  }
  return packet;
}

}  // namespace flopsprof::base

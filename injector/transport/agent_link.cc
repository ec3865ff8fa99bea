// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/transport/agent_link.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "injector/base/env_config.h"
#include "injector/base/platform.h"
#include "injector/transport/old_segments.h"
#include "injector/transport/record_sink.h"
#include "injector/transport/segment.h"
#include "proto/shm/handshake.h"

namespace flopsprof::injector {
namespace {

bool FillAddress(const char* path, sockaddr_un* address, socklen_t* length) {
  const size_t bytes = strlen(path);
  if (bytes == 0 || bytes >= sizeof(address->sun_path)) return false;
  memset(address, 0, sizeof(*address));
  address->sun_family = AF_UNIX;
  memcpy(address->sun_path, path, bytes);
  *length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + bytes + 1);
  return true;
}

shm::Hello MakeHello(const AgentLink::Session& session) {
  const Identity who = ResolveIdentity();
  shm::Hello hello{};
  hello.magic = shm::kHelloMagic;
  hello.version = shm::kHandshakeVersion;
  hello.record_bytes = shm::kRecordBytes;
  hello.pid = ProcessId();
  hello.parent_pid = getppid();
  hello.rank = who.rank;
  hello.local_rank = who.local_rank;
  hello.world_size = who.world_size;
  hello.node_rank = who.node_rank;
  hello.restart = who.restart;
  hello.identity_source = static_cast<uint32_t>(who.source);
  hello.start_mono_ns = session.begun_ns;
  hello.image = session.image;
  hello.session = session.number;
  return hello;
}

// Size of the file, or 0 when it cannot be asked. Not fstat: glibc 2.33 gave it a new version.
uint64_t FileBytes(int fd) {
  const off_t end = lseek(fd, 0, SEEK_END);
  return end < 0 ? 0 : static_cast<uint64_t>(end);
}

// 0: not an open descriptor.
uint64_t InodeOf(int fd) {
  struct stat status;
  return ::syscall(SYS_fstat, fd, &status) == 0 ? status.st_ino : 0;
}

// A segment that could shrink under us would be a SIGBUS in somebody else's program.
bool IsSealed(int memfd) {
  constexpr int kWanted = F_SEAL_SHRINK | F_SEAL_GROW;
  const int seals = fcntl(memfd, F_GET_SEALS);
  return seals >= 0 && (seals & kWanted) == kWanted;
}

int TakeDescriptor(const msghdr& message) {
  for (cmsghdr* c = CMSG_FIRSTHDR(&message); c != nullptr;
       c = CMSG_NXTHDR(const_cast<msghdr*>(&message), c)) {
    if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS &&
        c->cmsg_len == CMSG_LEN(sizeof(int))) {
      int fd = -1;
      memcpy(&fd, CMSG_DATA(c), sizeof(fd));
      return fd;
    }
  }
  return -1;
}

}  // namespace

bool AgentLink::Connect(const char* socket_path, const Session& session) {
  sockaddr_un address;
  socklen_t length = 0;
  if (!FillAddress(socket_path, &address, &length)) return false;
  // No descriptor comes and goes in the program while there is nothing to connect to.
  if (::access(socket_path, F_OK) != 0) return false;
  int made = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (made < 0) return false;
  // A program that has closed one of its first three is about to open there what it wants.
  if (made <= STDERR_FILENO) {
    const int higher = fcntl(made, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    ::close(made);
    made = higher;
    if (made < 0) return false;
  }
  inode_ = InodeOf(made);  // first: the child of a fork in between closes what is ours
  socket_ = made;
  const shm::Hello hello = MakeHello(session);
  // Non-blocking: a full backlog of a stuck agent is "no agent", not a wait.
  if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), length) != 0 ||
      ::send(socket_, &hello, sizeof(hello), MSG_NOSIGNAL) != static_cast<ssize_t>(sizeof(hello))) {
    Close();
    return false;
  }
  return true;
}

AgentLink::Result AgentLink::AwaitSegment(uint64_t timeout_ns) {
  const uint64_t deadline_ns = MonoNs() + timeout_ns;
  for (;;) {
    const uint64_t now_ns = MonoNs();
    const uint64_t left_ns = deadline_ns > now_ns ? deadline_ns - now_ns : 0;
    pollfd ready{socket_, POLLIN, 0};
    const int count = ::poll(&ready, 1, static_cast<int>((left_ns + 999999) / 1000000));
    if (count == 0) return Result::kNotYet;
    if (count > 0) break;
    if (errno != EINTR) return Result::kRefused;
  }
  shm::Welcome welcome{};
  iovec part{&welcome, sizeof(welcome)};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof(control);
  const ssize_t received = ::recvmsg(socket_, &message, MSG_CMSG_CLOEXEC);
  if (received == 0 || (received < 0 && errno != EAGAIN && errno != EINTR)) return Result::kGone;
  if (received < 0) return Result::kNotYet;
  const int memfd = TakeDescriptor(message);
  const bool welcomed = received == static_cast<ssize_t>(sizeof(welcome)) &&
                        welcome.magic == shm::kWelcomeMagic &&
                        welcome.version == shm::kHandshakeVersion && welcome.accepted == 1;
  Result result = Result::kRefused;
  if (welcomed && memfd >= 0) {
    options_ = welcome.options;
    stacks_per_second_ = welcome.stacks_per_second;
    result = MapSegment(memfd, welcome.segment_bytes);
  }
  if (memfd >= 0) ::close(memfd);  // the mapping stays
  return result;
}

AgentLink::Result AgentLink::MapSegment(int memfd, uint64_t bytes) {
  if (!IsSealed(memfd) || bytes < shm::kSegmentHeaderBytes || FileBytes(memfd) != bytes) {
    return Result::kRefused;
  }
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memfd, 0);
  if (memory == MAP_FAILED) return Result::kRefused;
  const auto* header = static_cast<const shm::SegmentHeader*>(memory);
  SlotPlaces slots{};
  if (!ReadSlotPlaces(header, bytes, &slots)) {
    ::munmap(memory, bytes);
    return Result::kRefused;
  }
  if (void* const place = TakeOldAddress(bytes)) {
    // In one step: a thread that writes there late finds the old memory or the new. Where it is
    // refused the new segment stays where it is.
    void* const moved =
        ::mmap(place, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, memfd, 0);
    if (moved == place) {
      ::munmap(memory, bytes);
      memory = place;
    }
  }
  segment_ = static_cast<shm::SegmentHeader*>(memory);
  segment_bytes_ = bytes;
  slots_ = slots;
  return Result::kReady;
}

bool AgentLink::AgentHasGone() {
  if (!SocketIsOurs()) return true;
  char byte;
  const ssize_t received = ::recv(socket_, &byte, sizeof(byte), MSG_DONTWAIT | MSG_PEEK);
  if (received == 0) return true;
  if (received > 0) {  // nothing is expected: drop it
    ::recv(socket_, &byte, sizeof(byte), MSG_DONTWAIT);
    return false;
  }
  return errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR;
}

// A program that closes all descriptors, as daemons do, closes ours and may then use its number.
bool AgentLink::SocketIsOurs() const {
  return socket_ >= 0 && inode_ != 0 && InodeOf(socket_) == inode_;
}

void AgentLink::Close() {
  if (SocketIsOurs()) ::close(socket_);
  socket_ = -1;
}

}  // namespace flopsprof::injector

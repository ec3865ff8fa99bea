// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/processes/agent_server.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <utility>

#include "absl/strings/str_cat.h"
#include "collector/base/clock.h"
#include "collector/base/log.h"
#include "collector/base/status.h"
#include "collector/base/unix_socket.h"

namespace flopsprof::agent {
namespace {

constexpr absl::Duration kHelloTimeout = absl::Seconds(5);
// From the end of the socket to the end of the process: exit closes descriptors first.
constexpr absl::Duration kExitTimeout = absl::Seconds(1);
constexpr size_t kMaxStrangers = 256;  // connections that have not said Hello
constexpr int kMaxAncestors = 32;      // parents of parents that are asked for

int64_t StartUtcNs(const shm::Hello& hello) {
  const base::Clock& clock = base::Clock::Real();
  const uint64_t now = clock.MonoNs();
  const bool plausible = hello.start_mono_ns != 0 && hello.start_mono_ns <= now;
  return clock.UtcNs() - (plausible ? static_cast<int64_t>(now - hello.start_mono_ns) : 0);
}

// Which file it is: a number is used again for the next one.
uint64_t FileOf(const struct stat& info) {
  const auto ns = static_cast<uint64_t>(info.st_ctim.tv_sec) * 1'000'000'000 +
                  static_cast<uint64_t>(info.st_ctim.tv_nsec);
  return info.st_ino ^ ns << 16;
}

std::string ExecutableOf(pid_t pid) {
  char path[4096];
  const ssize_t bytes = ::readlink(absl::StrCat("/proc/", pid, "/exe").c_str(), path, sizeof path);
  return bytes > 0 ? std::string(path, static_cast<size_t>(bytes)) : "";
}

// Before the process sees it: with what it begins.
void PrepareHeader(bool paused, shm::SegmentHeader* header) {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  header->controlled.store(1, kRelaxed);
  header->step.store(shm::kNoStep, kRelaxed);
  if (paused) {
    header->recording.store(static_cast<uint32_t>(shm::Recording::kPaused), kRelaxed);
    return;
  }
  // CUPTI is started with the session, and not again when it is given up.
  header->times_wanted.store(1, kRelaxed);
  header->times_answer.store(1, kRelaxed);
  header->steps_wanted.store(shm::PackSteps({0, shm::kNoEnd}), kRelaxed);
}

}  // namespace

absl::StatusOr<std::unique_ptr<AgentServer>> AgentServer::Create(Options options) {
  std::unique_ptr<AgentServer> server(new AgentServer(std::move(options)));
  FLOPSPROF_RETURN_IF_ERROR(server->Listen());
  return server;
}

absl::Status AgentServer::Listen() {
  const std::string folder = std::filesystem::path(options_.socket_path).parent_path();
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    return base::ErrnoStatus(absl::StrCat("mkdir ", folder));
  }
  struct stat info;
  if (::stat(folder.c_str(), &info) != 0) return base::ErrnoStatus(absl::StrCat("stat ", folder));
  if (info.st_uid != ::geteuid() || (info.st_mode & 077) != 0) {
    return absl::PermissionDeniedError(
        absl::StrCat(folder, " must be yours alone (mode 0700): it holds the agent's socket"));
  }
  absl::StatusOr<base::UniqueFd> listener = base::ListenUnix(options_.socket_path);
  if (!listener.ok()) return listener.status();
  listener_ = std::move(*listener);
  if (::lstat(options_.socket_path.c_str(), &info) == 0) socket_file_ = FileOf(info);
  return absl::OkStatus();
}

AgentServer::~AgentServer() {
  // Another agent may have taken the path over.
  struct stat info;
  const bool ours = listener_.valid() && ::lstat(options_.socket_path.c_str(), &info) == 0 &&
                    FileOf(info) == socket_file_;
  if (ours) ::unlink(options_.socket_path.c_str());
}

size_t AgentServer::running_count() const {
  return static_cast<size_t>(
      std::count_if(connections_.begin(), connections_.end(),
                    [](const auto& connection) { return connection->watch != nullptr; }));
}

void AgentServer::Poll(absl::Duration timeout) {
  std::vector<pollfd> ready = {{listener_.get(), POLLIN, 0}};
  bool waits_for_exit = false;
  for (const auto& connection : connections_) {
    ready.push_back({connection->socket_open ? connection->socket.get() : -1, POLLIN, 0});
    ready.push_back({connection->watch != nullptr ? connection->watch->fd() : -1, POLLIN, 0});
    waits_for_exit = waits_for_exit || !connection->socket_open;
  }
  // An exiting process is waited for by looking often: its parent takes the status away soon.
  const auto limit = waits_for_exit ? std::min(timeout, absl::Milliseconds(1)) : timeout;
  ::poll(ready.data(), ready.size(), static_cast<int>(absl::ToInt64Milliseconds(limit)));

  const size_t count = connections_.size();
  for (size_t i = 0; i < count; i++) {
    Connection* connection = connections_[i].get();
    if (ready[2 * i + 2].revents != 0) CheckEnd(connection);
    if (!connection->ended && ready[2 * i + 1].revents != 0) OnSocketReadable(connection);
    if (!connection->ended && !connection->socket_open) CheckEnd(connection);
    const bool silent = connection->watch == nullptr && !connection->ended &&
                        absl::Now() - connection->since > kHelloTimeout;
    if (silent) Refuse(connection, "no hello");
  }
  AcceptAll();
  std::erase_if(connections_, [](const auto& connection) { return connection->ended; });
}

void AgentServer::AcceptAll() {
  for (size_t i = 0; i < kMaxStrangers; i++) {
    absl::StatusOr<base::UniqueFd> socket = base::AcceptUnix(listener_.get());
    if (!socket.ok() || !socket->valid()) return;
    const auto strangers = connections_.size() - running_count();
    auto connection = std::make_unique<Connection>();
    connection->id = next_id_++;
    connection->socket = std::move(*socket);
    connection->since = absl::Now();
    if (strangers >= kMaxStrangers) {
      Refuse(connection.get(), "too many connections");
      continue;
    }
    connections_.push_back(std::move(connection));
  }
}

void AgentServer::OnSocketReadable(Connection* connection) {
  // One byte more than a Hello, to see a longer one.
  char bytes[sizeof(shm::Hello) + 1];
  absl::StatusOr<base::Packet> packet =
      base::ReceivePacket(connection->socket.get(), bytes, sizeof bytes);
  const bool closed = !packet.ok() || packet->bytes == 0;
  if (connection->watch != nullptr) {
    // After the handshake nothing but the end is expected; anything else is ignored.
    if (closed && (packet.ok() || !absl::IsUnavailable(packet.status()))) {
      connection->socket_open = false;
      connection->since = absl::Now();
    }
    return;
  }
  if (closed) {
    connection->ended = true;
    return;
  }
  const absl::StatusOr<base::PeerCredentials> peer =
      base::GetPeerCredentials(connection->socket.get());
  if (!peer.ok() || peer->uid != ::geteuid()) return Refuse(connection, "another user");
  if (peer->pid <= 0) return Refuse(connection, "process outside of the agent's pid namespace");
  if (packet->bytes != sizeof(shm::Hello)) return Refuse(connection, "not a hello");
  shm::Hello hello;
  std::memcpy(&hello, bytes, sizeof hello);
  OnHello(connection, hello, peer->pid);
}

void AgentServer::OnHello(Connection* connection, const shm::Hello& hello, pid_t pid) {
  if (hello.magic != shm::kHelloMagic) return Refuse(connection, "not a hello");
  if (hello.version != shm::kHandshakeVersion || hello.record_bytes != shm::kRecordBytes) {
    return Refuse(connection, absl::StrCat("version ", hello.version, ", the agent has ",
                                           shm::kHandshakeVersion));
  }
  if (running_count() >= options_.max_processes) return Refuse(connection, "too many processes");
  absl::StatusOr<Segment> segment = Segment::Create(options_.segment);
  if (!segment.ok()) return Refuse(connection, std::string(segment.status().message()));

  PrepareHeader(options_.pause && options_.pause(), &segment->header());

  shm::Welcome welcome = {};
  welcome.magic = shm::kWelcomeMagic;
  welcome.version = shm::kHandshakeVersion;
  welcome.accepted = 1;
  welcome.segment_bytes = segment->bytes();
  welcome.options = options_.welcome_options;
  welcome.stacks_per_second = options_.stacks_per_second;
  welcome.epoch = epochs_.Next();
  // Now: the process waits for this answer, and may have ended when its first stack is read.
  const std::string executable = ExecutableOf(pid);
  const absl::Status sent =
      base::SendPacket(connection->socket.get(), &welcome, sizeof welcome, segment->fd());
  if (!sent.ok()) return Refuse(connection, std::string(sent.message()));

  const std::optional<ProcessStatus> status = ReadProcessStatus(pid);
  connection->watch = std::make_unique<ProcessWatch>(pid);
  connection->pid = pid;
  v1::ProcessInfo info;
  info.set_rank(hello.rank);
  info.set_local_rank(hello.local_rank);
  info.set_world_size(hello.world_size);
  info.set_node_rank(hello.node_rank);
  info.set_restart(hello.restart);
  info.set_identity_source(hello.identity_source);
  info.set_parent_pid(hello.parent_pid);
  info.set_command(ReadCommandLine(pid));
  info.set_start_utc_ns(StartUtcNs(hello));
  const uint64_t start_ticks = status.has_value() ? status->start_ticks : 0;
  options_.on_process({.id = connection->id,
                       .segment = std::move(*segment),
                       .key = MakeKey(pid, start_ticks, hello.image),
                       .epoch = MakeEpoch(hello, welcome.epoch),
                       .info = std::move(info),
                       .executable = executable,
                       .ancestor_pid = AncestorOf(pid)});
}

v1::EpochRow AgentServer::MakeEpoch(const shm::Hello& hello, uint64_t number) const {
  const base::Clock& clock = base::Clock::Real();
  v1::EpochRow epoch;
  epoch.set_epoch(number);
  epoch.set_session(std::max(hello.session, 1u));
  epoch.set_begin_mono_ns(clock.MonoNs());
  epoch.set_begin_utc_ns(clock.UtcNs());
  epoch.set_boot(epochs_.boot());
  epoch.set_rank(hello.rank);
  epoch.set_world_size(hello.world_size);
  epoch.set_restart(hello.restart);
  return epoch;
}

pid_t AgentServer::AncestorOf(pid_t pid) const {
  bool below_us = pid == ::getpid();
  for (int i = 0; i < kMaxAncestors && pid > 1; ++i) {
    pid = ReadParent(pid);
    below_us = below_us || pid == ::getpid();
    for (const auto& connection : connections_) {
      if (pid > 1 && connection->watch != nullptr && connection->pid == pid) return pid;
    }
  }
  return pid == 1 && !below_us ? -1 : 0;
}

v1::ProcessKey AgentServer::MakeKey(pid_t pid, uint64_t start_ticks, uint64_t image) const {
  v1::ProcessKey key;
  key.set_node(options_.node);
  key.set_pid(pid);
  key.set_start_ticks(start_ticks);
  key.set_image(epochs_.ImageOf(image));
  return key;
}

void AgentServer::Refuse(Connection* connection, const std::string& reason) {
  refused_count_++;
  shm::Welcome welcome = {};
  welcome.magic = shm::kWelcomeMagic;
  welcome.version = shm::kHandshakeVersion;
  std::strncpy(welcome.reason, reason.c_str(), sizeof welcome.reason - 1);
  (void)base::SendPacket(connection->socket.get(), &welcome, sizeof welcome, -1);
  base::Log().info("a process was not taken: {}", reason);
  connection->ended = true;
}

void AgentServer::CheckEnd(Connection* connection) {
  std::optional<ProcessEnd> end = connection->watch->Poll();
  if (!end.has_value()) {
    // It closed its socket and lives on: it was detached, or runs another program now.
    if (connection->socket_open || absl::Now() - connection->since < kExitTimeout) return;
    end = ProcessEnd();
  }
  end->heard_out = true;
  connection->ended = true;
  options_.on_end(connection->id, *end);
}

}  // namespace flopsprof::agent

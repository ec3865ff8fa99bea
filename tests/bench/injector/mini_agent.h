// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What benchmarks of the injector share: the program is its own agent. The parent serves the socket
// and reads the rings, the child runs with the injector preloaded and measures.

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "proto/shm/handshake.h"
#include "proto/shm/ring_layout.h"
#include "tests/support/injector/segment_memory.h"

namespace bench {

namespace shm = flopsprof::shm;

constexpr int kCallsPerBlock = 2000;
constexpr uint32_t kSlots = 8;
constexpr uint32_t kRecords = 65536;

inline double NowNs() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

template <class F>
double Block(F operation) {
  const double begin = NowNs();
  for (int i = 0; i < kCallsPerBlock; ++i) operation();
  return (NowNs() - begin) / kCallsPerBlock;
}

inline double Median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<long>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

class MiniAgent {
 public:
  explicit MiniAgent(const std::string& path) {
    socket_ = ::socket(AF_UNIX, SOCK_SEQPACKET, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    strncpy(address.sun_path, path.c_str(), sizeof(address.sun_path) - 1);
    if (bind(socket_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0) abort();
    listen(socket_, 4);
    bytes_ = shm::SegmentBytes(kSlots, kRecords);
    memfd_ = memfd_create("flopsprof_bench", MFD_ALLOW_SEALING);
    if (ftruncate(memfd_, static_cast<off_t>(bytes_)) != 0) abort();
    fcntl(memfd_, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW);
    void* memory =
        mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, memfd_, 0);
    header_ = flopsprof::test::MakeSegment(memory, kSlots, kRecords);
  }

  void Welcome() {
    const timeval patience{30, 0};
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    connection_ = accept(socket_, nullptr, nullptr);
    shm::Hello hello;
    if (recv(connection_, &hello, sizeof(hello), 0) != sizeof(hello)) abort();
    shm::Welcome welcome{};
    welcome.magic = shm::kWelcomeMagic;
    welcome.version = shm::kHandshakeVersion;
    welcome.accepted = 1;
    welcome.segment_bytes = bytes_;
    welcome.options = shm::kOptionModules;
    iovec part{&welcome, sizeof(welcome)};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof(control);
    cmsghdr* rights = CMSG_FIRSTHDR(&message);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(rights), &memfd_, sizeof(memfd_));
    sendmsg(connection_, &message, 0);
  }

  // Before Welcome().
  void Record(shm::Recording what) { header_->recording = static_cast<uint32_t>(what); }

  // Copies every record out, as an agent does.
  void Drain() {
    for (uint32_t i = 0; i < kSlots; ++i) {
      flopsprof::test::TakeRecords(header_, i, [this](const uint8_t* record) {
        memcpy(sink_, record, sizeof(sink_));
        ++read_;
      });
    }
  }

  uint64_t read() const { return read_; }
  uint64_t lost() const { return flopsprof::test::LossOf(header_, shm::LossCounter::kRingFull); }

 private:
  int socket_ = -1;
  int connection_ = -1;
  int memfd_ = -1;
  uint64_t bytes_ = 0;
  shm::SegmentHeader* header_ = nullptr;
  uint8_t sink_[shm::kRecordBytes];
  uint64_t read_ = 0;
};

// kPaused: as between windows of `flopsprof ctl`.
inline int ServeChild(char** argv, const std::string& injector,
                      shm::Recording recording = shm::Recording::kWork) {
  char folder[] = "/tmp/flopsprof_benchXXXXXX";
  if (mkdtemp(folder) == nullptr) return 1;
  const std::string path = std::string(folder) + "/s";
  MiniAgent agent(path);
  agent.Record(recording);
  const pid_t child = fork();
  if (child == 0) {
    setenv("LD_PRELOAD", injector.c_str(), 1);
    setenv("FLOPSPROF_SOCKET", path.c_str(), 1);
    setenv("FLOPSPROF_CONNECT_TIMEOUT_MS", "10000", 1);  // valgrind is slow
    setenv("HOOK_BENCH_CHILD", "1", 1);
    execv(argv[0], argv);  // not /proc/self/exe: under valgrind that is valgrind
    _exit(127);
  }
  agent.Welcome();
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    agent.Drain();
    usleep(200);
  }
  agent.Drain();
  printf("records read %lu, lost %lu\n", agent.read(), agent.lost());
  unlink(path.c_str());
  rmdir(folder);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

}  // namespace bench

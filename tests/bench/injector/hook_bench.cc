// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// What a hooked cublasSgemm_v2 and a range cost the program, record written and read included.
//
// hook_bench INJECTOR [blocks]      prints medians in ns, per operation
// hook_bench INJECTOR --calls N     makes N hooked calls with a range each and nothing else: for
//                                   callgrind, with --trace-children=yes
//
// The program is its own agent: the parent serves the socket and reads the rings, the child runs
// with the injector preloaded and measures. Blocks of hooked and direct calls alternate, so that
// the difference is not the machine's mood.

#include <dlfcn.h>
#include <fcntl.h>
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

#ifdef FLOPSPROF_BENCH_LTTNG
#include "lttng_event.h"
#endif

namespace shm = flopsprof::shm;

extern "C" int cublasSgemm_v2(void*, int, int, int, int, int, const float*, const float*, int,
                              const float*, int, const float*, float*, int);

extern "C" int cudnnBackendExecute(void*, void*, void*);

namespace {

using Execute = decltype(&cudnnBackendExecute);
using Gemm = decltype(&cublasSgemm_v2);
using Push = void (*)(const char*);
using Pop = void (*)();

constexpr int kCallsPerBlock = 2000;
constexpr uint32_t kSlots = 8;
constexpr uint32_t kRecords = 65536;

double NowNs() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

void CallOnce(Gemm gemm) {
  static const float alpha = 2.0f;
  static const float beta = 3.0f;
  gemm(reinterpret_cast<void*>(1), 0, 1, 128, 64, 32, &alpha, nullptr, 101, nullptr, 102, &beta,
       nullptr, 103);
}

template <class F>
double Block(F operation) {
  const double begin = NowNs();
  for (int i = 0; i < kCallsPerBlock; ++i) operation();
  return (NowNs() - begin) / kCallsPerBlock;
}

double Median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<long>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

void ExecuteOnce(Execute execute) {
  execute(reinterpret_cast<void*>(1), reinterpret_cast<void*>(64), reinterpret_cast<void*>(1));
}

// What an execution of a plan costs once the plan is known.
void MeasureCudnn(int blocks) {
  void* library = dlopen("libcudnn.so.9", RTLD_NOLOAD | RTLD_LAZY);
  const Execute direct = *static_cast<Execute*>(dlsym(library, "cudnn_execute_unhooked"));
  std::vector<double> hook_ns;
  Block([] { ExecuteOnce(&cudnnBackendExecute); });
  for (int i = 0; i < blocks; ++i) {
    const double direct_ns = Block([&] { ExecuteOnce(direct); });
    hook_ns.push_back(Block([] { ExecuteOnce(&cudnnBackendExecute); }) - direct_ns);
    usleep(2000);  // as below
  }
  printf("cuDNN: hook and record       %7.1f ns\n", Median(hook_ns));
}

int Measure(int blocks) {
  const auto push = reinterpret_cast<Push>(dlsym(RTLD_DEFAULT, "flopsprof_push"));
  const auto pop = reinterpret_cast<Pop>(dlsym(RTLD_DEFAULT, "flopsprof_pop"));
  void* library = dlopen("libcublas.so.13", RTLD_NOLOAD | RTLD_LAZY);
  const auto* const unhooked = static_cast<Gemm*>(dlsym(library, "cublas_gemm_unhooked"));
  const Gemm direct = unhooked == nullptr ? nullptr : *unhooked;
  const Gemm hooked = &cublasSgemm_v2;
  if (direct == nullptr || direct == hooked || push == nullptr) {
    fprintf(stderr, "hook_bench: the injector is not loaded\n");
    return 1;
  }
  const auto with_range = [&] {
    push("attention.forward.layer_07");
    CallOnce(hooked);
    pop();
  };
  Block(with_range);  // the session begins, pages are touched
  std::vector<double> direct_ns, hooked_ns, range_ns, whole_ns, event_ns;
  for (int i = 0; i < blocks; ++i) {
    direct_ns.push_back(Block([&] { CallOnce(direct); }));
    hooked_ns.push_back(Block([&] { CallOnce(hooked); }) - direct_ns.back());
    range_ns.push_back(Block([&] {
      push("attention.forward.layer_07");
      pop();
    }));
    whole_ns.push_back(Block(with_range) - direct_ns.back());
#ifdef FLOPSPROF_BENCH_LTTNG
    if (LttngEventIsEnabled()) event_ns.push_back(Block([] { EmitLttngEvent(); }));
#endif
    usleep(2000);  // the reader catches up: a full ring would measure the wrong thing
  }
  printf("call without hook            %7.1f ns\n", Median(direct_ns));
  printf("hook and record              %7.1f ns\n", Median(hooked_ns));
  printf("range push, pop and record   %7.1f ns\n", Median(range_ns));
  printf("range, hook and records      %7.1f ns\n", Median(whole_ns));
  MeasureCudnn(blocks);
  if (!event_ns.empty()) {
    printf("one LTTng-UST event          %7.1f ns\n", Median(event_ns));
    printf("ratio to the event           %7.2f\n", Median(whole_ns) / Median(event_ns));
  }
  return 0;
}

int MakeCalls(long count) {
  const auto push = reinterpret_cast<Push>(dlsym(RTLD_DEFAULT, "flopsprof_push"));
  const auto pop = reinterpret_cast<Pop>(dlsym(RTLD_DEFAULT, "flopsprof_pop"));
  if (push == nullptr) return 1;
  for (long i = 0; i < count; ++i) {
    push("attention.forward.layer_07");
    CallOnce(&cublasSgemm_v2);
    pop();
  }
  return 0;
}

// ---- the agent's side ------------------------------------------------------------------------

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
    memfd_ = memfd_create("hook_bench", MFD_ALLOW_SEALING);
    if (ftruncate(memfd_, static_cast<off_t>(bytes_)) != 0) abort();
    fcntl(memfd_, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW);
    memory_ = static_cast<uint8_t*>(
        mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, memfd_, 0));
    auto* header = reinterpret_cast<shm::SegmentHeader*>(memory_);
    header->magic = shm::kSegmentMagic;
    header->version = shm::kSegmentVersion;
    header->record_bytes = shm::kRecordBytes;
    header->slot_count = kSlots;
    header->ring_records = kRecords;
    header->slot_stride = shm::SlotStride(kRecords);
    header->first_slot = shm::kSegmentHeaderBytes;
    header->recording.store(1);
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

  // Copies every record out, as an agent does.
  void Drain() {
    for (uint32_t i = 0; i < kSlots; ++i) {
      uint8_t* base = memory_ + shm::kSegmentHeaderBytes + i * shm::SlotStride(kRecords);
      auto* slot = reinterpret_cast<shm::SlotHeader*>(base);
      const uint64_t head = slot->head.load(std::memory_order_acquire);
      uint64_t tail = slot->tail.load(std::memory_order_relaxed);
      for (; tail < head; ++tail) {
        memcpy(sink_, base + shm::kSlotHeaderBytes + tail % kRecords * shm::kRecordBytes,
               sizeof(sink_));
        ++read_;
      }
      slot->tail.store(tail, std::memory_order_release);
    }
  }

  uint64_t read() const { return read_; }
  uint64_t lost() const {
    const auto* header = reinterpret_cast<const shm::SegmentHeader*>(memory_);
    return header->loss[static_cast<uint32_t>(shm::LossCounter::kRingFull)].load();
  }

 private:
  int socket_ = -1;
  int connection_ = -1;
  int memfd_ = -1;
  uint64_t bytes_ = 0;
  uint8_t* memory_ = nullptr;
  uint8_t sink_[shm::kRecordBytes];
  uint64_t read_ = 0;
};

int ServeChild(char** argv, const std::string& injector) {
  char folder[] = "/tmp/hook_benchXXXXXX";
  if (mkdtemp(folder) == nullptr) return 1;
  const std::string path = std::string(folder) + "/s";
  MiniAgent agent(path);
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

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: hook_bench INJECTOR [BLOCKS | --calls N]\n");
    return 2;
  }
  if (getenv("HOOK_BENCH_CHILD") == nullptr) return ServeChild(argv, argv[1]);
  if (argc == 4 && strcmp(argv[2], "--calls") == 0) return MakeCalls(atol(argv[3]));
  return Measure(argc > 2 ? atoi(argv[2]) : 301);
}

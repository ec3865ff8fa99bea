// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "rendezvous.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace sim::nccl {
namespace {

constexpr uint32_t kMessages = 32;

uint64_t MonotonicMs() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000 + static_cast<uint64_t>(now.tv_nsec) / 1000000;
}

uint64_t TimeoutMs() {
  static const uint64_t timeout = [] {
    const char* text = std::getenv("SIMGPU_NCCL_TIMEOUT_MS");
    char* end = nullptr;
    const long value = text != nullptr ? std::strtol(text, &end, 10) : -1;
    return static_cast<uint64_t>(value >= 0 && end != text ? value : 30000);
  }();
  return timeout;
}

void SleepUntilChange(std::atomic<uint32_t>* word, uint32_t seen) {
  // Short, because a peer may also end without a word.
  constexpr timespec kSlice = {0, 20'000'000};
  syscall(SYS_futex, reinterpret_cast<uint32_t*>(word), FUTEX_WAIT, seen, &kSlice, nullptr, 0);
}

void WakeAll(std::atomic<uint32_t>* word) {
  word->fetch_add(1, std::memory_order_release);
  syscall(SYS_futex, reinterpret_cast<uint32_t*>(word), FUTEX_WAKE, 1 << 30, nullptr, nullptr, 0);
}

bool IsGone(int32_t pid) { return pid > 0 && kill(pid, 0) != 0 && errno == ESRCH; }

bool HasRoom(int file, size_t bytes) {
  struct statvfs system;
  return fstatvfs(file, &system) != 0 || system.f_bavail * system.f_frsize > bytes;
}

}  // namespace

// Zeroed shared memory; fixed-width lock-free members only.
struct Rendezvous::Segment {
  std::atomic<uint32_t> changes;  // futex: anything new for anybody
  std::atomic<uint32_t> attached;
  std::atomic<uint32_t> over;
  std::atomic<int32_t> pids[kMaxRanks];
};

// Steps alternate between two slots. A rank publishes step n+2 only after all have published
// n+1, and each does so only after reading n: the slot of n is free by then.
struct Rendezvous::Slot {
  std::atomic<uint64_t> step;  // release; pairs with the acquire in Wait
  Arrival arrival;
  alignas(64) char data[kChunkBytes];
};

struct Rendezvous::Mailbox {
  struct Message {
    Arrival arrival;
    uint64_t bytes;  // of the message; more than kMessageBytes: without data
    char data[kMessageBytes];
  };
  std::atomic<uint32_t> written;  // release by the sender, acquire by the receiver
  std::atomic<uint32_t> read;     // release by the receiver, acquire by the sender
  Message messages[kMessages];
};

Rendezvous::Rendezvous(Segment* segment, size_t bytes, int ranks, int rank)
    : segment_(segment), bytes_(bytes), ranks_(ranks), rank_(rank) {}

std::unique_ptr<Rendezvous> Rendezvous::Join(const std::string& key, int ranks, int rank) {
  if (ranks < 1 || ranks > kMaxRanks || rank < 0 || rank >= ranks) return nullptr;
  const size_t bytes = sizeof(Segment) + 64 + static_cast<size_t>(ranks) * 2 * sizeof(Slot) +
                       static_cast<size_t>(ranks) * ranks * sizeof(Mailbox);
  const std::string name = "/simgpu-nccl-" + key;
  const int file = shm_open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  void* memory = MAP_FAILED;
  if (file >= 0 && HasRoom(file, bytes) && ftruncate(file, static_cast<off_t>(bytes)) == 0) {
    memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
  }
  if (file >= 0) close(file);
  if (memory == MAP_FAILED) {
    std::fprintf(stderr, "[sim] nccl: no %zu bytes of shared memory: rank %d is alone\n", bytes,
                 rank);
    return nullptr;
  }
  std::unique_ptr<Rendezvous> joined(
      new Rendezvous(static_cast<Segment*>(memory), bytes, ranks, rank));
  Segment* segment = joined->segment_;
  segment->pids[rank].store(getpid());
  segment->attached.fetch_add(1);
  joined->Wake();
  const bool complete = joined->WaitFor(-1, "to join", [segment, ranks] {
    return segment->attached.load() >= static_cast<uint32_t>(ranks);
  });
  // Nobody else needs the name: all are there, or nobody shall come any more.
  if (rank == 0 || !complete) shm_unlink(name.c_str());
  return complete ? std::move(joined) : nullptr;
}

Rendezvous::~Rendezvous() { munmap(segment_, bytes_); }

bool Rendezvous::over() const { return segment_->over.load(std::memory_order_relaxed) != 0; }

void Rendezvous::ReportMismatch() {
  if (mismatch_reported_) return;
  mismatch_reported_ = true;
  std::fprintf(stderr, "[sim] nccl: ranks make different calls at the same place: no data\n");
}

Rendezvous::Slot* Rendezvous::SlotOf(int rank) const {
  auto* base = reinterpret_cast<char*>(segment_) + (sizeof(Segment) + 63) / 64 * 64;
  return reinterpret_cast<Slot*>(base) + 2 * rank + (step_ & 1);
}

Rendezvous::Mailbox* Rendezvous::MailboxOf(int from, int to) const {
  auto* base = reinterpret_cast<char*>(segment_) + (sizeof(Segment) + 63) / 64 * 64;
  auto* boxes = reinterpret_cast<Mailbox*>(reinterpret_cast<Slot*>(base) + 2 * ranks_);
  return boxes + from * ranks_ + to;
}

void Rendezvous::Wake() { WakeAll(&segment_->changes); }

void Rendezvous::End(const char* what, int peer, const char* reason) {
  if (segment_->over.exchange(1) == 0) {
    std::fprintf(stderr, "[sim] nccl: rank %d waited %s (rank %d): %s; every rank goes on alone\n",
                 rank_, what, peer, reason);
  }
  Wake();
}

template <class Done>
bool Rendezvous::WaitFor(int peer, const char* what, const Done& done) {
  const uint64_t begin = MonotonicMs();
  while (!done()) {
    if (over()) return false;
    const uint32_t seen = segment_->changes.load(std::memory_order_acquire);
    if (done()) break;
    SleepUntilChange(&segment_->changes, seen);
    if (peer >= 0 && IsGone(segment_->pids[peer].load()) && !done()) {
      End(what, peer, "its process is gone");
      return false;
    }
    if (MonotonicMs() - begin > TimeoutMs()) {
      End(what, peer, "timed out");
      return false;
    }
  }
  return true;
}

char* Rendezvous::MyData() {
  step_++;
  char* data = SlotOf(rank_)->data;
  step_--;
  return data;
}

void Rendezvous::Publish(const Arrival& arrival) {
  step_++;
  Slot* slot = SlotOf(rank_);
  slot->arrival = arrival;
  slot->step.store(step_, std::memory_order_release);
  Wake();
}

bool Rendezvous::Wait() {
  for (int rank = 0; rank < ranks_; rank++) {
    Slot* slot = SlotOf(rank);
    const bool there = WaitFor(rank, "in a collective", [this, slot] {
      return slot->step.load(std::memory_order_acquire) == step_;
    });
    if (!there) return false;
  }
  return true;
}

const char* Rendezvous::DataOf(int rank) const { return SlotOf(rank)->data; }

Arrival Rendezvous::ArrivalOf(int rank) const { return SlotOf(rank)->arrival; }

bool Rendezvous::Send(int peer, const Arrival& arrival, const void* data, size_t bytes) {
  Mailbox* box = MailboxOf(rank_, peer);
  const uint32_t written = box->written.load(std::memory_order_relaxed);
  const bool room = WaitFor(peer, "for room in a mailbox", [box, written] {
    return written - box->read.load(std::memory_order_acquire) < kMessages;
  });
  if (!room) return false;
  Mailbox::Message& message = box->messages[written % kMessages];
  message.arrival = arrival;
  message.bytes = bytes;
  if (bytes <= kMessageBytes) std::memcpy(message.data, data, bytes);
  box->written.store(written + 1, std::memory_order_release);
  Wake();
  return true;
}

bool Rendezvous::Receive(int peer, Arrival* arrival, void* data, size_t bytes) {
  Mailbox* box = MailboxOf(peer, rank_);
  const uint32_t read = box->read.load(std::memory_order_relaxed);
  const bool there = WaitFor(peer, "for a message", [box, read] {
    return box->written.load(std::memory_order_acquire) != read;
  });
  if (!there) return false;
  const Mailbox::Message& message = box->messages[read % kMessages];
  *arrival = message.arrival;
  if (message.bytes != bytes) {
    ReportMismatch();
  } else if (bytes <= kMessageBytes) {
    std::memcpy(data, message.data, bytes);
  }
  box->read.store(read + 1, std::memory_order_release);
  Wake();
  return true;
}

}  // namespace sim::nccl

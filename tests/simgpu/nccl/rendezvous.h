// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace sim::nccl {

// What one rank shows the others in one step.
struct Arrival {
  uint64_t time_ns = 0;    // when its kernel began, CLOCK_REALTIME
  uint64_t signature = 0;  // what it calls; equal on all ranks of a correct program
};

// A place in shared memory where the ranks of a communicator meet, step by step, and exchange
// at most kChunkBytes each per step; and mailboxes from each rank to each other.
//
// No wait is endless. When one exceeds the limit (SIMGPU_NCCL_TIMEOUT_MS, default 30000), or a
// peer's process is gone, the rendezvous is over for all its ranks, one message is printed, and
// from then on no call on it waits: each rank is alone, as if it were the only one.
//
// One thread at a time per rank, as NCCL demands of a communicator.
class Rendezvous {
 public:
  static constexpr size_t kChunkBytes = 256 << 10;
  static constexpr size_t kMessageBytes = 8 << 10;
  static constexpr int kMaxRanks = 64;

  // Joins the ranks that use the same key and waits until all are there. Null (after a
  // message) if they do not come, or if shared memory does not suffice.
  static std::unique_ptr<Rendezvous> Join(const std::string& key, int ranks, int rank);
  ~Rendezvous();
  Rendezvous(const Rendezvous&) = delete;
  Rendezvous& operator=(const Rendezvous&) = delete;

  bool over() const;
  // Why steps with different signatures exchange nothing; said once.
  void ReportMismatch();

  // A step: fill MyData(), Publish, Wait; then DataOf and ArrivalOf of all ranks are valid
  // until this rank's next Publish but one.
  char* MyData();
  void Publish(const Arrival& arrival);
  // False: over.
  bool Wait();
  const char* DataOf(int rank) const;
  Arrival ArrivalOf(int rank) const;

  // Puts a message into the mailbox of `peer`; data beyond kMessageBytes is not taken along.
  // Waits only when 32 messages lie there. False: over.
  bool Send(int peer, const Arrival& arrival, const void* data, size_t bytes);
  // Takes the next message from `peer`, waiting for it. Copies its data if it was taken along
  // and has the size expected. False: over.
  bool Receive(int peer, Arrival* arrival, void* data, size_t bytes);

 private:
  struct Segment;
  struct Slot;
  struct Mailbox;
  Rendezvous(Segment* segment, size_t bytes, int ranks, int rank);

  Slot* SlotOf(int rank) const;
  Mailbox* MailboxOf(int from, int to) const;
  // Waits until `done` says so. `peer` is the rank that it depends on.
  template <class Done>
  bool WaitFor(int peer, const char* what, const Done& done);
  void End(const char* what, int peer, const char* reason);
  void Wake();

  Segment* const segment_;
  const size_t bytes_;
  const int ranks_;
  const int rank_;
  uint64_t step_ = 0;
  bool mismatch_reported_ = false;
};

}  // namespace sim::nccl

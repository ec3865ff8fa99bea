// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collective.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace sim::nccl {
namespace {

// How many pieces of `count` elements this rank gives to the others.
int PiecesGiven(const Call& call) {
  const Communicator& communicator = *call.communicator;
  const bool root = communicator.rank == call.root;
  switch (call.operation) {
    case Operation::kReduceScatter:
    case Operation::kAllToAll:
      return communicator.ranks;
    case Operation::kScatter:
      return root ? communicator.ranks : 0;
    case Operation::kBroadcast:
      return root ? 1 : 0;
    default:
      return 1;
  }
}

bool GivesOnePiecePerRank(Operation operation) {
  return operation == Operation::kReduceScatter || operation == Operation::kAllToAll ||
         operation == Operation::kScatter;
}

// A run of elements [first, first + count) of every piece.
struct Chunk {
  size_t first;
  size_t count;
};

// The data of all ranks for one chunk: rank -> its pieces, one after the other.
using Sources = std::vector<const char*>;

class Data {
 public:
  explicit Data(const Call& call) : call_(call), element_(ElementBytes(call.type)) {}

  void Give(const Chunk& chunk, char* to) const {
    const char* from = static_cast<const char*>(call_.send);
    for (int piece = 0; piece < PiecesGiven(call_); piece++) {
      std::memcpy(to + piece * chunk.count * element_,
                  from + (piece * call_.count + chunk.first) * element_, chunk.count * element_);
    }
  }

  void Take(const Chunk& chunk, const Sources& sources) const {
    const int rank = call_.communicator->rank;
    const bool root = rank == call_.root;
    const size_t bytes = chunk.count * element_;
    switch (call_.operation) {
      case Operation::kAllReduce:
        return ReduceInto(Receive(0, chunk), sources, 0, chunk);
      case Operation::kReduce:
        if (root) ReduceInto(Receive(0, chunk), sources, 0, chunk);
        return;
      case Operation::kReduceScatter:
        return ReduceInto(Receive(0, chunk), sources, rank * bytes, chunk);
      case Operation::kBroadcast:
        std::memmove(Receive(0, chunk), sources[call_.root], bytes);
        return;
      case Operation::kScatter:
        std::memmove(Receive(0, chunk), sources[call_.root] + rank * bytes, bytes);
        return;
      case Operation::kGather:
        if (root) Collect(sources, 0, chunk);
        return;
      case Operation::kAllGather:
        return Collect(sources, 0, chunk);
      case Operation::kAllToAll:
        return Collect(sources, rank * bytes, chunk);
      default:
        return;
    }
  }

  // Every other rank looks like this one.
  void TakeOwn() const {
    if (call_.count == 0) return;
    const int ranks = call_.communicator->ranks;
    const auto* own = static_cast<const char*>(call_.send);
    const Chunk all = {0, call_.count};
    switch (call_.operation) {
      case Operation::kAllReduce:
      case Operation::kBroadcast:
        if (call_.receive != own) std::memmove(call_.receive, own, call_.bytes());
        return;
      case Operation::kReduceScatter:
        std::memmove(call_.receive, own + call_.communicator->rank * call_.bytes(), call_.bytes());
        return;
      case Operation::kAllToAll:
        std::memmove(call_.receive, own, ranks * call_.bytes());
        return;
      case Operation::kAllGather:
        return CollectOwn(all);
      case Operation::kGather:
        if (call_.communicator->rank == call_.root) CollectOwn(all);
        return;
      case Operation::kReduce:
      case Operation::kScatter:
        if (call_.communicator->rank == call_.root && call_.receive != own) {
          std::memmove(call_.receive, own, call_.bytes());
        }
        return;
      default:
        return;
    }
  }

 private:
  char* Receive(int piece, const Chunk& chunk) const {
    return static_cast<char*>(call_.receive) + (piece * call_.count + chunk.first) * element_;
  }

  void ReduceInto(char* result, const Sources& sources, size_t offset, const Chunk& chunk) const {
    std::vector<const char*> arrays;
    for (const char* source : sources) arrays.push_back(source + offset);
    const int ranks = static_cast<int>(arrays.size());
    sim::nccl::Reduce(call_.reduction, {arrays.data(), ranks, chunk.count, call_.type}, result);
  }

  void Collect(const Sources& sources, size_t offset, const Chunk& chunk) const {
    for (size_t rank = 0; rank < sources.size(); rank++) {
      std::memmove(Receive(static_cast<int>(rank), chunk), sources[rank] + offset,
                   chunk.count * element_);
    }
  }

  void CollectOwn(const Chunk& chunk) const {
    for (int rank = 0; rank < call_.communicator->ranks; rank++) {
      char* to = Receive(rank, chunk);
      if (to != call_.send) std::memmove(to, call_.send, call_.bytes());
    }
  }

  const Call& call_;
  const size_t element_;
};

uint64_t Signature(const Call& call) {
  uint64_t hash = 1469598103934665603U;  // FNV-1a
  for (uint64_t value : {static_cast<uint64_t>(call.operation), static_cast<uint64_t>(call.count),
                         static_cast<uint64_t>(call.type), static_cast<uint64_t>(call.root)}) {
    hash = (hash ^ value) * 1099511628211U;
  }
  return hash;
}

// One step. False: the data of the others is not to be had.
bool Step(Rendezvous* rendezvous, const Arrival& mine, int ranks, uint64_t* last_ns,
          Sources* sources) {
  rendezvous->Publish(mine);
  if (!rendezvous->Wait()) return false;
  bool equal = true;
  sources->clear();
  for (int rank = 0; rank < ranks; rank++) {
    const Arrival other = rendezvous->ArrivalOf(rank);
    *last_ns = std::max(*last_ns, other.time_ns);
    equal = equal && other.signature == mine.signature;
    sources->push_back(rendezvous->DataOf(rank));
  }
  if (!equal) rendezvous->ReportMismatch();
  return equal;
}

uint64_t ExchangeCollective(const Call& call, uint64_t arrival_ns) {
  const Communicator& communicator = *call.communicator;
  Rendezvous* rendezvous = communicator.rendezvous.get();
  const Data data(call);
  const size_t pieces =
      GivesOnePiecePerRank(call.operation) ? static_cast<size_t>(communicator.ranks) : 1;
  const bool moves = call.bytes() * pieces <= kMaxDataBytes;
  const size_t most = Rendezvous::kChunkBytes / (pieces * ElementBytes(call.type));
  const Arrival mine = {arrival_ns, Signature(call)};
  uint64_t last_ns = arrival_ns;
  Sources sources;
  size_t first = 0;
  do {
    const Chunk chunk = {first, moves ? std::min(most, call.count - first) : 0};
    if (moves) data.Give(chunk, rendezvous->MyData());
    if (!Step(rendezvous, mine, communicator.ranks, &last_ns, &sources) || !moves) {
      data.TakeOwn();
      return last_ns;
    }
    data.Take(chunk, sources);
    first += chunk.count;
  } while (first < call.count);
  return last_ns;
}

}  // namespace

uint64_t Exchange(const Call& call, uint64_t arrival_ns) {
  Rendezvous* rendezvous = call.communicator->rendezvous.get();
  if (rendezvous == nullptr || rendezvous->over()) {
    Data(call).TakeOwn();
    return arrival_ns;
  }
  const Arrival mine = {arrival_ns, Signature(call)};
  Arrival peer = mine;
  switch (call.operation) {
    case Operation::kSend:
      rendezvous->Send(call.root, mine, call.send, call.bytes());
      return arrival_ns;
    case Operation::kReceive:
      rendezvous->Receive(call.root, &peer, call.receive, call.bytes());
      return std::max(arrival_ns, peer.time_ns);
    default:
      return ExchangeCollective(call, arrival_ns);
  }
}

std::string Describe(const Call& call) {
  return "count=" + std::to_string(call.count) + " type=" + TypeName(call.type) +
         " ranks=" + std::to_string(call.communicator->ranks) +
         " root=" + std::to_string(call.root);
}

std::string KernelName(const Call& call) {
  static const char* const kReductions[] = {"Sum", "Prod", "MinMax", "MinMax", "SumPostDiv"};
  const bool scaled = call.reduction.factor != 1;
  const std::string reduction =
      scaled ? "PreMulSum" : kReductions[static_cast<int>(call.reduction.kind)];
  std::string name = "ncclDevKernel_";
  switch (call.operation) {
    case Operation::kAllReduce:
      name += "AllReduce_" + reduction + "_" + TypeName(call.type) + "_RING_LL";
      break;
    case Operation::kReduceScatter:
      name += "ReduceScatter_" + reduction + "_" + TypeName(call.type) + "_RING_LL";
      break;
    case Operation::kReduce:
      name += "Reduce_" + reduction + "_" + TypeName(call.type) + "_RING_LL";
      break;
    case Operation::kAllGather:
      name += "AllGather_RING_LL";
      break;
    case Operation::kBroadcast:
      name += "Broadcast_RING_LL";
      break;
    default:
      name += "SendRecv";
  }
  return name + "(ncclDevKernelArgsStorage<4096ul>)";
}

uint64_t TransferNs(const Call& call) {
  constexpr double kSetupNs = 5000;
  constexpr double kBytesPerNs = 150;  // of the bus of one GPU
  const double ranks = call.communicator->ranks;
  double bytes = static_cast<double>(call.bytes());
  switch (call.operation) {
    case Operation::kAllReduce:
      bytes *= 2 * (ranks - 1) / ranks;
      break;
    case Operation::kAllGather:
    case Operation::kReduceScatter:
    case Operation::kAllToAll:
    case Operation::kGather:
    case Operation::kScatter:
      bytes *= ranks - 1;
      break;
    default:
      break;
  }
  return static_cast<uint64_t>(kSetupNs + bytes / kBytesPerNs);
}

}  // namespace sim::nccl

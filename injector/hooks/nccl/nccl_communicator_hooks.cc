// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Where NCCL's communicators are made and go: gives each its group (nccl_groups.h).

#include <stdint.h>
#include <unistd.h>

#include <atomic>

#include "injector/base/platform.h"
#include "injector/hooks/nccl/nccl_call.h"
#include "injector/hooks/nccl/nccl_groups.h"
#include "injector/loader/real_function.h"

using namespace flopsprof::injector;  // NOLINT: C functions

namespace {

constexpr char kNccl[] = "libnccl.so";

// ncclUniqueId, handed over by value.
struct UniqueId {
  char bytes[128];
};

bool Succeeded(int status) { return status == 0 || status == 7; }  // ncclInProgress

// NCCL has stored the handle when the call returns, also inside a group and when it is to be
// finished later.
void AddMade(int status, void* const* made, uint64_t group) {
  if (Succeeded(status) && made != nullptr) AddCommunicator(*made, group);
}

uint64_t GroupOf(const UniqueId* ids, int id_count, int rank_count) {
  return HashBytes(ids, sizeof(UniqueId) * static_cast<uint64_t>(id_count),
                   static_cast<uint64_t>(rank_count));
}

}  // namespace

#define FLOPSPROF_REAL_NCCL(name, ...)                                                \
  static RealFunction real(#name, kNccl);                                             \
  const void* caller = __builtin_return_address(0);                                   \
  auto* const function = reinterpret_cast<int (*)(__VA_ARGS__)>(real.Enter(&caller)); \
  if (function == nullptr) return kNcclInvalidUsage

FLOPSPROF_EXPORT int ncclCommInitRank(void** comm, int nranks, UniqueId id, int rank) {
  FLOPSPROF_REAL_NCCL(ncclCommInitRank, void**, int, UniqueId, int);
  const int status = function(comm, nranks, id, rank);
  AddMade(status, comm, GroupOf(&id, 1, nranks));
  return status;
}

FLOPSPROF_EXPORT int ncclCommInitRankConfig(void** comm, int nranks, UniqueId id, int rank,
                                            void* config) {
  FLOPSPROF_REAL_NCCL(ncclCommInitRankConfig, void**, int, UniqueId, int, void*);
  const int status = function(comm, nranks, id, rank, config);
  AddMade(status, comm, GroupOf(&id, 1, nranks));
  return status;
}

FLOPSPROF_EXPORT int ncclCommInitRankScalable(void** comm, int nranks, int rank, int id_count,
                                              UniqueId* ids, void* config) {
  FLOPSPROF_REAL_NCCL(ncclCommInitRankScalable, void**, int, int, int, UniqueId*, void*);
  const int status = function(comm, nranks, rank, id_count, ids, config);
  if (Succeeded(status)) AddMade(status, comm, GroupOf(ids, id_count, nranks));
  return status;
}

FLOPSPROF_EXPORT int ncclCommInitAll(void** comms, int count, const int* devices) {
  FLOPSPROF_REAL_NCCL(ncclCommInitAll, void**, int, const int*);
  const int status = function(comms, count, devices);
  if (!Succeeded(status)) return status;
  // All ranks are here: any number that no other group has.
  static std::atomic<uint64_t> made{0};
  const uint64_t parts[] = {static_cast<uint64_t>(getpid()), MonoNs(), made.fetch_add(1)};
  const uint64_t group = HashBytes(parts, sizeof parts, 0);
  for (int i = 0; i < count; ++i) AddCommunicator(comms[i], group);
  return status;
}

FLOPSPROF_EXPORT int ncclCommSplit(void* comm, int color, int key, void** made, void* config) {
  FLOPSPROF_REAL_NCCL(ncclCommSplit, void*, int, int, void**, void*);
  const int status = function(comm, color, key, made, config);
  if (Succeeded(status)) AddMade(status, made, ChildGroup(comm, color));
  return status;
}

FLOPSPROF_EXPORT int ncclCommShrink(void* comm, int* excluded, int excluded_count, void** made,
                                    void* config, int flags) {
  FLOPSPROF_REAL_NCCL(ncclCommShrink, void*, int*, int, void**, void*, int);
  const int status = function(comm, excluded, excluded_count, made, config, flags);
  if (Succeeded(status)) AddMade(status, made, ChildGroup(comm, -1));
  return status;
}

FLOPSPROF_EXPORT int ncclCommDestroy(void* comm) {
  FLOPSPROF_REAL_NCCL(ncclCommDestroy, void*);
  ForgetCommunicator(comm);  // before: its address may be used again at once
  return function(comm);
}

FLOPSPROF_EXPORT int ncclCommAbort(void* comm) {
  FLOPSPROF_REAL_NCCL(ncclCommAbort, void*);
  ForgetCommunicator(comm);
  return function(comm);
}

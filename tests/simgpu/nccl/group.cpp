// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "group.h"

#include <cupti_driver_cbid.h>

#include <algorithm>
#include <functional>
#include <future>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "meta_compat.h"
#include "simcore.h"

namespace sim::nccl {
namespace {

thread_local int group_depth = 0;
thread_local std::vector<Call> group_calls;
thread_local std::vector<Communicator*> group_joins;

using Batch = std::vector<Call>;  // of one communicator and stream

SimFn* FunctionNamed(const std::string& name) {
  static auto* mutex = new std::mutex;
  static auto* functions = new std::map<std::string, SimFn>;
  std::lock_guard<std::mutex> lock(*mutex);
  const auto [entry, added] = functions->try_emplace(name);
  if (added) entry->second = {entry->first.c_str(), nullptr, 1};
  return &entry->second;
}

uint64_t ExchangeAll(const Batch& batch, uint64_t arrival_ns) {
  uint64_t last_ns = arrival_ns;
  // Sends first: they do not wait, and receives of other ranks wait for them.
  for (const Call& call : batch) {
    if (call.operation == Operation::kSend) Exchange(call, arrival_ns);
  }
  for (const Call& call : batch) {
    if (call.operation != Operation::kSend) {
      last_ns = std::max(last_ns, Exchange(call, arrival_ns));
    }
  }
  return last_ns;
}

uint64_t TransferNs(const Batch& batch) {
  uint64_t transfer_ns = 0;
  for (const Call& call : batch) transfer_ns += TransferNs(call);
  return transfer_ns;
}

bool IsCapturing(const Batch& batch) {
  return sim_capture_status(batch.front().stream, nullptr, nullptr) != 0;
}

// Puts op on the stream inside the driver call that NCCL launches with.
void EnqueueWithDriverCall(SimOp& op, SimFn* function, void* stream) {
  constexpr auto kId = CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx;
  CUlaunchConfig config = {};
  config.gridDimX = op.g[0];
  config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = op.b[0];
  config.blockDimY = config.blockDimZ = 1;
  config.hStream = static_cast<CUstream>(stream);
  cuLaunchKernelEx_params params = {&config, reinterpret_cast<CUfunction>(function), nullptr,
                                    nullptr};
  CUresult result = CUDA_SUCCESS;
  const bool watched = sim_on[SIM_DRIVER][kId] != 0;
  SimFrame frame = {};
  if (watched) {
    frame.dom = SIM_DRIVER;
    frame.cbid = kId;
    frame.fname = "cuLaunchKernelEx";
    frame.params = &params;
    frame.ret = &result;
    frame.sym = function->name;
    sim_enter(&frame);
  }
  sim_enqueue(op, stream);
  if (watched) sim_exit(&frame);
}

// One kernel for the batch. It runs from its turn on the stream until the data is there, hence
// it includes the time it waits for the other ranks, as NCCL's kernels do. `exchange` gets the
// time at which this rank arrives and returns when the last one did.
void LaunchBatch(const Batch& batch, const std::function<uint64_t(uint64_t)>& exchange) {
  constexpr unsigned kBlocks = 24;
  constexpr unsigned kThreads = 544;
  SimFn* function = FunctionNamed(KernelName(batch.front()));
  void* stream = batch.front().stream;
  const uint64_t transfer_ns = TransferNs(batch);
  SimOp op;
  op.name = function->name;
  op.g[0] = kBlocks;
  op.b[0] = kThreads;
  op.duration_ns = transfer_ns;
  if (IsCapturing(batch)) {
    op.body = [batch] { ExchangeAll(batch, sim_now()); };  // at each replay
  } else {
    // The core runs the body when start and end are set and before anybody sees the op. An end
    // that is not ours comes from the fault script and stays.
    op.body = [&op, &exchange, stream, transfer_ns] {
      const uint64_t last_ns = exchange(op.start);
      if (op.end - op.start != transfer_ns) return;
      op.end = std::max(op.end, last_ns + transfer_ns);
      sim_stream_wait_until(stream, op.end);
    };
  }
  EnqueueWithDriverCall(op, function, stream);
}

std::vector<Batch> Split(const std::vector<Call>& calls) {
  std::vector<Batch> batches;
  for (const Call& call : calls) {
    const auto same = [&call](const Batch& batch) {
      return batch.front().communicator == call.communicator && batch.front().stream == call.stream;
    };
    const auto found = std::find_if(batches.begin(), batches.end(), same);
    if (found != batches.end()) {
      found->push_back(call);
    } else {
      batches.push_back({call});
    }
  }
  return batches;
}

// Several communicators in one group can be ranks that wait for each other (one process with
// several GPUs): each then meets its peers on a thread of its own.
void LaunchTogether(const std::vector<Batch>& batches) {
  if (IsCapturing(batches.front())) {
    for (const Batch& batch : batches) LaunchBatch(batch, nullptr);
    return;
  }
  std::vector<std::future<uint64_t>> meetings;
  for (const Batch& batch : batches) {
    const uint64_t arrival_ns = std::max(sim_now(), sim_stream_tail(batch.front().stream));
    meetings.push_back(std::async(std::launch::async, ExchangeAll, batch, arrival_ns));
  }
  for (size_t i = 0; i < batches.size(); i++) {
    LaunchBatch(batches[i], [&meetings, i](uint64_t) { return meetings[i].get(); });
  }
}

void Launch(const std::vector<Call>& calls) {
  const std::vector<Batch> batches = Split(calls);
  if (batches.size() > 1) return LaunchTogether(batches);
  for (const Batch& batch : batches) {
    LaunchBatch(batch, [&batch](uint64_t arrival_ns) { return ExchangeAll(batch, arrival_ns); });
  }
}

}  // namespace

void GroupStart() { group_depth++; }

void GroupEnd() {
  if (group_depth == 0 || --group_depth > 0) return;
  Join(std::exchange(group_joins, {}));
  Launch(std::exchange(group_calls, {}));
}

void Submit(const Call& call) {
  const std::string shape = Describe(call);
  sim_call_shape(shape.c_str());
  if (sim_calls_logged) {
    sim_log_call("%s %s send=%s receive=%s stream=%u", sim_call_name(), shape.c_str(),
                 sim_pointer(call.send).c_str(), sim_pointer(call.receive).c_str(),
                 sim_stream_id(call.stream));
  }
  if (group_depth > 0) {
    group_calls.push_back(call);
  } else {
    Launch({call});
  }
}

void SubmitJoin(Communicator* communicator) {
  if (group_depth > 0) {
    group_joins.push_back(communicator);
  } else {
    Join({communicator});
  }
}

}  // namespace sim::nccl

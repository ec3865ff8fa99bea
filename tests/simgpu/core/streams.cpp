// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "streams.h"

#include <algorithm>
#include <ctime>

#include "card.h"
#include "faults.h"
#include "ledger.h"
#include "switches.h"

namespace simgpu {
namespace {

constexpr int kMaxDevices = 64;
constexpr uint32_t kDefaultStreamId = 7;  // as CUPTI numbers it on one device

int g_contexts[kMaxDevices];
std::atomic<bool> g_context_used[kMaxDevices];
std::atomic<Stream*> g_defaults[kMaxDevices];
std::atomic<uint32_t> g_stream_ids{kDefaultStreamId};
std::atomic<uint64_t> g_kernels{0};
thread_local int t_device = 0;

Stream* DefaultStream(int device) {
  Stream* stream = g_defaults[device].load(std::memory_order_acquire);
  if (stream) return stream;
  UseDevice(device);
  std::lock_guard<std::mutex> lock(StreamsMutex());
  stream = g_defaults[device].load(std::memory_order_relaxed);
  if (!stream) {
    stream = new Stream;
    stream->id = kDefaultStreamId;
    stream->dev = device;
    AllStreams().push_back(stream);
    g_defaults[device].store(stream, std::memory_order_release);
  }
  return stream;
}

// Fixed cost of about a launch on the device, then a roofline for known work, else by
// the number of threads.
uint64_t ModelDuration(const SimOp& op) {
  const Card& card = GetCard();
  switch (op.kind) {
    case OP_KERNEL: {
      if (op.flops > 0 || op.mbytes > 0) {
        const double s = std::max(op.flops / card.flop_per_s, op.mbytes / card.byte_per_s);
        return static_cast<uint64_t>(1500 + 1e9 * s);
      }
      double threads = 1;
      for (int i = 0; i < 3; ++i) threads *= static_cast<double>(op.g[i]) * op.b[i];
      return static_cast<uint64_t>(1500 + 1e9 * threads * 16 / card.byte_per_s);
    }
    case OP_MEMCPY: {
      constexpr int kDeviceToDevice = 8;
      constexpr double kLinkBytePerS = 50e9;
      const double rate = op.copyKind == kDeviceToDevice ? card.byte_per_s / 2 : kLinkBytePerS;
      return static_cast<uint64_t>(1000 + 1e9 * static_cast<double>(op.bytes) / rate);
    }
    case OP_MEMSET:
      return static_cast<uint64_t>(1000 + 1e9 * static_cast<double>(op.bytes) / card.byte_per_s);
    default:
      return 0;
  }
}

// One of 32768 durations between 1 and 33.8 us, different for neighbouring ordinals.
uint64_t HashedDuration(uint64_t ordinal) { return 1000 + ((ordinal * 20021 + 7919) & 32767); }

uint64_t Duration(const SimOp& op) {
  const Faults& faults = GetFaults();
  if (op.kind == OP_HOST) return 0;
  if (faults.hashed_durations || faults.fixed_duration_ns) NoteStruck("durations");
  if (faults.hashed_durations) return HashedDuration(op.ordinal);
  if (faults.fixed_duration_ns) return faults.fixed_duration_ns;
  if (op.duration_ns) return op.duration_ns;
  return ModelDuration(op) * static_cast<uint64_t>(GetSwitches().slower);
}

void RecordSync(Stream* stream, int type, uint64_t start) {
  SimSink* sink = sim_sink;
  if (!sink) return;
  SimOp op;
  op.kind = OP_SYNC;
  op.syncType = type;
  op.dev = stream ? stream->dev : t_device;
  op.stream = stream ? stream->id : 0xFFFFFFFFu;
  op.stream_handle = stream;
  op.corr = sim_cur_corr();
  op.start = start;
  op.end = sim_now();
  sink->op(&op);
}

}  // namespace

std::mutex& StreamsMutex() {
  static std::mutex& mutex = *new std::mutex;
  return mutex;
}

std::vector<Stream*>& AllStreams() {
  static std::vector<Stream*>& streams = *new std::vector<Stream*>;
  return streams;
}

Stream* FindStream(void* handle) {
  constexpr uintptr_t kLastSpecialHandle = 2;  // legacy and per-thread default streams
  if (reinterpret_cast<uintptr_t>(handle) > kLastSpecialHandle) {
    return static_cast<Stream*>(handle);
  }
  return DefaultStream(t_device);
}

void UseDevice(int device) {
  if (g_context_used[device].load(std::memory_order_acquire)) return;
  if (g_context_used[device].exchange(true)) return;
  constexpr int kContextCreated = 1;
  if (SimSink* sink = sim_sink) sink->resource(kContextCreated, sim_ctx(device), nullptr);
}

void EndContext(int device) {
  if (!g_context_used[device].exchange(false)) return;
  constexpr int kContextDestroyStarting = 2;
  if (SimSink* sink = sim_sink) sink->resource(kContextDestroyStarting, sim_ctx(device), nullptr);
}

void Execute(SimOp& op, Stream* stream, uint64_t latency_ns, const CaptureOrigin* origin) {
  op.dev = stream->dev;
  op.stream = stream->id;
  op.stream_handle = stream;
  if (op.kind != OP_HOST) op.ordinal = NextOrdinal();
  const uint64_t duration = Duration(op);
  const uint64_t earliest = std::max(sim_now() + latency_ns, op.not_before);
  uint64_t tail = stream->tail, start;
  do {
    start = std::max(earliest, tail);
  } while (!stream->tail.compare_exchange_weak(tail, start + duration));
  op.start = start;
  op.end = start + duration;
  if (op.body) op.body();
  if (op.kind == OP_KERNEL) ++g_kernels;
  if (op.kind == OP_HOST) return;
  WriteExecuted(op, origin);
  if (SimSink* sink = sim_sink) sink->op(&op);
}

uint64_t KernelCount() { return g_kernels; }

}  // namespace simgpu

using simgpu::FindStream;
using simgpu::Stream;

int sim_ndev() { return static_cast<int>(simgpu::GetSwitches().devices.size()); }

int sim_device_number(int device) {
  const auto& devices = simgpu::GetSwitches().devices;
  const auto index = static_cast<size_t>(device);
  return index < devices.size() ? devices[index] : device;
}
int sim_dev() { return simgpu::t_device; }
void sim_set_dev(int device) { simgpu::t_device = device; }
void* sim_ctx(int device) { return &simgpu::g_contexts[device]; }

void sim_reset_context(int device) { simgpu::EndContext(device); }

int sim_ctx_dev(void* context) {
  const auto index = static_cast<int*>(context) - simgpu::g_contexts;
  return index >= 0 && index < simgpu::kMaxDevices ? static_cast<int>(index) : 0;
}

int sim_realtime() { return simgpu::GetSwitches().realtime; }

void* sim_stream_create() {
  auto* stream = new Stream;
  stream->id = ++simgpu::g_stream_ids;
  stream->dev = simgpu::t_device;
  simgpu::UseDevice(stream->dev);
  {
    std::lock_guard<std::mutex> lock(simgpu::StreamsMutex());
    simgpu::AllStreams().push_back(stream);
  }
  constexpr int kStreamCreated = 3;
  if (SimSink* sink = sim_sink) {
    sink->resource(kStreamCreated, sim_ctx(stream->dev), stream);
  }
  return stream;
}

// The object stays: events and records may still name it.
void sim_stream_destroy(void* handle) {
  constexpr int kStreamDestroyStarting = 4;
  Stream* stream = FindStream(handle);
  if (SimSink* sink = sim_sink) {
    sink->resource(kStreamDestroyStarting, sim_ctx(stream->dev), stream);
  }
}

uint32_t sim_stream_id(void* s) { return FindStream(s)->id; }
int sim_stream_dev(void* s) { return FindStream(s)->dev; }
uint64_t sim_stream_tail(void* s) { return FindStream(s)->tail; }

void sim_stream_wait_until(void* s, uint64_t t) {
  Stream* stream = FindStream(s);
  uint64_t tail = stream->tail;
  while (tail < t && !stream->tail.compare_exchange_weak(tail, t)) {
  }
}

void sim_wait_until(uint64_t t) {
  if (!sim_realtime()) return;
  constexpr uint64_t kSpinNs = 60000;  // about what a sleep is late by
  for (uint64_t now = sim_now(); now < t; now = sim_now()) {
    const uint64_t left = t - now;
    if (left <= kSpinNs) continue;
    const uint64_t sleep = left - kSpinNs;
    timespec ts{static_cast<time_t>(sleep / 1000000000), static_cast<long>(sleep % 1000000000)};
    nanosleep(&ts, nullptr);
  }
}

void sim_sync_stream(void* s, int type) {
  Stream* stream = FindStream(s);
  const uint64_t start = sim_now();
  sim_wait_until(stream->tail);
  simgpu::RecordSync(stream, type, start);
}

void sim_sync_device(int device) {
  const uint64_t start = sim_now();
  uint64_t last = 0;
  {
    std::lock_guard<std::mutex> lock(simgpu::StreamsMutex());
    for (Stream* stream : simgpu::AllStreams()) {
      if (stream->dev == device) last = std::max(last, stream->tail.load());
    }
  }
  sim_wait_until(last);
  constexpr int kContextSynchronize = 4;  // CUpti_ActivitySynchronizationType
  simgpu::RecordSync(nullptr, kContextSynchronize, start);
}

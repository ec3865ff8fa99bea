// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/hooks/cudnn/cudnn_plan_description.h"

#include <string.h>
#include <sys/mman.h>

#include "injector/base/platform.h"
#include "injector/hooks/cudnn/cudnn_contents.h"
#include "injector/hooks/cudnn/cudnn_descriptor.h"
#include "injector/hooks/cudnn/cudnn_plan_json.h"
#include "injector/hooks/cudnn/json_writer.h"
#include "injector/transport/record_sink.h"

namespace flopsprof::injector {
namespace {

constexpr int64_t kMaxJsonBytes = int64_t{256} << 20;
// Longest tail: 32 tensors of 8 sizes of 20 digits.
constexpr size_t kMaxTailBytes = 8192;

// cudnnBackendAttributeName_t (cudnn_graph.h).
constexpr int kConfigEngine = 300;
constexpr int kPlanEngineConfig = 401;
constexpr int kPlanJson = 405;
constexpr int kEngineNumericalNotes = 1303;

// Notes of the engine that runs the plan (cudnnBackendNumericalNote_t); -1: not told.
int64_t ReadNotes(const void* caller, CudnnGetter get, const void* plan, int* notes, int64_t room) {
  OwnCudnnDescriptor config(caller, kCudnnEngineConfig);
  OwnCudnnDescriptor engine(caller, kCudnnEngine);
  int64_t count = 0;
  const bool told =
      config.FillFrom(get, plan, kPlanEngineConfig) &&
      engine.FillFrom(get, config.get(), kConfigEngine) &&
      get(engine.get(), kEngineNumericalNotes, kCudnnTypeNumericalNote, room, &count, notes) == 0 &&
      count >= 0 && count <= room;
  return told ? count : -1;
}

size_t WriteTail(const void* caller, CudnnGetter get, const void* plan,
                 const CudnnOverrides* overrides, char* room, size_t bytes) {
  constexpr int kMaxNotes = 16;
  int notes[kMaxNotes] = {};
  const int64_t count = ReadNotes(caller, get, plan, notes, kMaxNotes);
  JsonWriter writer(room, bytes);
  if (count >= 0) writer.Add(",\"numericalNotes\":[");
  for (int64_t i = 0; i < count; ++i) {
    if (i > 0) writer.Add(",");
    writer.Add(int64_t{notes[i]});
  }
  if (count >= 0) writer.Add("]");
  size_t used = writer.used();
  if (overrides != nullptr) used += WriteOverrides(*overrides, room + used, bytes - used);
  if (used + 1 > bytes) return 0;
  room[used++] = '}';
  return used;
}

// Sends {"operationGraph":GRAPH,...}. The graph is moved to the front of the library's text,
// behind `kHead`, and the tail written behind it.
PlanAnswer Send(const void* caller, CudnnGetter get, const void* plan,
                const CudnnOverrides* overrides, char* text, size_t json_bytes, size_t room,
                uint32_t* id) {
  static constexpr char kHead[] = "{\"operationGraph\":";
  constexpr size_t kHeadBytes = sizeof kHead - 1;
  const TextSpan graph = FindOperationGraph(text, json_bytes);
  if (graph.begin == nullptr) return PlanAnswer::kRefused;
  memmove(text + kHeadBytes, graph.begin, graph.bytes);
  memcpy(text, kHead, kHeadBytes);
  const size_t begun = kHeadBytes + graph.bytes;
  const size_t bytes = begun + WriteTail(caller, get, plan, overrides, text + begun, room - begun);
  if (bytes > LongestBlobBytes()) {
    CountLoss(shm::LossCounter::kBlobTooLarge);
    return PlanAnswer::kRefused;
  }
  bool full = false;
  *id = IdOfCudnnText(text, bytes, &full);
  if (full) return PlanAnswer::kFull;
  return *id != 0 ? PlanAnswer::kSent : PlanAnswer::kUnsent;
}

}  // namespace

size_t WriteOverrides(const CudnnOverrides& overrides, char* room, size_t bytes) {
  JsonWriter writer(room, bytes);
  writer.Add(",\"overrides\":[");
  for (uint32_t i = 0; i < overrides.tensors; ++i) {
    writer.Add(i == 0 ? "{\"uid\":" : ",{\"uid\":");
    writer.Add(overrides.uids[i]);
    writer.Add(",\"dim\":[");
    for (uint32_t j = 0; j < overrides.ranks[i]; ++j) {
      if (j > 0) writer.Add(",");
      writer.Add(overrides.sizes[i][j]);
    }
    writer.Add("]}");
  }
  writer.Add("]");
  return writer.used();
}

PlanAnswer SendPlanDescription(const void* caller, void* plan, const CudnnOverrides* overrides,
                               uint32_t* id) {
  *id = 0;
  const CudnnGetter get = FindCudnnGetter(caller);
  int64_t bytes = 0;
  if (get == nullptr || get(plan, kPlanJson, kCudnnTypeChar, 0, &bytes, nullptr) != 0 ||
      bytes <= 0 || bytes > kMaxJsonBytes) {
    return PlanAnswer::kRefused;
  }
  ErrnoKeeper keep;
  const size_t room = static_cast<size_t>(bytes) + kMaxTailBytes;
  auto* const text = static_cast<char*>(MapPages(room));
  if (text == nullptr) return PlanAnswer::kUnsent;
  PlanAnswer answer = PlanAnswer::kRefused;
  int64_t written = 0;
  if (get(plan, kPlanJson, kCudnnTypeChar, bytes, &written, text) == 0 && written > 0 &&
      written <= bytes) {
    answer = Send(caller, get, plan, overrides, text, static_cast<size_t>(written), room, id);
  }
  munmap(text, room);
  return answer;
}

}  // namespace flopsprof::injector

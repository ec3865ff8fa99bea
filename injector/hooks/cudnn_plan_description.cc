// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/hooks/cudnn_plan_description.h"

#include <string.h>
#include <sys/mman.h>

#include "injector/hooks/cudnn_call.h"
#include "injector/hooks/cudnn_plan_json.h"
#include "injector/platform.h"
#include "injector/text.h"

namespace flopsprof::injector {
namespace {

constexpr int64_t kMaxJsonBytes = int64_t{256} << 20;
// Longest tail: 32 tensors of 8 sizes of 20 digits.
constexpr size_t kMaxTailBytes = 8192;

// cudnnBackendDescriptorType_t, cudnnBackendAttributeName_t, cudnnBackendAttributeType_t,
// (cudnn_graph.h).
constexpr int kEngineDescriptor = 2;
constexpr int kEngineConfigDescriptor = 3;
constexpr int kConfigEngine = 300;
constexpr int kPlanEngineConfig = 401;
constexpr int kPlanJson = 405;
constexpr int kEngineNumericalNotes = 1303;
constexpr int kTypeNumericalNote = 11;
constexpr int kTypeDescriptor = 15;
constexpr int kTypeChar = 24;

using GetAttribute = int (*)(const void* descriptor, int name, int type, int64_t room,
                             int64_t* count, void* values);

GetAttribute FindGetter(const void* caller) {
  static RealFunction real("cudnnBackendGetAttribute", kCudnn);
  return reinterpret_cast<GetAttribute>(real.Find(caller));
}

// A descriptor of ours, to be filled by the library.
class OwnDescriptor {
 public:
  OwnDescriptor(const void* caller, int type) {
    static RealFunction create("cudnnBackendCreateDescriptor", kCudnn);
    static RealFunction destroy("cudnnBackendDestroyDescriptor", kCudnn);
    auto* const make = reinterpret_cast<int (*)(int, void**)>(create.Find(caller));
    destroy_ = reinterpret_cast<int (*)(void*)>(destroy.Find(caller));
    if (make == nullptr || destroy_ == nullptr || make(type, &descriptor_) != 0) {
      descriptor_ = nullptr;
    }
  }
  ~OwnDescriptor() {
    if (descriptor_ != nullptr) destroy_(descriptor_);
  }
  OwnDescriptor(const OwnDescriptor&) = delete;
  OwnDescriptor& operator=(const OwnDescriptor&) = delete;

  void* get() const { return descriptor_; }

  // Fills it with the descriptor that `from` has under this name.
  bool FillFrom(GetAttribute get, const void* from, int name) {
    int64_t count = 0;
    return descriptor_ != nullptr &&
           get(from, name, kTypeDescriptor, 1, &count, &descriptor_) == 0 && count == 1;
  }

 private:
  void* descriptor_ = nullptr;
  int (*destroy_)(void*) = nullptr;
};

// Notes of the engine that runs the plan (cudnnBackendNumericalNote_t); -1: not told.
int64_t ReadNotes(const void* caller, GetAttribute get, const void* plan, int* notes,
                  int64_t room) {
  OwnDescriptor config(caller, kEngineConfigDescriptor);
  OwnDescriptor engine(caller, kEngineDescriptor);
  int64_t count = 0;
  const bool told =
      config.FillFrom(get, plan, kPlanEngineConfig) &&
      engine.FillFrom(get, config.get(), kConfigEngine) &&
      get(engine.get(), kEngineNumericalNotes, kTypeNumericalNote, room, &count, notes) == 0 &&
      count >= 0 && count <= room;
  return told ? count : -1;
}

// Text that ends at its room; what does not fit is noticed at the end.
class Writer {
 public:
  Writer(char* room, size_t bytes) : room_(room), bytes_(bytes) {}
  void Add(const char* text) {
    for (; *text != '\0'; ++text) AddChar(*text);
  }
  void Add(int64_t number) {
    char digits[24];
    size_t count = 0;
    const bool negative = number < 0;
    auto rest = negative ? 0 - static_cast<uint64_t>(number) : static_cast<uint64_t>(number);
    do {
      digits[count++] = static_cast<char>('0' + rest % 10);
      rest /= 10;
    } while (rest != 0);
    if (negative) AddChar('-');
    while (count > 0) AddChar(digits[--count]);
  }
  size_t used() const { return used_ <= bytes_ ? used_ : 0; }

 private:
  void AddChar(char c) {
    if (used_ < bytes_) room_[used_] = c;
    ++used_;
  }
  char* const room_;
  const size_t bytes_;
  size_t used_ = 0;
};

size_t WriteTail(const void* caller, GetAttribute get, const void* plan,
                 const CudnnOverrides* overrides, char* room, size_t bytes) {
  constexpr int kMaxNotes = 16;
  int notes[kMaxNotes] = {};
  const int64_t count = ReadNotes(caller, get, plan, notes, kMaxNotes);
  Writer writer(room, bytes);
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
PlanAnswer Send(const void* caller, GetAttribute get, const void* plan, uint32_t id,
                const CudnnOverrides* overrides, char* text, size_t json_bytes, size_t room) {
  static constexpr char kHead[] = "{\"operationGraph\":";
  constexpr size_t kHeadBytes = sizeof kHead - 1;
  const TextSpan graph = FindOperationGraph(text, json_bytes);
  if (graph.begin == nullptr) return PlanAnswer::kRefused;
  memmove(text + kHeadBytes, graph.begin, graph.bytes);
  memcpy(text, kHead, kHeadBytes);
  const size_t begun = kHeadBytes + graph.bytes;
  const size_t bytes = begun + WriteTail(caller, get, plan, overrides, text + begun, room - begun);
  if (bytes > shm::kMaxBlobBytes) {
    CountLoss(shm::LossCounter::kBlobTooLarge);
    return PlanAnswer::kRefused;
  }
  return EmitBlob(shm::BlobKind::kCudnnPlan, id, text, bytes) ? PlanAnswer::kSent
                                                              : PlanAnswer::kUnsent;
}

}  // namespace

size_t WriteOverrides(const CudnnOverrides& overrides, char* room, size_t bytes) {
  Writer writer(room, bytes);
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

PlanAnswer SendPlanDescription(const void* caller, void* plan, uint32_t id,
                               const CudnnOverrides* overrides) {
  const GetAttribute get = FindGetter(caller);
  int64_t bytes = 0;
  if (get == nullptr || get(plan, kPlanJson, kTypeChar, 0, &bytes, nullptr) != 0 || bytes <= 0 ||
      bytes > kMaxJsonBytes) {
    return PlanAnswer::kRefused;
  }
  ErrnoKeeper keep;
  const size_t room = static_cast<size_t>(bytes) + kMaxTailBytes;
  auto* const text = static_cast<char*>(MapPages(room));
  if (text == nullptr) return PlanAnswer::kUnsent;
  PlanAnswer answer = PlanAnswer::kRefused;
  int64_t written = 0;
  if (get(plan, kPlanJson, kTypeChar, bytes, &written, text) == 0 && written > 0 &&
      written <= bytes) {
    answer = Send(caller, get, plan, id, overrides, text, static_cast<size_t>(written), room);
  }
  munmap(text, room);
  return answer;
}

}  // namespace flopsprof::injector

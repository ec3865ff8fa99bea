// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/stacks/stack_table.h"

#include <string.h>

#include <atomic>

#include "injector/base/mapped_objects.h"
#include "injector/base/platform.h"
#include "injector/base/text.h"
#include "injector/transport/record_sink.h"

namespace flopsprof::injector {
namespace {

constexpr uint32_t kPlaces = kMaxStacks * 2;

struct Place {
  std::atomic<uint64_t> hash;  // 0: free
  std::atomic<uint32_t> defined_epoch;
};

std::atomic<Place*> g_places{nullptr};
std::atomic<uint32_t> g_count{0};
BriefLock g_lock;  // making the table

// Two multiplications that do not wait for each other: a frame costs about a ns.
uint64_t HashOf(const FoundStack& stack) {
  constexpr uint64_t kPrime = 0x9E3779B97F4A7C15ull;
  uint64_t hash = 0x27D4EB2F165667C5ull + stack.cut + 2ull * stack.native_cut;
  const auto add = [&hash](uint64_t word, uint64_t place) {
    hash = ((hash << 7 | hash >> 57) ^ ((word + place) * kPrime)) + place;
  };
  for (uint32_t i = 0; i < stack.native_count; ++i) add(stack.native[i], i);
  for (uint32_t i = 0; i < stack.python_count; ++i) {
    add(stack.python[i].code ^ stack.python[i].mark << 1, i + 1000);
  }
  hash = (hash ^ hash >> 32) * kPrime;
  hash ^= hash >> 29;
  return hash == 0 ? 1 : hash;
}

Place* Places() {
  Place* places = g_places.load(std::memory_order_acquire);
  if (places != nullptr) return places;
  BriefLockHolder hold(&g_lock);
  places = g_places.load(std::memory_order_relaxed);
  if (places == nullptr) {
    places = static_cast<Place*>(MapPages(kPlaces * sizeof(Place)));
    g_places.store(places, std::memory_order_release);
  }
  return places;
}

// The place of a hash, taken if it was not there; null: the table is full.
Place* FindOrTake(Place* places, uint64_t hash, uint32_t* id) {
  for (auto i = static_cast<uint32_t>(hash);; ++i) {
    Place& place = places[i & (kPlaces - 1)];
    uint64_t there = place.hash.load(std::memory_order_relaxed);
    if (there == 0) {
      if (g_count.load(std::memory_order_relaxed) >= kMaxStacks) return nullptr;
      if (place.hash.compare_exchange_strong(there, hash)) {
        g_count.fetch_add(1, std::memory_order_relaxed);
        there = hash;
      }
    }
    if (there != hash) continue;
    *id = (i & (kPlaces - 1)) + 1;
    return &place;
  }
}

constexpr size_t kBuildIdBytes = 20;
using ObjectText = Text<1200>;

void AddHex(const uint8_t* bytes, size_t count, ObjectText* text) {
  constexpr char kDigits[] = "0123456789abcdef";
  for (size_t i = 0; i < count; ++i) {
    const char pair[] = {kDigits[bytes[i] >> 4], kDigits[bytes[i] & 15], '\0'};
    text->Add(pair);
  }
}

// "BUILD_ID PATH"; "- PATH" of an object without one.
void AddBuildId(const MappedObject& object, ObjectText* text) {
  for (size_t i = 0; i < object.segment_count; ++i) {
    const ElfW(Phdr)& segment = object.segments[i];
    if (segment.p_type != PT_NOTE) continue;
    const auto* at = reinterpret_cast<const uint8_t*>(object.AddressOf(segment));
    const uint8_t* const end = at + segment.p_filesz;
    while (static_cast<size_t>(end - at) > sizeof(ElfW(Nhdr))) {
      ElfW(Nhdr) note;
      memcpy(&note, at, sizeof(note));
      const size_t name_bytes = (size_t{note.n_namesz} + 3) & ~size_t{3};
      const size_t id_bytes = (size_t{note.n_descsz} + 3) & ~size_t{3};
      const uint8_t* name = at + sizeof(note);
      if (name_bytes + id_bytes > static_cast<size_t>(end - name)) break;
      if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(name, "GNU", 4) == 0 &&
          note.n_descsz <= kBuildIdBytes) {
        AddHex(name + name_bytes, note.n_descsz, text);
        return;
      }
      at = name + name_bytes + id_bytes;
    }
  }
  text->Add("-");
}

const char* PathOf(const MappedObject& object) {
  if (object.path[0] != '\0') return object.path;
  // The program itself; the agent knows by the pid which file that is.
  return "/proc/self/exe";
}

bool HasSegmentAt(const MappedObject& object, uintptr_t address) {
  for (size_t i = 0; i < object.segment_count; ++i) {
    const ElfW(Phdr)& segment = object.segments[i];
    if (segment.p_type == PT_LOAD && address - object.AddressOf(segment) < segment.p_memsz) {
      return true;
    }
  }
  return false;
}

// What one object is called, and which frames lie in it.
struct ObjectFrames {
  bool in_object[FoundStack::kMaxNative];
  ObjectText text;
};

// Finds the object of the frame `first`, and the offsets of it and of all later frames that lie
// there too. False: it is in no object.
bool FindObjectOfFrame(const FoundStack& stack, uint32_t first, shm::StackFrame* frames,
                       ObjectFrames* found) {
  // The loader's lock is held here: nothing is called that could wait for another.
  return AnyMappedObject([&stack, first, frames, found](const MappedObject& object) {
    if (!HasSegmentAt(object, stack.native[first] - 1)) return false;
    AddBuildId(object, &found->text);
    found->text.Add(" ").Add(PathOf(object));
    for (uint32_t i = first; i < stack.native_count; ++i) {
      found->in_object[i] = HasSegmentAt(object, stack.native[i] - 1);
      if (found->in_object[i]) frames[i].offset = stack.native[i] - 1 - object.base;
    }
    return true;
  });
}

// Gives each native frame its object's name and the offset in it; code in no object, as compilers
// at run time make it, keeps its address and has no name.
void NameNativeFrames(const FoundStack& stack, shm::StackFrame* frames) {
  bool done[FoundStack::kMaxNative] = {};
  for (uint32_t i = 0; i < stack.native_count; ++i) {
    frames[i].origin = static_cast<uint32_t>(shm::FrameOrigin::kNative);
    if (done[i]) continue;
    frames[i].offset = stack.native[i] - 1;
    ObjectFrames found = {};
    if (!FindObjectOfFrame(stack, i, frames, &found)) continue;
    const uint32_t name = InternString(found.text.get());
    for (uint32_t j = i; j < stack.native_count; ++j) {
      if (!found.in_object[j]) continue;
      frames[j].name = name;
      done[j] = true;
    }
  }
}

bool DefineStack(uint32_t id, const FoundStack& stack) {
  shm::StackFrame frames[shm::kMaxStackFrames] = {};
  NameNativeFrames(stack, frames);
  const PythonReader* python = ReaderOfPython();
  uint32_t count = stack.native_count;
  if (stack.native_cut) frames[count++].origin = static_cast<uint32_t>(shm::FrameOrigin::kCut);
  for (uint32_t i = 0; i < stack.python_count; ++i) {
    PythonCode code{};
    if (python != nullptr) python->describe(stack.python[i].code, &code);
    shm::StackFrame& frame = frames[count++];
    frame.origin = static_cast<uint32_t>(shm::FrameOrigin::kPython);
    frame.name = InternString(code.name, code.name_bytes);
    frame.file = InternString(code.file, code.file_bytes);
    frame.line = code.line;
  }
  if (stack.cut) frames[count++].origin = static_cast<uint32_t>(shm::FrameOrigin::kCut);
  return EmitBlob(shm::BlobKind::kStack, id, reinterpret_cast<const char*>(frames),
                  count * sizeof(shm::StackFrame));
}

}  // namespace

uint32_t InternStack(const FoundStack& stack) {
  Place* places = Places();
  uint32_t id = shm::kNoStack;
  Place* place = places == nullptr ? nullptr : FindOrTake(places, HashOf(stack), &id);
  if (place == nullptr) {
    CountLoss(shm::LossCounter::kStackTableFull);
    return shm::kNoStack;
  }
  const uint32_t epoch = SessionEpoch();
  if (place->defined_epoch.load(std::memory_order_relaxed) != epoch) {
    // Two threads may both send it: the second definition says the same.
    if (!DefineStack(id, stack)) return shm::kNoStack;  // counted as ring_full; tried again
    place->defined_epoch.store(epoch, std::memory_order_relaxed);
  }
  return id;
}

void ForgetStacks() {
  g_places.store(nullptr, std::memory_order_relaxed);
  g_count.store(0, std::memory_order_relaxed);
}

}  // namespace flopsprof::injector

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/stacks/native_stack.h"

#include <execinfo.h>
#include <gtest/gtest.h>
#include <link.h>
#include <string.h>
#include <ucontext.h>

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

#include "injector/stacks/stack_bounds.h"

namespace flopsprof::injector {
namespace {

constexpr uint32_t kCapacity = 256;

struct Walks {
  std::vector<uintptr_t> ours;
  std::vector<uintptr_t> libgcc;
  NativeStack stack;
};

std::unique_ptr<StackWalker> NewWalker() { return std::make_unique<StackWalker>(); }

// By our rows, and by libgcc's unwinder, which is another implementation.
__attribute__((noinline)) void WalkHere(Walks* walks, StackWalker* walker, uint32_t capacity) {
  uintptr_t frames[kCapacity];
  walks->stack = walker->Walk(HereRegisters(), 0, frames, capacity);
  walks->ours.assign(frames, frames + walks->stack.count);
  void* theirs[kCapacity];
  const int count = backtrace(theirs, kCapacity);
  // Their first frame is this function, or the sanitizer's and this function; return addresses of
  // its callers follow.
#ifdef __SANITIZE_ADDRESS__
  constexpr int kOwn = 2;
#else
  constexpr int kOwn = 1;
#endif
  for (int i = kOwn; i < count; ++i)
    walks->libgcc.push_back(reinterpret_cast<uintptr_t>(theirs[i]));
}

__attribute__((noinline)) void Deep(int depth, Walks* walks, StackWalker* walker,
                                    uint32_t capacity = kCapacity) {
  if (depth > 0) {
    Deep(depth - 1, walks, walker, capacity);
  } else {
    WalkHere(walks, walker, capacity);
  }
  asm volatile("" ::: "memory");
}

__attribute__((noinline)) void Aligned(Walks* walks, StackWalker* walker) {
  alignas(64) volatile char room[64];
  room[0] = 1;
  Deep(3, walks, walker);
  asm volatile("" : : "r"(room) : "memory");
}

TEST(NativeStackTest, FindsTheFramesThatLibgccFinds) {
  const auto walker = NewWalker();
  Walks walks;
  Deep(20, &walks, walker.get());
  EXPECT_FALSE(walks.stack.cut);
  EXPECT_GE(walks.ours.size(), 22u);
  EXPECT_EQ(walks.ours, walks.libgcc);
}

TEST(NativeStackTest, FindsTheCallerOfAFunctionThatAlignsItsStack) {
  const auto walker = NewWalker();
  Walks walks;
  Aligned(&walks, walker.get());
  EXPECT_EQ(walks.ours, walks.libgcc);
}

TEST(NativeStackTest, GivesTheSameFromItsKnownRows) {
  const auto walker = NewWalker();
  Walks first, second;
  Deep(10, &first, walker.get());
  Deep(10, &second, walker.get());
  // They differ in the one frame from which they were called here.
  ASSERT_EQ(first.ours.size(), second.ours.size());
  for (size_t i = 0; i < first.ours.size(); ++i) {
    EXPECT_TRUE(i == 11 || first.ours[i] == second.ours[i]) << i;
  }
}

TEST(NativeStackTest, SaysThatItWasCut) {
  const auto walker = NewWalker();
  Walks walks;
  Deep(20, &walks, walker.get(), 8);
  EXPECT_TRUE(walks.stack.cut);
  EXPECT_EQ(walks.ours.size(), 8u);
}

TEST(NativeStackTest, EndsBeforeTheFunctionThatItIsToldToEndAt) {
  const auto walker = NewWalker();
  Walks walks;
  Deep(5, &walks, walker.get());
  uintptr_t aligned = 0;
  FindUnwindRow(reinterpret_cast<uintptr_t>(&Aligned), &aligned);
  ASSERT_EQ(aligned, reinterpret_cast<uintptr_t>(&Aligned));
  struct Stopped {
    __attribute__((noinline)) static void Walk(StackWalker* walker, uintptr_t stop, Walks* out) {
      uintptr_t frames[kCapacity];
      out->stack = walker->Walk(HereRegisters(), stop, frames, kCapacity);
      out->ours.assign(frames, frames + out->stack.count);
      asm volatile("" ::: "memory");
    }
  };
  Walks stopped;
  // Of the function that runs now: the walk ends at once.
  uintptr_t own = 0;
  FindUnwindRow(HereRegisters().rip, &own);
  ASSERT_NE(own, 0u);
  Stopped::Walk(walker.get(), own, &stopped);
  EXPECT_TRUE(stopped.stack.reached_stop);
  EXPECT_TRUE(stopped.ours.empty());
}

ucontext_t main_context, fibre_context;
Walks fibre_walks;
StackWalker* fibre_walker;
void Fibre() { Deep(3, &fibre_walks, fibre_walker); }

TEST(NativeStackTest, WalksAStackThatIsNoThreads) {
  const auto walker = NewWalker();
  Walks before;
  Deep(3, &before, walker.get());
  fibre_walker = walker.get();
  std::vector<char> room(256 << 10);
  getcontext(&fibre_context);
  fibre_context.uc_stack.ss_sp = room.data();
  fibre_context.uc_stack.ss_size = room.size();
  fibre_context.uc_link = &main_context;
  makecontext(&fibre_context, Fibre, 0);
  swapcontext(&main_context, &fibre_context);
  ASSERT_GE(fibre_walks.ours.size(), 5u);
  EXPECT_TRUE(std::equal(fibre_walks.ours.begin(), fibre_walks.ours.begin() + 5,
                         fibre_walks.libgcc.begin()));
}

// Whatever the registers say, nothing outside of the stack is read.
TEST(NativeStackTest, SurvivesWrongRegisters) {
  const auto walker = NewWalker();
  std::mt19937_64 random(1);
  uintptr_t frames[kCapacity];
  for (int i = 0; i < 20000; ++i) {
    Registers here = HereRegisters();
    here.rbp = i % 2 == 0 ? random() : here.rsp + random() % 4096;
    here.rip += static_cast<uintptr_t>(random() % 8192) - 4096;
    const NativeStack stack = walker->Walk(here, 0, frames, kCapacity);
    ASSERT_LE(stack.count, kCapacity);
  }
}

// The object that holds this test, copied.
struct ObjectCopy {
  std::vector<uint8_t> bytes;
  uintptr_t begin = UINTPTR_MAX;
  size_t header = 0;
  size_t header_bytes = 0;
};

// Also what lies between the variables of the object.
__attribute__((no_sanitize("address"))) void CopyRaw(uint8_t* to, uintptr_t from, size_t bytes) {
  const auto* source = reinterpret_cast<const volatile uint8_t*>(from);
  for (size_t i = 0; i < bytes; ++i) to[i] = source[i];
}

int CopyObject(dl_phdr_info* info, size_t, void* data) {
  auto* copy = static_cast<ObjectCopy*>(data);
  const auto wanted = reinterpret_cast<uintptr_t>(&CopyObject);
  bool contains = false;
  uintptr_t end = 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    const uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
    contains = contains || wanted - begin < segment.p_filesz;
    copy->begin = std::min(copy->begin, begin);
    end = std::max(end, begin + segment.p_filesz);
  }
  if (!contains) {
    copy->begin = UINTPTR_MAX;
    return 0;
  }
  copy->bytes.resize(end - copy->begin);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    const uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_GNU_EH_FRAME) {
      copy->header = begin - copy->begin;
      copy->header_bytes = segment.p_memsz;
    }
    if (segment.p_type != PT_LOAD) continue;
    CopyRaw(copy->bytes.data() + (begin - copy->begin), begin, segment.p_filesz);
  }
  return 1;
}

UnwindRow RowInCopy(const ObjectCopy& copy, uintptr_t address, uintptr_t* function) {
  const auto begin = reinterpret_cast<uintptr_t>(copy.bytes.data());
  return FindUnwindRowIn(copy.bytes.data() + copy.header, copy.header_bytes, begin,
                         begin + copy.bytes.size(), begin + (address - copy.begin), function);
}

TEST(UnwindRowsTest, ReadsAnObjectWithFlippedBits) {
  ObjectCopy copy;
  ASSERT_EQ(dl_iterate_phdr(CopyObject, &copy), 1);
  const uintptr_t address = reinterpret_cast<uintptr_t>(&CopyObject) + 1;
  uintptr_t function = 0;
  const UnwindRow whole = RowInCopy(copy, address, &function);
  ASSERT_NE(whole.cfa, CfaRule::kUnknown);
  std::mt19937_64 random(2);
  // The index and what follows it in the file: the entries.
  const size_t room = std::min<size_t>(copy.bytes.size() - copy.header, copy.header_bytes * 6);
  for (int i = 0; i < 3000; ++i) {
    const size_t at = copy.header + random() % room;
    const uint8_t before = copy.bytes[at];
    copy.bytes[at] ^= static_cast<uint8_t>(1 + random() % 255);
    for (int j = 0; j < 20; ++j) {
      RowInCopy(copy, copy.begin + random() % copy.bytes.size(), &function);
    }
    RowInCopy(copy, address, &function);
    copy.bytes[at] = before;
  }
  const UnwindRow again = RowInCopy(copy, address, &function);
  EXPECT_EQ(again.cfa_offset, whole.cfa_offset);
}

TEST(UnwindRowsTest, KnowsNothingOfAddressesInNoObject) {
  uintptr_t function = 1;
  EXPECT_EQ(FindUnwindRow(16, &function).cfa, CfaRule::kUnknown);
  EXPECT_EQ(function, 0u);
}

bool Parse(const char* line, uintptr_t* begin, uintptr_t* end, bool* readable) {
  return ParseMapping(line, line + strlen(line), begin, end, readable);
}

TEST(StackBoundsTest, ReadsLinesOfMaps) {
  uintptr_t begin = 0, end = 0;
  bool readable = false;
  ASSERT_TRUE(Parse("7ffd1000-7ffd3000 rw-p 00000000 00:00 0 [stack]", &begin, &end, &readable));
  EXPECT_EQ(begin, 0x7ffd1000u);
  EXPECT_EQ(end, 0x7ffd3000u);
  EXPECT_TRUE(readable);
  ASSERT_TRUE(Parse("1000-2000 ---p 0", &begin, &end, &readable));
  EXPECT_FALSE(readable);
  for (const char* line : {"", "-", "1000", "1000-", "1000-2000", "x-y rw", "1000 2000 rw"}) {
    EXPECT_FALSE(Parse(line, &begin, &end, &readable)) << line;
  }
}

TEST(StackBoundsTest, FindsTheMappingOfALocal) {
  uintptr_t begin = 0, end = 0;
  const auto here = reinterpret_cast<uintptr_t>(&begin);
  ASSERT_TRUE(FindMappingAt(here, &begin, &end));
  EXPECT_LE(begin, here);
  EXPECT_GT(end, here);
  EXPECT_FALSE(FindMappingAt(16, &begin, &end));
}

}  // namespace
}  // namespace flopsprof::injector

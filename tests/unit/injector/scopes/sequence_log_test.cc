// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/scopes/sequence_log.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <thread>

#include "tests/unit/injector/scopes/fake_torch.h"

namespace flopsprof::injector {
namespace {

class SequenceLogTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ForgetSequenceLogs();
    log_ = AcquireThreadLog(7);
  }
  void TearDown() override { ForgetSequenceLogs(); }

  static uint32_t ScopeOf(uint64_t thread, uint64_t sequence) {
    uint32_t scope = 0;
    EXPECT_EQ(FindNodeScope(thread, sequence, &scope), NodeLookup::kFound);
    return scope;
  }
  static NodeLookup Look(uint64_t thread, uint64_t sequence) {
    uint32_t scope = 99;
    const NodeLookup result = FindNodeScope(thread, sequence, &scope);
    if (result != NodeLookup::kFound) {
      EXPECT_EQ(scope, shm::kOutsideScope);
    }
    return result;
  }
  ThreadLog* log_;
};

TEST_F(SequenceLogTest, FindsTheLastTransitionAtOrBelow) {
  NoteTransition(log_, 10, 1);
  NoteTransition(log_, 20, 2);
  NoteTransition(log_, 30, 3);
  EXPECT_EQ(ScopeOf(7, 10), 1u);
  EXPECT_EQ(ScopeOf(7, 19), 1u);
  EXPECT_EQ(ScopeOf(7, 20), 2u);
  EXPECT_EQ(ScopeOf(7, 29), 2u);
  EXPECT_EQ(ScopeOf(7, 30), 3u);
  EXPECT_EQ(ScopeOf(7, 1000), 3u);
}

TEST_F(SequenceLogTest, NodeBeforeTheFirstTransitionIsBeforeTheLog) {
  NoteTransition(log_, 10, 1);
  EXPECT_EQ(Look(7, 9), NodeLookup::kBeforeLog);
}

TEST_F(SequenceLogTest, UnknownThreadIsBeforeTheLog) {
  EXPECT_EQ(Look(8, 9), NodeLookup::kBeforeLog);
}

TEST_F(SequenceLogTest, TransitionWithoutANodeIsReplaced) {
  NoteTransition(log_, 10, 1);
  NoteTransition(log_, 20, 2);
  NoteTransition(log_, 20, 3);
  EXPECT_EQ(ScopeOf(7, 20), 3u);
  NoteTransition(log_, 20, 1);
  EXPECT_EQ(ScopeOf(7, 25), 1u);
}

TEST_F(SequenceLogTest, CallsThatMakeNoNodeAddNothing) {
  for (int i = 0; i < 1000; ++i) {
    NoteTransition(log_, 10, 1);
    NoteTransition(log_, 10, 0);
  }
  EXPECT_LE(SequenceLogEntries(), 1u);
}

TEST_F(SequenceLogTest, ThreadsDoNotMix) {
  ThreadLog* other = AcquireThreadLog(8);
  NoteTransition(log_, 10, 1);
  NoteTransition(other, 10, 2);
  EXPECT_EQ(ScopeOf(7, 15), 1u);
  EXPECT_EQ(ScopeOf(8, 15), 2u);
}

TEST_F(SequenceLogTest, LogOutlivesItsThread) {
  NoteTransition(log_, 10, 1);
  ReleaseThreadLog(log_);
  EXPECT_EQ(ScopeOf(7, 10), 1u);
}

TEST_F(SequenceLogTest, ManyThreadsAreFound) {
  for (uint32_t i = 100; i < 5000; ++i) NoteTransition(AcquireThreadLog(i), 1, i);
  for (uint32_t i = 100; i < 5000; ++i) ASSERT_EQ(ScopeOf(i, 1), i);
}

TEST_F(SequenceLogTest, OldNodesArePrunedNeverMisnamed) {
  SetSequenceLogLimitForTesting(8 * kChunkEntries);
  for (uint64_t i = 0; i < 1000; ++i) NoteTransition(log_, i, i % 2 == 0 ? 1 : 2);
  EXPECT_LE(SequenceLogEntries(), 8u * kChunkEntries);
  EXPECT_EQ(Look(7, 0), NodeLookup::kPruned);
  uint32_t found = 0;
  for (uint64_t i = 0; i < 1000; ++i) {
    uint32_t scope = 0;
    if (FindNodeScope(7, i, &scope) != NodeLookup::kFound) continue;
    ++found;
    ASSERT_EQ(scope, i % 2 == 0 ? 1u : 2u) << i;
  }
  EXPECT_GE(found, 7u * (kChunkEntries - 1));
}

TEST_F(SequenceLogTest, PruningKeepsTheStateOfAQuietThread) {
  SetSequenceLogLimitForTesting(8 * kChunkEntries);
  ThreadLog* quiet = AcquireThreadLog(8);
  NoteTransition(quiet, 5, 4);
  for (uint64_t i = 0; i < 1000; ++i) NoteTransition(log_, i, i % 2 == 0 ? 1 : 2);
  EXPECT_EQ(ScopeOf(8, 50), 4u);
}

TEST_F(SequenceLogTest, PruningKeepsTheTransitionThatReachesIntoWhatIsLeft) {
  SetSequenceLogLimitForTesting(8 * kChunkEntries);
  ThreadLog* quiet = AcquireThreadLog(8);
  NoteTransition(quiet, 5, 4);
  NoteTransition(quiet, 50, 9);
  for (uint64_t i = 0; i < 1000; ++i) NoteTransition(log_, i, i % 2 == 0 ? 1 : 2);
  EXPECT_EQ(ScopeOf(8, 20), 4u);
  EXPECT_EQ(ScopeOf(8, 50), 9u);
}

TEST_F(SequenceLogTest, LogOfAThreadThatJustEndedIsKept) {
  SetSequenceLogLimitForTesting(8 * kChunkEntries);
  for (uint64_t i = 0; i < 480; ++i) NoteTransition(log_, i, i % 2 == 0 ? 1 : 2);
  ThreadLog* ended = AcquireThreadLog(8);
  NoteTransition(ended, 1, 5);
  NoteTransition(ended, 2, 6);
  ReleaseThreadLog(ended);
  for (uint64_t i = 480; i < 700; ++i) NoteTransition(log_, i, i % 2 == 0 ? 1 : 2);
  EXPECT_EQ(Look(7, 0), NodeLookup::kPruned);
  EXPECT_EQ(ScopeOf(8, 1), 5u);
}

TEST_F(SequenceLogTest, LogsOfEndedThreadsGoAndTheirNodesArePruned) {
  SetSequenceLogLimitForTesting(8 * kChunkEntries);
  ThreadLog* ended = AcquireThreadLog(8);
  NoteTransition(ended, 1, 5);
  NoteTransition(ended, 2, 6);
  NoteTransition(ended, 3, 7);
  ReleaseThreadLog(ended);
  for (uint64_t i = 0; i < 1000; ++i) NoteTransition(log_, i, i % 2 == 0 ? 1 : 2);
  EXPECT_EQ(Look(8, 2), NodeLookup::kPruned);
  EXPECT_EQ(Look(9, 2), NodeLookup::kBeforeLog);
}

TEST_F(SequenceLogTest, ALogIsGivenToAnotherThreadOnlyAfterTheEndOfItsOwn) {
  for (uint64_t i = 1; i < 8; ++i) ASSERT_NE(AcquireThreadLog(7 + i * 1024), nullptr) << i;
  NoteTransition(log_, 1, 3);
  EXPECT_EQ(AcquireThreadLog(7 + 8 * 1024), nullptr);
  EXPECT_EQ(ScopeOf(7, 1), 3u);
}

TEST_F(SequenceLogTest, NodesOfAThreadWithoutAPlaceArePruned) {
  ThreadLog* second = AcquireThreadLog(7 + 1024);
  for (uint64_t i = 2; i < 8; ++i) ASSERT_NE(AcquireThreadLog(7 + i * 1024), nullptr) << i;
  EXPECT_EQ(AcquireThreadLog(7 + 8 * 1024), nullptr);
  EXPECT_EQ(Look(7 + 8 * 1024, 1), NodeLookup::kPruned);
  NoteTransition(log_, 1, 3);
  NoteTransition(second, 1, 4);
  ReleaseThreadLog(second);
  ThreadLog* late = AcquireThreadLog(7 + 9 * 1024);
  ASSERT_EQ(late, second);
  NoteTransition(late, 1, 5);
  EXPECT_EQ(ScopeOf(7, 1), 3u);
  EXPECT_EQ(Look(7 + 1024, 1), NodeLookup::kPruned);
  EXPECT_EQ(ScopeOf(7 + 9 * 1024, 1), 5u);
}

// Where the last answer was only says where to look first: any order of questions, in two logs in
// turn, has the answers of a map.
TEST_F(SequenceLogTest, AnswersDoNotDependOnTheOrderOfQuestions) {
  std::mt19937_64 chance(1);
  std::map<uint64_t, uint32_t> expected[2];
  ThreadLog* logs[2] = {log_, AcquireThreadLog(8)};
  uint64_t sequence = 100;
  for (uint32_t i = 0; i < 3000; ++i) {
    sequence += 1 + chance() % 5;
    const uint32_t which = chance() % 2;
    expected[which][sequence] = i + 1;
    NoteTransition(logs[which], sequence, i + 1);
  }
  const auto check = [&](int which, uint64_t asked) {
    const auto next = expected[which].upper_bound(asked);
    if (next == expected[which].begin()) {
      EXPECT_EQ(Look(7 + which, asked), NodeLookup::kBeforeLog) << asked;
    } else {
      EXPECT_EQ(ScopeOf(7 + which, asked), std::prev(next)->second) << asked;
    }
  };
  for (uint64_t asked = sequence + 3; asked > 90; --asked) check(0, asked);
  for (uint64_t asked = 90; asked < sequence + 3; ++asked) check(1, asked);
  for (uint64_t asked = sequence; asked > 90; --asked) check(asked % 2, asked);
  for (int i = 0; i < 20000; ++i) check(chance() % 2, 90 + chance() % (sequence - 80));
}

TEST_F(SequenceLogTest, LogsThatTakeEachOthersChunksNeverMisnameANode) {
  SetSequenceLogLimitForTesting(16 * kChunkEntries);
  constexpr uint64_t kThreads = 3;
  std::atomic<bool> stop{false};
  std::atomic<uint64_t> newest[kThreads] = {};
  std::thread owners[kThreads];
  for (uint64_t t = 0; t < kThreads; ++t) {
    owners[t] = std::thread([&, t] {
      ThreadLog* log = AcquireThreadLog(100 + t);
      for (uint64_t i = 1; !stop; ++i) {
        NoteTransition(log, i, static_cast<uint32_t>(i * kThreads + t));
        newest[t] = i;
      }
    });
  }
  uint64_t wrong = 0, found = 0;
  for (uint64_t round = 0; found < 200000; ++round) {
    const uint64_t t = round % kThreads;
    const uint64_t now = newest[t];
    const uint64_t sequence = now > round % 400 ? now - round % 400 : now;
    uint32_t scope = 0;
    if (sequence == 0) continue;
    if (FindNodeScope(100 + t, sequence, &scope) != NodeLookup::kFound) continue;
    ++found;
    if (scope != static_cast<uint32_t>(sequence * kThreads + t)) ++wrong;
  }
  stop = true;
  for (std::thread& owner : owners) owner.join();
  EXPECT_EQ(wrong, 0u);
}

TEST_F(SequenceLogTest, ReadersSeeWholeTransitionsWhileTheOwnerWrites) {
  NoteTransition(log_, 0, 1);
  std::atomic<bool> stop{false};
  std::thread owner([&] {
    for (uint64_t i = 1; !stop; ++i) NoteTransition(log_, i, static_cast<uint32_t>(i % 1000) + 1);
  });
  uint64_t wrong = 0;
  for (uint64_t round = 0; round < 200000; ++round) {
    const uint64_t sequence = round % 4096;
    uint32_t scope = 0;
    if (FindNodeScope(7, sequence, &scope) != NodeLookup::kFound) continue;
    // The transition of this number, or of an earlier one while this one was not yet made.
    if (scope > sequence % 1000 + 1 && sequence < 1000) ++wrong;
  }
  stop = true;
  owner.join();
  EXPECT_EQ(wrong, 0u);
}

}  // namespace
}  // namespace flopsprof::injector

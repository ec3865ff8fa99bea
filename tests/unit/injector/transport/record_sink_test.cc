// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/transport/record_sink.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <thread>
#include <vector>

#include "injector/base/platform.h"
#include "injector/transport/ring_writer.h"
#include "injector/transport/thread_state.h"
#include "tests/support/injector/test_segment.h"

namespace flopsprof::injector {
namespace {

using test::Only;
using test::RawRecord;
using test::TestSegment;

shm::StepRecord AnyRecord() {
  shm::StepRecord record{};
  record.header.type = static_cast<uint16_t>(shm::RecordType::kStep);
  return record;
}

TEST(RecordSinkTest, NothingIsWrittenWithoutASegment) {
  const auto record = AnyRecord();
  EXPECT_FALSE(IsRecording());
  EXPECT_FALSE(EmitRecord(&record));
  EXPECT_EQ(InternString("name"), shm::kNoString);
}

TEST(RecordSinkTest, TheAgentCanStopTheRecording) {
  TestSegment segment;
  segment.Use();
  const auto record = AnyRecord();
  EXPECT_TRUE(EmitRecord(&record));
  segment.header()->recording.store(0);
  EXPECT_FALSE(EmitRecord(&record));
  EXPECT_EQ(segment.Drain().size(), 1u);
}

TEST(RecordSinkTest, CountsEveryRecordThatAFullRingRefuses) {
  TestSegment segment(1, 4);
  segment.Use();
  const auto record = AnyRecord();
  for (int i = 0; i < 11; ++i) EmitRecord(&record);
  EXPECT_EQ(segment.loss(shm::LossCounter::kRingFull), 7u);
  EXPECT_EQ(segment.slot(0)->dropped.load(), 7u);
  EXPECT_EQ(segment.Drain().size(), 4u);
}

TEST(RecordSinkTest, ThreadsThatMayWaitForRoomDoNotWhileNobodyDoes) {
  TestSegment segment(1, 4);
  segment.Use();
  const auto record = AnyRecord();
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(EmitRecord(&record));
  constexpr uint64_t kPatienceNs = 30'000'000'000;
  CurrentThread()->patient_until_ns = MonoNs() + kPatienceNs;
  {
    const NobodyWaitsForRoom outer;
    { const NobodyWaitsForRoom inner; }
    const uint64_t begin_ns = MonoNs();
    EXPECT_FALSE(EmitRecord(&record));
    EXPECT_LT(MonoNs() - begin_ns, kPatienceNs / 2);
    EXPECT_EQ(segment.loss(shm::LossCounter::kRingFull), 1u);
  }
  // Else it waits: for an agent that makes room.
  std::thread agent([&segment] { segment.Drain(); });
  EXPECT_TRUE(EmitRecord(&record));
  agent.join();
  CurrentThread()->patient_until_ns = 0;
}

TEST(RecordSinkTest, RoomForAllPartsOrForNone) {
  TestSegment segment(1, 4);
  segment.Use();
  const auto record = AnyRecord();
  EXPECT_FALSE(ReserveRoom(5));
  EXPECT_EQ(segment.loss(shm::LossCounter::kRingFull), 5u);
  ASSERT_TRUE(EmitRecord(&record));
  EXPECT_FALSE(ReserveRoom(4));
  ASSERT_TRUE(ReserveRoom(3));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(EmitRecord(&record));
  EXPECT_EQ(segment.loss(shm::LossCounter::kRingFull), 9u);
}

TEST(RecordSinkTest, CountsRecordsOfAThreadWithoutASlot) {
  TestSegment segment(1, 4);
  segment.Use();
  const auto record = AnyRecord();
  ASSERT_TRUE(EmitRecord(&record));
  std::thread other([&] {
    for (int i = 0; i < 3; ++i) EmitRecord(&record);
  });
  other.join();
  EXPECT_EQ(segment.loss(shm::LossCounter::kNoSlot), 3u);
}

TEST(RecordSinkTest, TheSlotOfAnEndedThreadIsRetired) {
  TestSegment segment;
  segment.Use();
  std::thread other([&] {
    const auto record = AnyRecord();
    EmitRecord(&record);
  });
  other.join();
  EXPECT_EQ(segment.slot(0)->state.load(), static_cast<uint32_t>(shm::SlotState::kRetired));
  EXPECT_EQ(segment.Drain().size(), 1u);
}

TEST(RecordSinkTest, OneSlotServesManyThreadsOneAfterTheOther) {
  TestSegment segment(1, 4);
  segment.Use();
  for (int i = 0; i < 100; ++i) {
    std::thread other([&] {
      const auto record = AnyRecord();
      EmitRecord(&record);
    });
    other.join();
    ASSERT_EQ(segment.Drain().size(), 1u);
  }
  EXPECT_EQ(segment.loss(shm::LossCounter::kNoSlot), 0u);
  EXPECT_EQ(segment.slot(0)->generation.load(), 100u);
}

TEST(RecordSinkTest, LossesBeforeTheSegmentAreCarriedIntoIt) {
  CountLoss(shm::LossCounter::kAgentLate, 5);
  TestSegment segment;
  segment.Use();
  CountLoss(shm::LossCounter::kAgentLate, 2);
  EXPECT_EQ(segment.loss(shm::LossCounter::kAgentLate), 7u);
}

TEST(RecordSinkTest, AStringIsDefinedOncePerSegment) {
  {
    TestSegment segment;
    segment.Use();
    const uint32_t id = InternString("conv1.weight");
    EXPECT_NE(id, shm::kNoString);
    EXPECT_EQ(InternString("conv1.weight"), id);
    const auto records = segment.Drain();
    ASSERT_EQ(records.size(), 1u);
    EXPECT_EQ(records[0].As<shm::BlobBegin>().id, id);
    EXPECT_EQ(test::BlobText(records, 0), "conv1.weight");
  }
  TestSegment next;
  next.Use();
  InternString("conv1.weight");
  EXPECT_EQ(next.Drain().size(), 1u);
}

TEST(RecordSinkTest, ALongBlobArrivesWhole) {
  TestSegment segment;
  segment.Use();
  std::string text;
  for (int i = 0; i < 137; ++i) text += static_cast<char>('a' + i % 26);
  ASSERT_TRUE(EmitBlob(shm::BlobKind::kCudnnPlan, 3, text.data(), text.size()));
  const auto records = segment.Drain();
  ASSERT_EQ(records.size(), 4u);  // 40 + 48 + 48 + 1 bytes
  EXPECT_EQ(test::BlobText(records, 0), text);
}

TEST(RecordSinkTest, ABlobThatDoesNotFitLeavesNoPart) {
  TestSegment segment(1, 4);
  segment.Use();
  const std::string text(40 + 48 * 4, 'x');  // 5 records
  EXPECT_FALSE(EmitBlob(shm::BlobKind::kCudnnPlan, 3, text.data(), text.size()));
  EXPECT_EQ(segment.Drain().size(), 0u);
  EXPECT_EQ(segment.loss(shm::LossCounter::kRingFull), 5u);
}

TEST(RecordSinkTest, ABlobBeyondTheLimitIsCounted) {
  TestSegment segment;
  segment.Use();
  const std::string text(shm::kMaxBlobBytes + 1, 'x');
  EXPECT_FALSE(EmitBlob(shm::BlobKind::kCudnnPlan, 3, text.data(), text.size()));
  EXPECT_EQ(segment.loss(shm::LossCounter::kBlobTooLarge), 1u);
}

TEST(RecordSinkTest, AStringWhoseDefinitionWasDroppedIsSentAgain) {
  TestSegment segment(1, 4);
  segment.Use();
  const auto record = AnyRecord();
  for (int i = 0; i < 4; ++i) EmitRecord(&record);
  EXPECT_EQ(InternString("late"), shm::kNoString);
  segment.Drain();
  EXPECT_NE(InternString("late"), shm::kNoString);
  EXPECT_EQ(segment.Drain().size(), 1u);
}

TEST(RecordSinkTest, ANoteNamesKeyAndValue) {
  TestSegment segment;
  segment.Use();
  EmitNote("cupti", "recording");
  const auto notes = test::Only<shm::NoteRecord>(segment.Drain(), shm::RecordType::kNote);
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0].key, InternString("cupti"));
  EXPECT_EQ(notes[0].value, InternString("recording"));
}

TEST(CallsTest, EachIsCountedWhereItWent) {
  TestSegment first(1, 2), second;
  first.Use();
  shm::GemmCall call{};
  call.header.type = static_cast<uint16_t>(shm::RecordType::kGemmCall);
  EXPECT_TRUE(EmitCall(&call));
  EXPECT_TRUE(EmitCall(&call));
  EXPECT_FALSE(EmitCall(&call));  // full
  EXPECT_EQ(first.slot(0)->calls.load(), 2u);
  EXPECT_EQ(first.header()->calls_dropped.load(), 1u);
  GoAway();
  EXPECT_TRUE(EmitCall(&call));
  second.Use();
  EXPECT_TRUE(EmitCall(&call));
  EXPECT_EQ(second.slot(0)->calls.load(), 1u);
  EXPECT_EQ(second.header()->calls_away.load(), 1u);
  EXPECT_EQ(second.header()->calls_dropped.load(), 1u);
  EXPECT_EQ(second.loss(shm::LossCounter::kAgentAway), 1u);
}

TEST(CallsTest, PartsStayInTheRingThatHadTheRoom) {
  TestSegment first, second;
  first.Use();
  shm::LibraryCall part{};
  part.header.type = static_cast<uint16_t>(shm::RecordType::kLibraryCall);
  ASSERT_TRUE(ReserveRoom(2));
  EmitPart(&part);
  GoAway();
  second.Use();
  EmitLastPart(&part);
  EXPECT_EQ(first.slot(0)->calls.load(), 1u);
  EXPECT_EQ(Only<shm::LibraryCall>(first.Drain(), shm::RecordType::kLibraryCall).size(), 2u);
  EXPECT_EQ(second.slot(0)->calls.load(), 0u);
}

TEST(TellAgainTest, NotesAndNamesAreSentToTheNextAgent) {
  TestSegment first, second;
  first.Use();
  EmitNote("tell again", "old");
  EmitNote("tell again", "new");
  GoAway();
  EmitNote("told while away", "yes");
  second.Use();
  TellAgain();
  const std::vector<RawRecord> records = second.Drain();
  std::set<uint32_t> defined;
  for (const auto& blob : Only<shm::BlobBegin>(records, shm::RecordType::kBlobBegin)) {
    defined.insert(blob.id);
  }
  size_t notes = 0;
  for (const auto& note : Only<shm::NoteRecord>(records, shm::RecordType::kNote)) {
    EXPECT_EQ(defined.count(note.key), 1u);
    EXPECT_EQ(defined.count(note.value), 1u);
    ++notes;
  }
  EXPECT_GE(notes, 2u);
}

}  // namespace
}  // namespace flopsprof::injector

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/rings/ring_reader.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "collector/agent/processes/process_recorder.h"
#include "tests/support/fake_injector.h"
#include "tests/support/profile_sum.h"

namespace flopsprof::agent {
namespace {

using testing::FakeInjector;

// Keeps every record and its ring.
class KeepingSink : public RecordBatchSink {
 public:
  struct Kept {
    RingId ring;
    shm::LaunchRecord record;
  };
  void OnBatch(RingId ring, const std::byte* records, size_t count) override {
    for (size_t i = 0; i < count; i++) {
      shm::LaunchRecord record;
      std::memcpy(&record, records + i * sizeof record, sizeof record);
      kept.push_back({ring, record});
    }
  }
  std::vector<Kept> kept;
};

class RingReaderTest : public ::testing::Test {
 protected:
  static constexpr uint32_t kRecords = 8;
  Segment segment_ = *Segment::Create({.slot_count = 2, .ring_records = kRecords});
  FakeInjector injector_{segment_.fd(), segment_.bytes()};
  RingReader reader_{&segment_};
  KeepingSink sink_;
};

TEST_F(RingReaderTest, ReadsRecordsInOrder) {
  FakeInjector::Ring ring = injector_.Claim();
  ring.Write(testing::Launch(7, 0, 0));
  ring.Write(testing::Launch(8, 0, 0));
  EXPECT_EQ(reader_.Pass(100, &sink_).records, 2u);
  ASSERT_EQ(sink_.kept.size(), 2u);
  EXPECT_EQ(sink_.kept[0].record.correlation, 7u);
  EXPECT_EQ(sink_.kept[1].record.correlation, 8u);
  EXPECT_EQ(reader_.Pass(100, &sink_).records, 0u);
}

TEST_F(RingReaderTest, ReadsAcrossTheEndOfTheRing) {
  FakeInjector::Ring ring = injector_.Claim();
  for (uint32_t i = 0; i < 6; i++) ring.Write(testing::Launch(i, 0, 0));
  reader_.Pass(100, &sink_);
  for (uint32_t i = 6; i < 12; i++) ring.Write(testing::Launch(i, 0, 0));
  reader_.Pass(100, &sink_);
  ASSERT_EQ(sink_.kept.size(), 12u);
  EXPECT_EQ(sink_.kept[11].record.correlation, 11u);
}

TEST_F(RingReaderTest, LeavesARingWhenItsShareIsTaken) {
  FakeInjector::Ring ring = injector_.Claim();
  for (uint32_t i = 0; i < 5; i++) ring.Write(testing::Launch(i, 0, 0));
  const RingReader::PassResult result = reader_.Pass(3, &sink_);
  EXPECT_EQ(result.records, 3u);
  EXPECT_TRUE(result.more);
}

TEST_F(RingReaderTest, GivesRoomBackToAFullRing) {
  FakeInjector::Ring ring = injector_.Claim();
  for (uint32_t i = 0; i < kRecords; i++) EXPECT_TRUE(ring.Write(testing::Launch(i, 0, 0)));
  EXPECT_FALSE(ring.Write(testing::Launch(99, 0, 0)));
  EXPECT_EQ(reader_.dropped_count(), 1u);
  reader_.Pass(100, &sink_);
  EXPECT_TRUE(ring.Write(testing::Launch(100, 0, 0)));
}

TEST_F(RingReaderTest, FreesTheSlotOfAnEndedThreadOnlyWhenItIsEmpty) {
  FakeInjector::Ring ring = injector_.Claim();
  for (uint32_t i = 0; i < 4; i++) ring.Write(testing::Launch(i, 0, 0));
  ring.Retire();
  reader_.Pass(3, &sink_);
  EXPECT_EQ(injector_.slot(0).state.load(), static_cast<uint32_t>(shm::SlotState::kRetired));
  reader_.Pass(3, &sink_);
  EXPECT_EQ(injector_.slot(0).state.load(), static_cast<uint32_t>(shm::SlotState::kFree));
  EXPECT_EQ(sink_.kept.size(), 4u);
}

TEST_F(RingReaderTest, ANewOwnerIsANewGeneration) {
  FakeInjector::Ring first = injector_.Claim();
  first.Write(testing::Launch(1, 0, 0));
  first.Retire();
  reader_.Pass(100, &sink_);
  FakeInjector::Ring second = injector_.Claim();
  ASSERT_EQ(second.slot(), first.slot());
  second.Write(testing::Launch(2, 0, 0));
  reader_.Pass(100, &sink_);
  ASSERT_EQ(sink_.kept.size(), 2u);
  EXPECT_EQ(sink_.kept[0].ring.generation, 1u);
  EXPECT_EQ(sink_.kept[1].ring.generation, 2u);
}

TEST_F(RingReaderTest, ReadsTheSlotBehindOneThatIsFreeAgain) {
  FakeInjector::Ring first = injector_.Claim();
  FakeInjector::Ring second = injector_.Claim();
  first.Retire();
  reader_.Pass(100, &sink_);
  second.Write(testing::Launch(5, 0, 0));
  EXPECT_EQ(reader_.Pass(100, &sink_).records, 1u);
}

TEST_F(RingReaderTest, ReadsASlotThatIsClaimedLater) {
  injector_.Claim();
  reader_.Pass(100, &sink_);
  injector_.Claim().Write(testing::Launch(5, 0, 0));
  EXPECT_EQ(reader_.Pass(100, &sink_).records, 1u);
}

TEST_F(RingReaderTest, APositionThatJumpsAheadIsCountedAndNotRead) {
  FakeInjector::Ring ring = injector_.Claim();
  injector_.slot(ring.slot()).head.store(kRecords + 1);
  EXPECT_EQ(reader_.Pass(100, &sink_).records, 0u);
  EXPECT_EQ(reader_.corrupt_position_count(), 1u);
}

TEST_F(RingReaderTest, APositionThatFallsIsCountedAndReadingGoesOnFromThere) {
  FakeInjector::Ring ring = injector_.Claim();
  for (uint32_t i = 0; i < 4; i++) ring.Write(testing::Launch(i, 0, 0));
  reader_.Pass(100, &sink_);
  injector_.slot(ring.slot()).head.store(1);
  EXPECT_EQ(reader_.Pass(100, &sink_).records, 0u);
  EXPECT_EQ(reader_.corrupt_position_count(), 1u);
  ring.Write(testing::Launch(50, 0, 0));
  EXPECT_EQ(reader_.Pass(100, &sink_).records, 1u);
  EXPECT_EQ(sink_.kept.back().record.correlation, 50u);
}

TEST(RingReaderThreadTest, LosesNothingAgainstAWriterOnAnotherThread) {
  constexpr uint32_t kCount = 5000;
  Segment segment = *Segment::Create({.slot_count = 1, .ring_records = 64});
  FakeInjector injector(segment.fd(), segment.bytes());
  RingReader reader(&segment);
  KeepingSink sink;
  std::thread writer([&] {
    FakeInjector::Ring ring = injector.Claim();
    for (uint32_t i = 0; i < kCount; i++) {
      while (!ring.Write(testing::Launch(i, 0, 0))) std::this_thread::yield();
    }
  });
  while (sink.kept.size() < kCount) reader.Pass(1000, &sink);
  writer.join();
  uint32_t wrong = 0;
  for (uint32_t i = 0; i < kCount; i++) wrong += sink.kept[i].record.correlation != i ? 1 : 0;
  EXPECT_EQ(wrong, 0u);
  EXPECT_EQ(reader.corrupt_position_count(), 0u);
}

// A process that scribbles over all of its mapping costs us neither a crash nor a hang.
TEST(HostileProducerTest, ScribblingOverTheWholeMappingIsSurvived) {
  Segment segment = *Segment::Create({.slot_count = 4, .ring_records = 256});
  FakeInjector injector(segment.fd(), segment.bytes());
  const size_t bytes = segment.bytes();
  ProcessRecorder recorder(std::move(segment), {}, {}, std::nullopt);
  std::mt19937_64 random(1);
  testing::ProfileSum sent;
  for (int round = 0; round < 3000; round++) {
    for (int i = 0; i < 64; i++) {
      const uint64_t value = random();
      std::memcpy(injector.base() + random() % (bytes - 8), &value, 8);
    }
    // Records of every type with random contents at plausible positions, so that all of the
    // decoder is reached.
    for (uint32_t slot = 0; slot < 4; slot++) {
      shm::LaunchRecord record;
      for (size_t at = 0; at < sizeof record; at += 8) {
        const uint64_t value = random();
        std::memcpy(reinterpret_cast<char*>(&record) + at, &value, 8);
      }
      record.header = testing::Header(static_cast<shm::RecordType>(random() % 20),
                                      static_cast<shm::Phase>(random() % 6), random() % 8);
      record.correlation = random() % 64;
      record.call = random() % 64;
      FakeInjector::Ring ring(&injector, slot);
      // The copy of the shape that this writer uses is part of what was scribbled over.
      injector.header().ring_records = 256;
      injector.header().first_slot = shm::kSegmentHeaderBytes;
      injector.header().slot_stride = shm::SlotStride(256);
      ring.Write(record);
    }
    recorder.Drain(static_cast<uint64_t>(round) * 10'000'000);
    if (round % 100 == 0) {
      v1::ProcessProfile profile;
      recorder.Emit(2000, &profile);
      sent.Add(profile);
      std::string bytes_out;
      ASSERT_TRUE(profile.SerializeToString(&bytes_out));
      ASSERT_TRUE(profile.ParseFromString(bytes_out));
    }
  }
  recorder.Finish(ProcessEnd(), 1'000'000'000'000);
  v1::ProcessProfile profile;
  EXPECT_TRUE(recorder.Emit(2000, &profile));
  sent.Add(profile);
  EXPECT_GT(sent.loss["malformed_record"], 0u);
  EXPECT_GT(sent.loss["ring_corrupt"], 0u);
}

TEST(SegmentTest, CannotBeShrunkOrGrownByTheOtherSide) {
  const Segment segment = *Segment::Create({.slot_count = 1, .ring_records = 64});
  EXPECT_NE(::ftruncate(segment.fd(), 4096), 0);
  EXPECT_NE(::ftruncate(segment.fd(), static_cast<off_t>(segment.bytes() * 2)), 0);
}

TEST(SegmentTest, RefusesSizesThatAreNoPowerOfTwo) {
  EXPECT_FALSE(Segment::Create({.slot_count = 1, .ring_records = 100}).ok());
  EXPECT_FALSE(Segment::Create({.slot_count = 0, .ring_records = 64}).ok());
}

}  // namespace
}  // namespace flopsprof::agent

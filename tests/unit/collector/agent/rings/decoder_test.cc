// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/rings/decoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <string>

#include "tests/support/fake_injector.h"

namespace flopsprof::agent {
namespace {

using ::testing::_;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::StrictMock;

class MockHandler : public RecordHandler {
 public:
  MOCK_METHOD(void, OnString, (uint32_t, std::string), (override));
  MOCK_METHOD(void, OnCudnnPlan, (uint32_t, std::string), (override));
  MOCK_METHOD(void, OnScope, (const shm::ScopeRecord&), (override));
  MOCK_METHOD(void, OnModule, (const shm::ModuleRecord&), (override));
  MOCK_METHOD(void, OnScopeEnter, (const shm::ScopeEnter&), (override));
  MOCK_METHOD(void, OnScopeExit, (RingId, const shm::ScopeExit&), (override));
  MOCK_METHOD(void, OnGemm, (RingId, const shm::GemmCall&), (override));
  MOCK_METHOD(void, OnLibraryCall, (RingId, const shm::LibraryCall&), (override));
  MOCK_METHOD(void, OnCudnn, (RingId, const shm::CudnnCall&), (override));
  MOCK_METHOD(void, OnCollective, (RingId, const shm::CollectiveCall&), (override));
  MOCK_METHOD(void, OnCallEnd, (RingId, const shm::CallEnd&), (override));
  MOCK_METHOD(void, OnLaunch, (RingId, const shm::LaunchRecord&), (override));
  MOCK_METHOD(void, OnGraphLaunch, (const shm::GraphLaunch&), (override));
  MOCK_METHOD(void, OnGraphEvent, (const shm::GraphEvent&), (override));
  MOCK_METHOD(void, OnGraphCall, (RingId, const shm::GraphCall&), (override));
  MOCK_METHOD(void, OnGraphNode, (RingId, const shm::GraphNode&), (override));
  MOCK_METHOD(void, OnActivity, (const shm::ActivityRecord&), (override));
  MOCK_METHOD(void, OnStep, (const shm::StepRecord&), (override));
  MOCK_METHOD(void, OnDevice, (const shm::DeviceRecord&), (override));
  MOCK_METHOD(void, OnNote, (const shm::NoteRecord&), (override));
  MOCK_METHOD(void, OnGoodbye, (const shm::GoodbyeRecord&), (override));
};

class DecoderTest : public ::testing::Test {
 protected:
  template <class Record>
  void Feed(const Record& record, RingId ring = {0, 1}) {
    alignas(uint64_t) std::array<std::byte, sizeof record> bytes;
    std::memcpy(bytes.data(), &record, sizeof record);
    decoder_.OnBatch(ring, bytes.data(), 1);
  }
  // A record in hexadecimal digits, blanks ignored, the rest zero.
  void FeedHex(const std::string& digits) {
    alignas(uint64_t) std::array<std::byte, shm::kRecordBytes> bytes = {};
    std::string packed;
    for (char digit : digits) {
      if (digit != ' ') packed += digit;
    }
    for (size_t i = 0; 2 * i + 1 < packed.size(); i++) {
      bytes[i] = static_cast<std::byte>(std::stoi(packed.substr(2 * i, 2), nullptr, 16));
    }
    decoder_.OnBatch({0, 1}, bytes.data(), 1);
  }
  shm::BlobBegin Begin(uint32_t id, uint32_t total, const char* text) {
    shm::BlobBegin begin = {};
    begin.header = testing::Header(shm::RecordType::kBlobBegin);
    begin.kind = static_cast<uint16_t>(shm::BlobKind::kString);
    begin.id = id;
    begin.total_bytes = total;
    begin.inline_bytes = static_cast<uint32_t>(std::strlen(text));
    std::memcpy(begin.data, text, begin.inline_bytes);
    return begin;
  }
  shm::BlobPart Part(uint32_t id, uint32_t offset, const char* text) {
    shm::BlobPart part = {};
    part.header = testing::Header(shm::RecordType::kBlobPart);
    part.id = id;
    part.offset = offset;
    std::memcpy(part.data, text, std::strlen(text));
    return part;
  }

  StrictMock<MockHandler> handler_;
  Decoder decoder_{&handler_};
};

// Bytes by hand: the format is what it is, whatever the compiler thinks of the structs.
TEST_F(DecoderTest, ReadsTheBytesOfAGemm) {
  EXPECT_CALL(handler_,
              OnGemm(_, AllOf(Field(&shm::GemmCall::call, 0x11u), Field(&shm::GemmCall::scope, 5u),
                              Field(&shm::GemmCall::api, 1), Field(&shm::GemmCall::math_mode, 3),
                              Field(&shm::GemmCall::m, 120), Field(&shm::GemmCall::n, 8),
                              Field(&shm::GemmCall::k, 400), Field(&shm::GemmCall::batch, 1),
                              Field(&shm::GemmCall::mono_ns, 0x0102030405060708u))));
  FeedHex(
      "0600 01 00 02000000  11000000 05000000  0100 00 00 00 00 03 00"
      "7800000000000000 0800000000000000 9001000000000000 0100000000000000 0807060504030201");
}

TEST_F(DecoderTest, ReadsTheBytesOfALibraryCall) {
  EXPECT_CALL(
      handler_,
      OnLibraryCall(
          _,
          AllOf(Field(&shm::LibraryCall::call, 0x11u), Field(&shm::LibraryCall::scope, 5u),
                Field(&shm::LibraryCall::api, 0x0123), Field(&shm::LibraryCall::type, 1),
                Field(&shm::LibraryCall::compute_type, 68), Field(&shm::LibraryCall::math_mode, 3),
                Field(&shm::LibraryCall::variant, 2), Field(&shm::LibraryCall::reason, 5),
                Field(&shm::LibraryCall::sizes, ElementsAre(120, 8, 400, 1, -1)))));
  FeedHex(
      "1500 01 08 02000000  11000000 05000000  2301 01 44 03 02 05 00"
      "7800000000000000 0800000000000000 9001000000000000 0100000000000000 ffffffffffffffff");
}

TEST_F(DecoderTest, ReadsTheBytesOfALaunch) {
  EXPECT_CALL(handler_, OnLaunch(_, AllOf(Field(&shm::LaunchRecord::correlation, 0x2au),
                                          Field(&shm::LaunchRecord::scope, 3u),
                                          Field(&shm::LaunchRecord::call, 9u),
                                          Field(&shm::LaunchRecord::cbid, 505))));
  FeedHex("0900 02 00 01000000  2a000000 03000000 09000000 f901 02 00");
}

TEST_F(DecoderTest, ReadsTheHostsClockOfALaunch) {
  EXPECT_CALL(handler_,
              OnLaunch(_, AllOf(Field(&shm::LaunchRecord::correlation, 0x2au),
                                Field(&shm::LaunchRecord::stack_launches, 0u),
                                Field(&shm::LaunchRecord::mono_ns, 0x0102030405060708u))));
  FeedHex(
      "0900 02 00 01000000  2a000000 03000000 09000000 f901 02 00 00000000 00000000"
      "0807060504030201");
}

TEST_F(DecoderTest, ReadsTheBytesOfATimedEntryOfAScope) {
  EXPECT_CALL(handler_, OnScopeEnter(AllOf(Field(&shm::ScopeEnter::scope, 5u),
                                           Field(&shm::ScopeEnter::mono_ns, 0x0102030405060708u),
                                           Field(&shm::ScopeEnter::range, 0x11u),
                                           Field(&shm::ScopeEnter::frame, 3u))));
  FeedHex(
      "0500 01 00 02000000  05000000 00000000 0000000000000000 00000000 00 000000"
      "0807060504030201 1100000000000000 03000000");
}

TEST_F(DecoderTest, ReadsTheBytesOfTheEndOfAScope) {
  EXPECT_CALL(
      handler_,
      OnScopeExit(_, AllOf(Field(&shm::ScopeExit::scope, 5u), Field(&shm::ScopeExit::frame, 3u),
                           Field(&shm::ScopeExit::mono_ns, 0x0102030405060708u),
                           Field(&shm::ScopeExit::range, 0x11u), Field(&shm::ScopeExit::kind, 2))));
  FeedHex("1d00 01 00 02000000  05000000 03000000 0807060504030201 1100000000000000 02");
}

TEST_F(DecoderTest, AnEndOfAScopeOfNoKindIsMalformed) {
  FeedHex("1d00 01 00 02000000  05000000 03000000 0807060504030201 1100000000000000 00");
  FeedHex("1d00 01 00 02000000  05000000 03000000 0807060504030201 1100000000000000 04");
  EXPECT_EQ(decoder_.malformed_count(), 2u);
}

TEST_F(DecoderTest, ReadsTheBytesOfAnActivity) {
  EXPECT_CALL(handler_, OnActivity(AllOf(Field(&shm::ActivityRecord::correlation, 0x2au),
                                         Field(&shm::ActivityRecord::name, 7u),
                                         Field(&shm::ActivityRecord::kind, 1),
                                         Field(&shm::ActivityRecord::device, 1),
                                         Field(&shm::ActivityRecord::start_gpu_ns, 1000u),
                                         Field(&shm::ActivityRecord::end_gpu_ns, 1500u),
                                         Field(&shm::ActivityRecord::graph_node, 4u))));
  FeedHex(
      "0a00 00 00 ffffffff  2a000000 07000000 01 00 0100 02000000"
      "e803000000000000 dc05000000000000 0000000000000000 0400000000000000");
}

TEST_F(DecoderTest, SkipsAndCountsAnUnknownType) {
  FeedHex("ff7f 00 00");
  EXPECT_EQ(decoder_.unknown_type_count(), 1u);
  EXPECT_EQ(decoder_.malformed_count(), 0u);
}

TEST_F(DecoderTest, CountsTypeZeroAndAnImpossiblePhase) {
  FeedHex("0000 00 00");
  FeedHex("0900 ff 00");
  EXPECT_EQ(decoder_.malformed_count(), 2u);
}

TEST_F(DecoderTest, CountsAnActivityOfUnknownKind) {
  shm::ActivityRecord record = testing::Kernel(1, 1, 1, 2);
  record.kind = 9;
  Feed(record);
  EXPECT_EQ(decoder_.malformed_count(), 1u);
}

TEST_F(DecoderTest, AShortTextIsOneRecord) {
  EXPECT_CALL(handler_, OnString(4, "conv1"));
  Feed(Begin(4, 5, "conv1"));
}

TEST_F(DecoderTest, PutsALongTextTogether) {
  const std::string head(40, 'a');
  const std::string middle(48, 'b');
  EXPECT_CALL(handler_, OnString(4, head + middle + "end"));
  Feed(Begin(4, 91, head.c_str()));
  Feed(Part(4, 40, middle.c_str()));
  Feed(Part(4, 88, "end"));
}

TEST_F(DecoderTest, TextsOfTwoThreadsDoNotMix) {
  const std::string a(40, 'a');
  const std::string b(40, 'b');
  EXPECT_CALL(handler_, OnString(1, a + "1"));
  EXPECT_CALL(handler_, OnString(2, b + "2"));
  Feed(Begin(1, 41, a.c_str()), {0, 1});
  Feed(Begin(2, 41, b.c_str()), {1, 1});
  Feed(Part(1, 40, "1"), {0, 1});
  Feed(Part(2, 40, "2"), {1, 1});
}

TEST_F(DecoderTest, ATextWithAMissingPieceIsDroppedAndCounted) {
  Feed(Begin(4, 200, std::string(40, 'a').c_str()));
  Feed(Part(4, 88, "b"));
  EXPECT_EQ(decoder_.incomplete_blob_count(), 1u);
}

TEST_F(DecoderTest, AnUnfinishedTextOfAnEndedThreadIsDroppedAndCounted) {
  EXPECT_CALL(handler_, OnString(5, "x"));
  Feed(Begin(4, 200, std::string(40, 'a').c_str()), {0, 1});
  Feed(Begin(5, 1, "x"), {0, 2});
  EXPECT_EQ(decoder_.incomplete_blob_count(), 1u);
}

TEST_F(DecoderTest, ImpossibleSizesOfATextAreRefused) {
  shm::BlobBegin too_long_inside = Begin(4, 100, "x");
  too_long_inside.inline_bytes = 41;
  Feed(too_long_inside);
  Feed(Begin(4, shm::kMaxBlobBytes + 1, "x"));
  Feed(Begin(0, 1, "x"));
  Feed(Part(4, 0, "x"));
  EXPECT_EQ(decoder_.malformed_count(), 4u);
}

}  // namespace
}  // namespace flopsprof::agent

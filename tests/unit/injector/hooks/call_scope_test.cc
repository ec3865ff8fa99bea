// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/hooks/call_scope.h"

#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "injector/transport/record_sink.h"
#include "injector/transport/ring_writer.h"
#include "tests/support/injector/test_segment.h"

namespace flopsprof::injector {
namespace {

using test::TestSegment;

TEST(CallScopeTest, ASlotInTheMiddleOfACallGivesNoIdTwice) {
  TestSegment segment(1, 4096);
  segment.Use();
  RingWriter earlier;
  ASSERT_TRUE(earlier.Claim(segment.header(), segment.places(), 1));
  std::set<uint32_t> written;
  std::thread late([&] {
    shm::StepRecord record{};
    record.header.type = static_cast<uint16_t>(shm::RecordType::kStep);
    EmitRecord(&record);  // refused: now the search for a slot falls into the middle of a call
    for (int i = 0; i < 2000; ++i) {
      if (i == 100) {
        earlier.Retire();
        segment.DrainSlot(0);
      }
      const CallScope call(shm::ApiId::cublasSgemm_v2);
      if (!EmitRecord(&record)) continue;
      EXPECT_TRUE(written.insert(call.id()).second) << call.id();
    }
  });
  late.join();
  EXPECT_GT(written.size(), 1000u);
}

}  // namespace
}  // namespace flopsprof::injector

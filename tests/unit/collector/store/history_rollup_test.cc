// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/store/history_rollup.h"

#include <gtest/gtest.h>

#include <string>

#include "collector/store/profile_writer.h"
#include "collector/store/schema.h"
#include "collector/store/sqlite.h"

namespace flopsprof::store {
namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kNoon = 1'800'000'000 * kSecond;  // a multiple of an hour

class HistoryRollupTest : public ::testing::Test {
 protected:
  HistoryRollupTest() { EXPECT_TRUE(db_.Execute(SchemaSql()).ok()); }

  v1::ProcessProfile Part(int64_t begin_utc_ns) {
    v1::ProcessProfile part;
    part.mutable_key()->set_node("node");
    v1::HistoryRow& row = *part.add_history();
    row.set_begin_utc_ns(begin_utc_ns);
    row.set_width_ns(static_cast<uint64_t>(10 * kSecond));
    row.set_phase(v1::PHASE_FORWARD);
    row.set_calls(2);
    row.mutable_flops()->set_low(999'999'999'999'999'999);  // each carries
    row.set_gpu_time_ns(7);
    v1::DeviceHistoryRow& device = *part.add_device_history();
    device.set_begin_utc_ns(begin_utc_ns);
    device.set_width_ns(static_cast<uint64_t>(10 * kSecond));
    device.set_busy_ns(5);
    return part;
  }
  absl::Status Write(const v1::ProcessProfile& part) {
    return writer_.WriteOthers(writer_.FindProcess(part.key())->id, part);
  }
  int64_t Int(const std::string& sql) { return *db_.QueryInt(sql); }

  Database db_ = *Database::Open(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  ProfileWriter writer_{&db_};
};

// 100 hours, a span each 10 s: of one process 360 are kept, which are 1 h of 10 s, 6 h of 1 min and
// 60 h of 10 min; the rest is in spans of an hour. Each but the last may have up to 60 more,
// between two looks at it, and what does not fill a longer span yet.
TEST_F(HistoryRollupTest, OldSpansBecomeLongerAndNoSumChanges) {
  constexpr int64_t kSpans = 36'000;
  ASSERT_TRUE(db_.Execute("BEGIN").ok());
  for (int64_t i = 0; i < kSpans; ++i) ASSERT_TRUE(Write(Part(kNoon + i * 10 * kSecond)).ok());
  ASSERT_TRUE(db_.Execute("COMMIT").ok());
  for (const std::string table : {"history", "device_history"}) {
    const auto count = [&](int64_t seconds) {
      return Int("SELECT count(*) FROM " + table +
                 " WHERE width_ns=" + std::to_string(seconds * kSecond));
    };
    EXPECT_GE(count(10), 360) << table;
    EXPECT_LE(count(10), 360 + 60 + 6) << table;
    EXPECT_GE(count(60), 360 - 60) << table;  // its newest hour is in spans of 10 s
    EXPECT_LE(count(60), 360 + 10 + 10) << table;
    EXPECT_GE(count(600), 360 - 36) << table;
    EXPECT_LE(count(600), 360 + 1 + 6) << table;
    EXPECT_GE(count(3600), 100 - 60 - 1) << table;
    EXPECT_LE(count(3600), 100 - 60) << table;
    EXPECT_EQ(Int("SELECT count(*) FROM " + table + " WHERE begin_utc_ns % width_ns <> 0"), 0);
    // No moment is in two spans, or in none.
    EXPECT_EQ(Int("SELECT sum(width_ns) / 1000000000 FROM " + table), 10 * kSpans) << table;
    EXPECT_EQ(Int("SELECT count(*) FROM (SELECT begin_utc_ns <> lag(begin_utc_ns + width_ns) OVER "
                  "(ORDER BY begin_utc_ns) AS gap FROM " +
                  table + ") WHERE gap"),
              0)
        << table;
  }
  EXPECT_EQ(Int("SELECT sum(calls) FROM history"), 2 * kSpans);
  EXPECT_EQ(Int("SELECT sum(gpu_time_ns) FROM history"), 7 * kSpans);
  EXPECT_EQ(Int("SELECT sum(busy_ns) FROM device_history"), 5 * kSpans);
  // 36,000 * (10^18 - 1), in parts of 10^18.
  EXPECT_EQ(Int("SELECT count(*) FROM history WHERE flops_low >= 1000000000000000000"), 0);
  EXPECT_EQ(Int("SELECT sum(flops_high) + (sum(flops_low / 1000000000) + "
                "sum(flops_low % 1000000000) / 1000000000) / 1000000000 FROM history"),
            kSpans - 1);
}

TEST_F(HistoryRollupTest, AClockThatJumpsChangesNoSum) {
  const int64_t year = 365 * int64_t{86'400} * kSecond / (3600 * kSecond) * (3600 * kSecond);
  for (const int64_t jump : {int64_t{0}, year, int64_t{0}, -year, year}) {
    for (int64_t i = 0; i < 100; ++i) {
      ASSERT_TRUE(Write(Part(kNoon + jump + i * 10 * kSecond)).ok());
    }
  }
  EXPECT_EQ(Int("SELECT sum(calls) FROM history"), 2 * 500);
  EXPECT_EQ(Int("SELECT sum(busy_ns) FROM device_history"), 5 * 500);
  EXPECT_EQ(Int("SELECT count(*) FROM history WHERE begin_utc_ns % width_ns <> 0"), 0);
}

TEST_F(HistoryRollupTest, ASpanThatThereIsNotIsRefused) {
  v1::ProcessProfile odd = Part(kNoon + 1);
  EXPECT_TRUE(absl::IsInvalidArgument(Write(odd)));
  odd = Part(kNoon);
  odd.mutable_history(0)->set_width_ns(20 * static_cast<uint64_t>(kSecond));
  EXPECT_TRUE(absl::IsInvalidArgument(Write(odd)));
  odd = Part(kNoon);
  odd.mutable_device_history(0)->set_width_ns(0);
  EXPECT_TRUE(absl::IsInvalidArgument(Write(odd)));
  odd = Part(-10 * kSecond);
  EXPECT_TRUE(absl::IsInvalidArgument(Write(odd)));
  EXPECT_EQ(Int("SELECT count(*) FROM history"), 0);
}

// Of somebody who makes them up; all others go on.
TEST_F(HistoryRollupTest, SumsBeyond64BitsStayInTheirSpans) {
  for (int64_t i = 0; i < 6; ++i) {
    v1::ProcessProfile part = Part(kNoon + i * 10 * kSecond);
    part.mutable_history(0)->set_gpu_time_ns(uint64_t{1} << 62);
    ASSERT_TRUE(Write(part).ok());
  }
  for (int64_t i = 6; i < 1000; ++i) {
    const absl::Status status = Write(Part(kNoon + i * 10 * kSecond));
    ASSERT_TRUE(status.ok()) << i << ": " << status;
  }
  EXPECT_EQ(Int("SELECT sum(calls) FROM history"), 2 * 1000);
  EXPECT_EQ(Int("SELECT sum(busy_ns) FROM device_history"), 5 * 1000);
}

TEST_F(HistoryRollupTest, ManyProcessesKeepFewerSpansEach) {
  EXPECT_EQ(HistoryRollup::KeptSpans(0), 360u);
  EXPECT_EQ(HistoryRollup::KeptSpans(1'000), 360u);
  EXPECT_EQ(HistoryRollup::KeptSpans(10'000), 40u);
  EXPECT_EQ(HistoryRollup::KeptSpans(1'000'000), 30u);
}

}  // namespace
}  // namespace flopsprof::store

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/store/profile_writer.h"

#include <gtest/gtest.h>

#include <string>

#include "collector/store/sqlite.h"
#include "sample_request.h"

namespace flopsprof::store {
namespace {

class ProfileWriterTest : public ::testing::Test {
 protected:
  ProfileWriterTest() { EXPECT_TRUE(db_.Execute(SchemaSql()).ok()); }

  bool Takes(const std::string& id) {
    v1::UploadRequest request = SampleRequest(1, 1);
    request.set_agent_id(id);
    request.set_mark(7);
    const auto taken = writer_.NoteUpload(request, 1);
    EXPECT_TRUE(taken.ok()) << taken.status();
    return taken->is_new;
  }
  void Refuse(const std::string& id, const std::string& why) {
    ASSERT_TRUE(writer_.NoteRefusal(id, "node", why, 1).ok());
  }
  int64_t Int(const std::string& sql) { return *db_.QueryInt(sql); }

  Database db_ = *Database::Open(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  ProfileWriter writer_{&db_, {.most_agents = 3, .most_processes = 100}};
};

TEST_F(ProfileWriterTest, AgentsThatAreRefusedTakeNoPlaceOfOthers) {
  for (int i = 0; i < 10; ++i) Refuse("bad-" + std::to_string(i), "of another format");
  EXPECT_TRUE(Takes("a"));
  EXPECT_TRUE(Takes("b"));
  EXPECT_TRUE(Takes("c"));
  EXPECT_FALSE(Takes("d"));
  EXPECT_EQ(Int("SELECT uploads FROM over_limits WHERE name='agents'"), 1);
}

TEST_F(ProfileWriterTest, AThousandRefusedAgentsAreKeptAndTheRestIsCounted) {
  ASSERT_TRUE(Takes("a"));
  for (int i = 0; i < 1005; ++i) Refuse("bad-" + std::to_string(i), "of another format");
  EXPECT_EQ(Int("SELECT count(*) FROM agents WHERE sequence=0"), 1000);
  EXPECT_EQ(Int("SELECT uploads FROM over_limits WHERE name='refused agents'"), 5);
  // Why one was refused that is known already is not lost.
  Refuse("a", "too large");
  Refuse("bad-7", "too old");
  EXPECT_EQ(Int("SELECT count(*) FROM agents WHERE refused IN ('too large', 'too old')"), 2);
  EXPECT_EQ(Int("SELECT uploads FROM over_limits WHERE name='refused agents'"), 5);
}

}  // namespace
}  // namespace flopsprof::store

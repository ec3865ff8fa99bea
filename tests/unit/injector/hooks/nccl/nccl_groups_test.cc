// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/hooks/nccl/nccl_groups.h"

#include <gtest/gtest.h>

namespace flopsprof::injector {
namespace {

using Kind = shm::CollectiveKind;

char g_objects[4096];  // addresses; nothing is there
const void* Object(int i) { return g_objects + 16 * i; }

class NcclGroupsTest : public ::testing::Test {
 protected:
  ~NcclGroupsTest() override {
    for (int i = 0; i < 256; ++i) ForgetCommunicator(Object(i));
  }
};

TEST_F(NcclGroupsTest, CollectivesOfACommunicatorAreNumbered) {
  AddCommunicator(Object(1), 77);
  EXPECT_EQ(NextGroupCall(Object(1), Kind::kAllReduce, -1).group, 77u);
  EXPECT_EQ(NextGroupCall(Object(1), Kind::kAllGather, -1).sequence, 2u);
  EXPECT_EQ(NextGroupCall(Object(2), Kind::kAllGather, -1).group, 0u);
  EXPECT_EQ(NextGroupCall(nullptr, Kind::kAllGather, -1).group, 0u);
}

TEST_F(NcclGroupsTest, SendsAndReceivesAreNumberedPerPeer) {
  AddCommunicator(Object(1), 77);
  EXPECT_EQ(NextGroupCall(Object(1), Kind::kSend, 3).sequence, 1u);
  EXPECT_EQ(NextGroupCall(Object(1), Kind::kSend, 3).sequence, 2u);
  EXPECT_EQ(NextGroupCall(Object(1), Kind::kSend, 4).sequence, 1u);
  EXPECT_EQ(NextGroupCall(Object(1), Kind::kRecv, 3).sequence, 1u);
  // They do not move the numbers of collectives, which all ranks have to agree in.
  EXPECT_EQ(NextGroupCall(Object(1), Kind::kAllReduce, -1).sequence, 1u);
  EXPECT_EQ(NextGroupCall(Object(1), Kind::kSend, 100000).sequence, 0u);
}

TEST_F(NcclGroupsTest, AnAddressThatIsUsedAgainIsANewGroup) {
  AddCommunicator(Object(1), 77);
  NextGroupCall(Object(1), Kind::kAllReduce, -1);
  ForgetCommunicator(Object(1));
  EXPECT_EQ(NextGroupCall(Object(1), Kind::kAllReduce, -1).group, 0u);
  AddCommunicator(Object(1), 78);
  EXPECT_EQ(NextGroupCall(Object(1), Kind::kAllReduce, -1).group, 78u);
  EXPECT_EQ(NextGroupCall(Object(1), Kind::kAllReduce, -1).sequence, 2u);
}

TEST_F(NcclGroupsTest, SplitsOfOneParentAreToldApartAndEqualOnAllRanks) {
  AddCommunicator(Object(1), 77);  // two ranks of one group
  AddCommunicator(Object(2), 77);
  const uint64_t first = ChildGroup(Object(1), 0);
  EXPECT_EQ(ChildGroup(Object(2), 0), first);
  const uint64_t second = ChildGroup(Object(1), 0);
  EXPECT_NE(second, first);
  EXPECT_NE(ChildGroup(Object(2), 1), second);  // another colour
  EXPECT_EQ(ChildGroup(Object(3), 0), 0u);      // of an unknown parent
}

TEST_F(NcclGroupsTest, ManyCommunicatorsComeAndGo) {
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 200; ++i) AddCommunicator(Object(i), 1000 + i);
    for (int i = 0; i < 200; ++i) {
      ASSERT_EQ(NextGroupCall(Object(i), Kind::kAllReduce, -1).group, 1000u + i);
      ForgetCommunicator(Object(i));
    }
  }
}

TEST_F(NcclGroupsTest, TheHashIsThatOfTheContent) {
  const char a[128] = {1}, b[128] = {1}, c[128] = {2};
  EXPECT_EQ(HashBytes(a, sizeof a, 2), HashBytes(b, sizeof b, 2));
  EXPECT_NE(HashBytes(a, sizeof a, 2), HashBytes(c, sizeof c, 2));
  EXPECT_NE(HashBytes(a, sizeof a, 2), HashBytes(a, sizeof a, 3));
}

}  // namespace
}  // namespace flopsprof::injector

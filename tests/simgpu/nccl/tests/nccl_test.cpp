// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Two ranks of one process through the interface of libnccl.so.2, on the stand-in.
#include <cuda_runtime_api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nccl.h>

#include <vector>

namespace {

using ::testing::ElementsAre;

class NcclTest : public ::testing::Test {
 protected:
  NcclTest() { EXPECT_EQ(ncclCommInitAll(comms_, 2, nullptr), ncclSuccess); }
  ~NcclTest() override {
    for (ncclComm_t comm : comms_) ncclCommDestroy(comm);
  }

  ncclComm_t comms_[2] = {};
};

// Device memory of the stand-in is memory of the process, and so is a plain array.
using Values = std::vector<float>;

TEST_F(NcclTest, AllReduceAddsWhatAllRanksHave) {
  Values a = {1, 2};
  Values b = {10, 20};
  ncclGroupStart();
  ncclAllReduce(a.data(), a.data(), 2, ncclFloat32, ncclSum, comms_[0], nullptr);
  ncclAllReduce(b.data(), b.data(), 2, ncclFloat32, ncclSum, comms_[1], nullptr);
  ASSERT_EQ(ncclGroupEnd(), ncclSuccess);
  EXPECT_THAT(a, ElementsAre(11, 22));
  EXPECT_THAT(b, ElementsAre(11, 22));
}

TEST_F(NcclTest, ReduceScatterGivesEachRankItsPart) {
  const Values a = {1, 2, 3, 4};
  const Values b = {10, 20, 30, 40};
  Values part_a(2), part_b(2);
  ncclGroupStart();
  ncclReduceScatter(a.data(), part_a.data(), 2, ncclFloat32, ncclSum, comms_[0], nullptr);
  ncclReduceScatter(b.data(), part_b.data(), 2, ncclFloat32, ncclSum, comms_[1], nullptr);
  ASSERT_EQ(ncclGroupEnd(), ncclSuccess);
  EXPECT_THAT(part_a, ElementsAre(11, 22));
  EXPECT_THAT(part_b, ElementsAre(33, 44));
}

TEST_F(NcclTest, AllGatherPutsPartsInOrderOfRank) {
  const Values a = {1};
  const Values b = {2};
  Values all_a(2), all_b(2);
  ncclGroupStart();
  ncclAllGather(a.data(), all_a.data(), 1, ncclFloat32, comms_[0], nullptr);
  ncclAllGather(b.data(), all_b.data(), 1, ncclFloat32, comms_[1], nullptr);
  ASSERT_EQ(ncclGroupEnd(), ncclSuccess);
  EXPECT_THAT(all_a, ElementsAre(1, 2));
  EXPECT_THAT(all_b, ElementsAre(1, 2));
}

TEST_F(NcclTest, BcastCopiesFromTheRoot) {
  Values a = {1};
  Values b = {2};
  ncclGroupStart();
  ncclBcast(a.data(), 1, ncclFloat32, 1, comms_[0], nullptr);
  ncclBcast(b.data(), 1, ncclFloat32, 1, comms_[1], nullptr);
  ASSERT_EQ(ncclGroupEnd(), ncclSuccess);
  EXPECT_THAT(a, ElementsAre(2));
}

// 300000 floats are more than one chunk of the exchange.
TEST_F(NcclTest, AllReduceOfManyElementsIsComplete) {
  Values a(300000, 1);
  Values b(300000, 2);
  ncclGroupStart();
  ncclAllReduce(a.data(), a.data(), a.size(), ncclFloat32, ncclSum, comms_[0], nullptr);
  ncclAllReduce(b.data(), b.data(), b.size(), ncclFloat32, ncclSum, comms_[1], nullptr);
  ASSERT_EQ(ncclGroupEnd(), ncclSuccess);
  EXPECT_EQ(a, Values(300000, 3));
}

TEST_F(NcclTest, SendReachesReceive) {
  const Values a = {5};
  Values b = {0};
  ncclGroupStart();
  ncclSend(a.data(), 1, ncclFloat32, 1, comms_[0], nullptr);
  ncclRecv(b.data(), 1, ncclFloat32, 0, comms_[1], nullptr);
  ASSERT_EQ(ncclGroupEnd(), ncclSuccess);
  EXPECT_THAT(b, ElementsAre(5));
}

TEST_F(NcclTest, RefusesARootThatIsNoRank) {
  Values a = {1};
  EXPECT_EQ(ncclBcast(a.data(), 1, ncclFloat32, 2, comms_[0], nullptr), ncclInvalidArgument);
}

TEST_F(NcclTest, BcastLaunchesOneKernel) {
  Values a = {1};
  Values b = {2};
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
  ncclBcast(a.data(), 1, ncclFloat32, 0, comms_[0], stream);
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  size_t nodes = 0;
  ASSERT_EQ(cudaGraphGetNodes(graph, nullptr, &nodes), cudaSuccess);
  EXPECT_EQ(nodes, 1u);
}

}  // namespace

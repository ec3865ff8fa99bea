// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/base/unix_socket.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "tests/support/temp_folder.h"

namespace flopsprof::base {
namespace {

class UnixSocketTest : public ::testing::Test {
 protected:
  void SetUp() override {
    listener_ = *ListenUnix(path_);
    client_ = *ConnectUnix(path_);
    server_ = *AcceptUnix(listener_.get());
  }
  testing::TempFolder folder_;
  const std::string path_ = folder_.File("socket");
  UniqueFd listener_, client_, server_;
};

TEST_F(UnixSocketTest, CarriesAPacketWithADescriptor) {
  UniqueFd null(::open("/dev/null", O_RDONLY));
  ASSERT_TRUE(SendPacket(client_.get(), "hello", 5, null.get()).ok());
  char bytes[16];
  absl::StatusOr<Packet> packet = ReceivePacket(server_.get(), bytes, sizeof bytes);
  ASSERT_TRUE(packet.ok());
  EXPECT_EQ(std::string(bytes, packet->bytes), "hello");
  ASSERT_TRUE(packet->fd.valid());
  EXPECT_EQ(::read(packet->fd.get(), bytes, 1), 0);
  EXPECT_NE(::fcntl(packet->fd.get(), F_GETFD) & FD_CLOEXEC, 0);
}

TEST_F(UnixSocketTest, SaysThatAPacketWasLongerThanItsRoom) {
  ASSERT_TRUE(SendPacket(client_.get(), "hello", 5, -1).ok());
  char bytes[2];
  EXPECT_TRUE(ReceivePacket(server_.get(), bytes, sizeof bytes)->truncated);
}

TEST_F(UnixSocketTest, AClosedPeerIsAnEmptyPacket) {
  client_.Reset();
  char bytes[2];
  EXPECT_EQ(ReceivePacket(server_.get(), bytes, sizeof bytes)->bytes, 0u);
}

TEST_F(UnixSocketTest, KnowsItsPeer) {
  const absl::StatusOr<PeerCredentials> peer = GetPeerCredentials(server_.get());
  ASSERT_TRUE(peer.ok());
  EXPECT_EQ(peer->pid, ::getpid());
  EXPECT_EQ(peer->uid, ::geteuid());
}

TEST_F(UnixSocketTest, AcceptDoesNotWait) {
  absl::StatusOr<UniqueFd> none = AcceptUnix(listener_.get());
  ASSERT_TRUE(none.ok());
  EXPECT_FALSE(none->valid());
}

TEST_F(UnixSocketTest, ReplacesAStaleSocketButNoOtherFile) {
  listener_.Reset();
  EXPECT_TRUE(ListenUnix(path_).ok());
  const std::string file = folder_.File("file");
  UniqueFd(::open(file.c_str(), O_CREAT | O_WRONLY, 0600));
  EXPECT_FALSE(ListenUnix(file).ok());
}

TEST(UnixSocketPathTest, APathThatIsTooLongIsAnError) {
  EXPECT_EQ(ListenUnix("/tmp/" + std::string(200, 'x')).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(UniqueFdTest, ClosesWhatItOwnsOnce) {
  const int raw = ::open("/dev/null", O_RDONLY);
  {
    UniqueFd first(raw);
    UniqueFd second(std::move(first));
    EXPECT_FALSE(first.valid());
    EXPECT_EQ(second.get(), raw);
  }
  EXPECT_EQ(::fcntl(raw, F_GETFD), -1);
}

}  // namespace
}  // namespace flopsprof::base

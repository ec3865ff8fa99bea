// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/server/listen_address.h"

#include <gtest/gtest.h>

namespace flopsprof::server {
namespace {

bool Loopback(const std::string& text) {
  const auto address = ParseListenAddress(text);
  return address.ok() && address->is_loopback;
}

TEST(ParseListenAddressTest, KnowsWhatOnlyThisMachineReaches) {
  EXPECT_TRUE(Loopback("127.0.0.1:0"));
  EXPECT_TRUE(Loopback("127.9.9.9:80"));
  EXPECT_TRUE(Loopback("localhost:80"));
  EXPECT_TRUE(Loopback("[::1]:80"));
  EXPECT_TRUE(Loopback("unix:/run/socket"));
  EXPECT_FALSE(Loopback("0.0.0.0:80"));
  EXPECT_FALSE(Loopback("[::]:80"));
  EXPECT_FALSE(Loopback("node-17:80"));
  EXPECT_FALSE(Loopback("127.0.0.1.example.org:80"));
}

TEST(ParseListenAddressTest, RefusesWhatIsNotAnAddress) {
  for (const std::string text : {"", "host", "host:", ":80", "host:99999", "host:-1", "host:8x",
                                 "::1:80", "unix:relative", "unix:"}) {
    EXPECT_FALSE(ParseListenAddress(text).ok()) << text;
  }
  EXPECT_FALSE(ParseListenAddress("unix:/" + std::string(200, 'x')).ok());
}

}  // namespace
}  // namespace flopsprof::server

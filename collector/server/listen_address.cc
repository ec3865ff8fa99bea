// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/server/listen_address.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <arpa/inet.h>
#include <sys/un.h>

namespace flopsprof::server {
namespace {

constexpr const char* kUnixScheme = "unix:";

bool IsLoopback(const std::string& host) {
  if (host == "localhost") return true;
  in_addr v4;
  if (inet_pton(AF_INET, host.c_str(), &v4) == 1) return (ntohl(v4.s_addr) >> 24) == 127;
  in6_addr v6;
  if (inet_pton(AF_INET6, host.c_str(), &v6) == 1) return IN6_IS_ADDR_LOOPBACK(&v6);
  return false;
}

}  // namespace

absl::StatusOr<ListenAddress> ParseListenAddress(const std::string& text) {
  ListenAddress address;
  address.text = text;
  if (text.rfind(kUnixScheme, 0) == 0) {
    address.is_unix = true;
    address.is_loopback = true;
    address.unix_path = text.substr(5);
    if (address.unix_path.empty() || address.unix_path[0] != '/') {
      return absl::InvalidArgumentError(
          absl::StrCat("cannot listen on ", text, ": a Unix socket needs an absolute path"));
    }
    if (address.unix_path.size() >= sizeof(sockaddr_un::sun_path)) {
      return absl::InvalidArgumentError(absl::StrCat("cannot listen on ", text,
                                                     ": the path is longer than ",
                                                     sizeof(sockaddr_un::sun_path) - 1, " bytes"));
    }
    return address;
  }
  const size_t colon = text.rfind(':');
  int port = -1;
  if (colon == std::string::npos || colon == 0 ||
      !absl::SimpleAtoi(text.substr(colon + 1), &port) || port < 0 || port > 65535) {
    return absl::InvalidArgumentError(
        absl::StrCat("cannot listen on ", text, ": expected HOST:PORT or unix:/path"));
  }
  std::string host = text.substr(0, colon);
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  if (!bracketed && host.find(':') != std::string::npos) {
    return absl::InvalidArgumentError(
        absl::StrCat("cannot listen on ", text, ": write an IPv6 address as [ADDRESS]:PORT"));
  }
  address.is_loopback = IsLoopback(host);
  return address;
}

}  // namespace flopsprof::server

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/store/log/crc32c.h"

#include <array>
#include <cstddef>
#include <cstring>

namespace flopsprof::store {
namespace {

constexpr uint32_t kReversedPolynomial = 0x82f63b78;

using Tables = std::array<std::array<uint32_t, 256>, 8>;

// The first table is of a byte, each further one of a byte with one more behind it.
constexpr Tables MakeTables() {
  Tables tables = {};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1) != 0 ? kReversedPolynomial : 0);
    tables[0][byte] = crc;
  }
  for (size_t t = 1; t < tables.size(); ++t) {
    for (size_t byte = 0; byte < 256; ++byte) {
      const uint32_t before = tables[t - 1][byte];
      tables[t][byte] = before >> 8 ^ tables[0][before & 0xff];
    }
  }
  return tables;
}

constexpr Tables kTables = MakeTables();

// Eight bytes at a time.
uint32_t ByTable(std::string_view bytes) {
  uint32_t crc = UINT32_MAX;
  const char* at = bytes.data();
  size_t left = bytes.size();
  for (; left >= 8; at += 8, left -= 8) {
    uint64_t word = 0;
    std::memcpy(&word, at, sizeof word);
    word ^= crc;
    crc = 0;
    for (size_t i = 0; i < 8; ++i) crc ^= kTables[7 - i][word >> (8 * i) & 0xff];
  }
  for (; left > 0; ++at, --left) {
    crc = crc >> 8 ^ kTables[0][(crc ^ static_cast<unsigned char>(*at)) & 0xff];
  }
  return ~crc;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) uint32_t ByInstruction(std::string_view bytes) {
  uint64_t crc = UINT32_MAX;
  const char* at = bytes.data();
  size_t left = bytes.size();
  for (; left >= 8; at += 8, left -= 8) {
    uint64_t word = 0;
    std::memcpy(&word, at, sizeof word);
    crc = __builtin_ia32_crc32di(crc, word);
  }
  auto rest = static_cast<uint32_t>(crc);
  for (; left > 0; ++at, --left) {
    rest = __builtin_ia32_crc32qi(rest, static_cast<unsigned char>(*at));
  }
  return ~rest;
}

bool HasInstruction() { return __builtin_cpu_supports("sse4.2") != 0; }
#else
uint32_t ByInstruction(std::string_view bytes) { return ByTable(bytes); }
bool HasInstruction() { return false; }
#endif

}  // namespace

uint32_t Crc32c(std::string_view bytes) {
  return HasInstruction() ? ByInstruction(bytes) : ByTable(bytes);
}

uint32_t Crc32cByTableForTesting(std::string_view bytes) { return ByTable(bytes); }

}  // namespace flopsprof::store

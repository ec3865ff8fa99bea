// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "collector/store/log/log_reader.h"
#include "collector/store/log/log_writer.h"

namespace flopsprof::store {

inline constexpr uint64_t kLogId = 0x1234567890abcdef;

// What record n of the tests' logs holds: unlike all others, and not always as long.
inline std::string PayloadOf(uint64_t sequence) {
  std::string text = "record " + std::to_string(sequence) + ":";
  for (uint64_t i = 0; i < sequence % 7; ++i) text += " " + std::to_string(sequence * 7919 + i);
  return text;
}

inline std::unique_ptr<LogWriter> OpenLog(const std::string& folder, LogFiles* files = nullptr,
                                          uint64_t segment_bytes = 16 << 20) {
  LogWriter::Options options;
  options.folder = folder;
  options.log_id = kLogId;
  options.segment_bytes = segment_bytes;
  if (files != nullptr) options.files = files;
  auto writer = LogWriter::Open(options);
  EXPECT_TRUE(writer.ok()) << writer.status();
  return writer.ok() ? *std::move(writer) : nullptr;
}

// Appends records until `last` is there.
inline void AppendTo(LogWriter* writer, uint64_t last) {
  for (uint64_t n = writer->end().sequence + 1; n <= last; ++n) {
    const auto sequence = writer->Append(PayloadOf(n), static_cast<int64_t>(n) * 1000);
    ASSERT_TRUE(sequence.ok()) << sequence.status();
    ASSERT_EQ(*sequence, n);
  }
}

inline std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

inline void WriteFile(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

struct ReadLog {
  absl::Status status;
  std::map<uint64_t, std::string> records;
  std::vector<LogDamage> damage;
  uint64_t torn_bytes = 0;
  bool all_true = true;  // every record holds what was written under its number
};

inline ReadLog ReadAll(const std::string& folder, uint64_t after = 0) {
  ReadLog read;
  auto segments = LogSegments::Open(folder);
  read.status = segments.status();
  if (!segments.ok()) return read;
  LogReader reader(*std::move(segments), after, kLogId);
  LogRecord record;
  while (true) {
    const auto more = reader.Next(&record);
    read.status = more.status();
    if (!more.ok() || !*more) break;
    read.all_true = read.all_true && record.payload == PayloadOf(record.sequence) &&
                    record.utc_ns == static_cast<int64_t>(record.sequence) * 1000;
    read.records[record.sequence] = record.payload;
  }
  read.damage = reader.TakeDamage();
  read.torn_bytes = reader.torn_bytes();
  return read;
}

}  // namespace flopsprof::store

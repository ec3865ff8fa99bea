// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "viewer/cli/query_functions.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "absl/numeric/int128.h"

namespace flopsprof::viewer {
namespace {

constexpr uint64_t kDecimalBase = 1'000'000'000'000'000'000;  // of flops_high
constexpr absl::uint128 kMost = std::numeric_limits<absl::uint128>::max();

// Lives in SQLite's memory, which is zero at first, and aligned for 64 bits only.
struct Sum {
  uint64_t high;
  uint64_t low;
  bool any;
  bool failed;

  absl::uint128 count() const { return absl::MakeUint128(high, low); }
};

std::optional<absl::uint128> ParseDecimal(std::string_view text) {
  if (text.empty()) return std::nullopt;
  absl::uint128 value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    const auto digit = static_cast<unsigned>(c - '0');
    if (value > (kMost - digit) / 10) return std::nullopt;
    value = value * 10 + digit;
  }
  return value;
}

std::optional<absl::uint128> CountOf(sqlite3_value* value) {
  switch (sqlite3_value_type(value)) {
    case SQLITE_INTEGER: {
      const sqlite3_int64 count = sqlite3_value_int64(value);
      if (count < 0) return std::nullopt;
      return absl::uint128(static_cast<uint64_t>(count));
    }
    case SQLITE_TEXT: {
      const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(value));
      if (text == nullptr) return std::nullopt;
      return ParseDecimal({text, static_cast<size_t>(sqlite3_value_bytes(value))});
    }
    default:
      return std::nullopt;
  }
}

void Fail(sqlite3_context* context, Sum* sum, const char* why) {
  sum->failed = true;
  sqlite3_result_error(context, why, -1);
}

void Step(sqlite3_context* context, int argument_count, sqlite3_value** arguments) {
  auto* sum = static_cast<Sum*>(sqlite3_aggregate_context(context, sizeof(Sum)));
  if (sum == nullptr) return sqlite3_result_error_nomem(context);
  for (int i = 0; i < argument_count; ++i) {
    if (sqlite3_value_type(arguments[i]) == SQLITE_NULL) return;
  }
  absl::uint128 count = 0;
  for (int i = 0; i < argument_count; ++i) {
    const std::optional<absl::uint128> part = CountOf(arguments[i]);
    if (!part.has_value()) {
      return Fail(context, sum, "flops_sum() is of integers that are not negative");
    }
    if (i > 0 && count > (kMost - *part) / kDecimalBase) {
      return Fail(context, sum, "flops_sum(): the sum does not fit into 128 bits");
    }
    count = i == 0 ? *part : count * kDecimalBase + *part;
  }
  if (sum->count() > kMost - count) {
    return Fail(context, sum, "flops_sum(): the sum does not fit into 128 bits");
  }
  count += sum->count();
  sum->high = absl::Uint128High64(count);
  sum->low = absl::Uint128Low64(count);
  sum->any = true;
}

void Final(sqlite3_context* context) {
  const auto* sum = static_cast<const Sum*>(sqlite3_aggregate_context(context, 0));
  if (sum != nullptr && sum->failed) return;
  if (sum == nullptr || !sum->any) return sqlite3_result_null(context);
  if (sum->count() <= static_cast<uint64_t>(std::numeric_limits<sqlite3_int64>::max())) {
    return sqlite3_result_int64(context, static_cast<sqlite3_int64>(sum->low));
  }
  std::string text;
  for (absl::uint128 rest = sum->count(); rest != 0; rest /= 10) {
    text.insert(text.begin(), static_cast<char>('0' + static_cast<int>(rest % 10)));
  }
  sqlite3_result_text(context, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
}

}  // namespace

int AddQueryFunctions(sqlite3* database) {
  constexpr int kFlags = SQLITE_UTF8 | SQLITE_DETERMINISTIC;
  for (const int argument_count : {1, 2}) {
    const int code = sqlite3_create_function_v2(database, "flops_sum", argument_count, kFlags,
                                                nullptr, nullptr, &Step, &Final, nullptr);
    if (code != SQLITE_OK) return code;
  }
  return SQLITE_OK;
}

}  // namespace flopsprof::viewer

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "viewer/cli/query_functions.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace flopsprof::viewer {
namespace {

class QueryFunctionsTest : public ::testing::Test {
 protected:
  QueryFunctionsTest() {
    sqlite3* opened = nullptr;
    sqlite3_open(":memory:", &opened);
    database_.reset(opened);
    EXPECT_EQ(AddQueryFunctions(opened), SQLITE_OK);
  }

  // Type and text of the only value, "integer 5"; "error ..." where there is none.
  std::string Ask(const std::string& sql) {
    sqlite3_stmt* raw = nullptr;
    sqlite3_prepare_v2(database_.get(), sql.c_str(), -1, &raw, nullptr);
    const std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)> statement(raw,
                                                                               &sqlite3_finalize);
    if (sqlite3_step(raw) != SQLITE_ROW) {
      return std::string("error ") + sqlite3_errmsg(database_.get());
    }
    const int type = sqlite3_column_type(raw, 0);
    if (type == SQLITE_NULL) return "null";
    return (type == SQLITE_INTEGER ? "integer " : "text ") +
           std::string(reinterpret_cast<const char*>(sqlite3_column_text(raw, 0)));
  }

  std::unique_ptr<sqlite3, decltype(&sqlite3_close)> database_{nullptr, &sqlite3_close};
};

constexpr char kElevenRows[] =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 11) ";

TEST_F(QueryFunctionsTest, ElevenRowsOf9e17AreNoOverflow) {
  EXPECT_EQ(Ask(std::string(kElevenRows) + "SELECT sum(900000000000000000) FROM n"),
            "error integer overflow");
  EXPECT_EQ(Ask(std::string(kElevenRows) + "SELECT flops_sum(900000000000000000) FROM n"),
            "text 9900000000000000000");
  // 11 * (2e18 + 9e17)
  EXPECT_EQ(Ask(std::string(kElevenRows) + "SELECT flops_sum(2, 900000000000000000) FROM n"),
            "text 31900000000000000000");
}

TEST_F(QueryFunctionsTest, ASmallSumIsAnInteger) {
  EXPECT_EQ(Ask(std::string(kElevenRows) + "SELECT flops_sum(0, i) FROM n"), "integer 66");
  EXPECT_EQ(Ask("SELECT flops_sum(9, 223372036854775807)"), "integer 9223372036854775807");
  EXPECT_EQ(Ask("SELECT flops_sum(9, 223372036854775808)"), "text 9223372036854775808");
}

TEST_F(QueryFunctionsTest, WithoutRowsItIsNull) {
  EXPECT_EQ(Ask("SELECT flops_sum(1) WHERE 0"), "null");
  EXPECT_EQ(Ask("SELECT flops_sum(NULL)"), "null");
  EXPECT_EQ(Ask("SELECT flops_sum(1, NULL)"), "null");
}

TEST_F(QueryFunctionsTest, TakesItsOwnTexts) {
  EXPECT_EQ(Ask("SELECT flops_sum('31900000000000000000')"), "text 31900000000000000000");
}

TEST_F(QueryFunctionsTest, WhatIsNoCountIsAnError) {
  for (const char* value : {"-1", "1.5", "'x'", "x'00'", "''", "'-1'"}) {
    EXPECT_EQ(Ask(std::string("SELECT flops_sum(") + value + ")"),
              "error flops_sum() is of integers that are not negative")
        << value;
  }
}

TEST_F(QueryFunctionsTest, MoreThan128BitsIsAnError) {
  const std::string most = "'340282366920938463463374607431768211455'";
  EXPECT_EQ(Ask("SELECT flops_sum(" + most + ")"), "text 340282366920938463463374607431768211455");
  EXPECT_EQ(Ask("SELECT flops_sum(v) FROM (SELECT " + most + " AS v UNION ALL SELECT 1)"),
            "error flops_sum(): the sum does not fit into 128 bits");
  EXPECT_EQ(Ask("SELECT flops_sum(" + most + ", 0)"),
            "error flops_sum(): the sum does not fit into 128 bits");
}

}  // namespace
}  // namespace flopsprof::viewer

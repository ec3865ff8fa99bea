// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/json_writer.h"

#include <gtest/gtest.h>

#include <limits>

namespace flopsprof::model {
namespace {

std::string One(void (*write)(JsonWriter&)) {
  JsonWriter json;
  write(json);
  return json.text();
}

TEST(JsonWriterTest, WritesIntegersOf128Bits) {
  EXPECT_EQ(One([](JsonWriter& json) { json.Count(~FlopCount{0}); }),
            "340282366920938463463374607431768211455");
  EXPECT_EQ(One([](JsonWriter& json) { json.Count(0); }), "0");
}

TEST(JsonWriterTest, WritesSecondsAsExactDecimals) {
  EXPECT_EQ(One([](JsonWriter& json) { json.Seconds(1); }), "0.000000001");
  EXPECT_EQ(One([](JsonWriter& json) { json.Seconds(1500000000); }), "1.5");
  EXPECT_EQ(One([](JsonWriter& json) { json.Seconds(0); }), "0.0");
  EXPECT_EQ(One([](JsonWriter& json) { json.Seconds(123456789012345678); }), "123456789.012345678");
}

TEST(JsonWriterTest, WritesNullForWhatIsNotANumber) {
  EXPECT_EQ(One([](JsonWriter& json) { json.Double(std::numeric_limits<double>::quiet_NaN()); }),
            "null");
  EXPECT_EQ(One([](JsonWriter& json) { json.Double(std::numeric_limits<double>::infinity()); }),
            "null");
}

TEST(JsonWriterTest, EscapesWhatTerminalsAndParsersWouldRead) {
  EXPECT_EQ(One([](JsonWriter& json) { json.String("a\"\\\n\x1b\x7f"); }),
            "\"a\\\"\\\\\\u000a\\u001b\\u007f\"");
  // C1, right to left, isolates; and what is none of them.
  EXPECT_EQ(
      One([](JsonWriter& json) { json.String("\xc2\x9b\xe2\x80\xae\xe2\x81\xa6\xe2\x80\xa6"); }),
      "\"\\u009b\\u202e\\u2066\xe2\x80\xa6\"");
}

TEST(JsonWriterTest, ReplacesBytesThatAreNotUtf8) {
  EXPECT_EQ(One([](JsonWriter& json) { json.String("\xc3\xa9\xff\xed\xa0\x80"); }),
            "\"\xc3\xa9\\ufffd\\ufffd\\ufffd\\ufffd\"");
}

TEST(JsonWriterTest, NestsWithCommas) {
  EXPECT_EQ(One([](JsonWriter& json) {
              json.BeginObject();
              json.Key("a");
              json.BeginArray();
              json.Int(1);
              json.Int(-2);
              json.EndArray();
              json.Key("b");
              json.BeginObject();
              json.EndObject();
              json.EndObject();
            }),
            "{\n  \"a\": [\n    1,\n    -2\n  ],\n  \"b\": {}\n}\n");
}

}  // namespace
}  // namespace flopsprof::model

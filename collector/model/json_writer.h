// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collector/model/flops/flop_count.h"

namespace flopsprof::model {

// Writes indented JSON in one pass. Integers of any size are written as digits, times as the
// exact decimal number of seconds. Strings that are not UTF-8 get U+FFFD for every bad byte.
class JsonWriter {
 public:
  void BeginObject() { Open('{'); }
  void EndObject() { Close('}'); }
  void BeginArray() { Open('['); }
  void EndArray() { Close(']'); }
  void Key(std::string_view key);

  void Null() { Raw("null"); }
  void Bool(bool value) { Raw(value ? "true" : "false"); }
  void Int(int64_t value) { Raw(std::to_string(value)); }
  void Uint(uint64_t value) { Raw(std::to_string(value)); }
  void Count(FlopCount value);
  // A number in decimal, as it is; anything else: null.
  void Decimal(std::string_view digits);
  // Not finite: null.
  void Double(double value);
  void Seconds(uint64_t ns);
  void String(std::string_view value);

  const std::string& text() const { return text_; }

 private:
  void Open(char bracket);
  void Close(char bracket);
  void Raw(std::string_view value);
  void BeforeValue();
  void NewLine();
  void AppendQuoted(std::string_view value);

  std::string text_;
  std::vector<bool> has_items_;  // per open object or array
  bool after_key_ = false;
};

}  // namespace flopsprof::model

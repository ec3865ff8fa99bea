// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collector/model/json_writer.h"

namespace flopsprof::model {

// A writer of JSON that takes a key and its value in one call. What is not known is null.
class JsonFields : public JsonWriter {
 public:
  void Text(std::string_view key, std::string_view value) {
    Key(key);
    String(value);
  }
  void Flag(std::string_view key, bool value) {
    Key(key);
    Bool(value);
  }
  void Integer(std::string_view key, int64_t value) {
    Key(key);
    Int(value);
  }
  void Unsigned(std::string_view key, uint64_t value) {
    Key(key);
    Uint(value);
  }
  void Number(std::string_view key, double value) {
    Key(key);
    Double(value);
  }
  void Duration(std::string_view key, uint64_t ns) {
    Key(key);
    Seconds(ns);
  }
  void Flops(std::string_view key, FlopCount value) {
    Key(key);
    Count(value);
  }

  // `write`: the function of JsonWriter for such values.
  template <typename T, typename Writer>
  void Maybe(std::string_view key, const std::optional<T>& value, Writer write) {
    Key(key);
    if (value.has_value()) {
      (this->*write)(*value);
    } else {
      Null();
    }
  }
  void TextOrNull(std::string_view key, const std::string& value) {
    Key(key);
    if (value.empty()) return Null();
    String(value);
  }

  // An object for each item: write(item, this) writes its fields.
  template <typename T>
  void List(std::string_view key, const std::vector<T>& items,
            void (*write)(const T&, JsonFields*)) {
    Key(key);
    BeginArray();
    for (const T& item : items) {
      BeginObject();
      write(item, this);
      EndObject();
    }
    EndArray();
  }

  void Strings(std::string_view key, const std::vector<std::string>& texts) {
    Key(key);
    BeginArray();
    for (const std::string& text : texts) String(text);
    EndArray();
  }

  void Texts(std::string_view key, const std::map<std::string, std::string>& texts) {
    Key(key);
    BeginObject();
    for (const auto& [name, text] : texts) Text(name, text);
    EndObject();
  }
};

}  // namespace flopsprof::model

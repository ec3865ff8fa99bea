// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/json_writer.h"

#include <cmath>
#include <cstdio>

namespace flopsprof::model {
namespace {

// Length of the UTF-8 sequence that starts at `at`, 0 when there is none.
size_t SequenceLength(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(at);
  if (first < 0x80) return 1;
  size_t length = 0;
  if (first >= 0xC2 && first <= 0xDF) length = 2;
  if (first >= 0xE0 && first <= 0xEF) length = 3;
  if (first >= 0xF0 && first <= 0xF4) length = 4;
  if (length == 0 || at + length > text.size()) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xC0) != 0x80) return 0;
  }
  const unsigned char second = byte(at + 1);
  // Overlong forms, surrogates, beyond U+10FFFF.
  if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ||
      (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F)) {
    return 0;
  }
  return length;
}

// Of a character of two or three bytes that a terminal obeys (C1) or that turns what stands beside
// it around: its number; 0 for others. JSON may hold it as an escape, which is shown.
unsigned SteeringCharacter(std::string_view character) {
  const auto byte = [character](size_t i) { return static_cast<unsigned char>(character[i]); };
  if (character.size() == 2 && byte(0) == 0xC2 && byte(1) < 0xA0) return byte(1);
  if (character.size() != 3 || byte(0) != 0xE2) return 0;
  const unsigned number = 0x2000u | (byte(1) & 0x3Fu) << 6 | (byte(2) & 0x3Fu);
  const bool marks = number == 0x200E || number == 0x200F || (number >= 0x2028 && number <= 0x202E);
  return marks || (number >= 0x2066 && number <= 0x2069) ? number : 0;
}

}  // namespace

void JsonWriter::Key(std::string_view key) {
  BeforeValue();
  AppendQuoted(key);
  text_ += ": ";
  after_key_ = true;
}

void JsonWriter::Count(FlopCount value) {
  std::string digits;
  do {
    digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(value % 10)));
    value /= 10;
  } while (value != 0);
  Raw(digits);
}

void JsonWriter::Double(double value) {
  if (!std::isfinite(value)) return Null();
  char buffer[40];
  std::snprintf(buffer, sizeof(buffer), "%.17g", value);
  Raw(buffer);
}

void JsonWriter::Seconds(uint64_t ns) {
  char buffer[40];
  std::snprintf(buffer, sizeof(buffer), "%llu.%09llu",
                static_cast<unsigned long long>(ns / 1000000000),
                static_cast<unsigned long long>(ns % 1000000000));
  std::string text(buffer);
  while (text.back() == '0' && text[text.size() - 2] != '.') text.pop_back();
  Raw(text);
}

void JsonWriter::Decimal(std::string_view digits) {
  const bool finite = !digits.empty() && digits.find_first_not_of("0123456789+-.e") ==
                                             std::string_view::npos;  // "nan", "inf"
  Raw(finite ? digits : "null");
}

void JsonWriter::String(std::string_view value) {
  BeforeValue();
  AppendQuoted(value);
}

void JsonWriter::Open(char bracket) {
  BeforeValue();
  text_ += bracket;
  has_items_.push_back(false);
}

void JsonWriter::Close(char bracket) {
  const bool had_items = has_items_.back();
  has_items_.pop_back();
  if (had_items) NewLine();
  text_ += bracket;
  if (has_items_.empty()) text_ += '\n';
}

void JsonWriter::Raw(std::string_view value) {
  BeforeValue();
  text_ += value;
}

void JsonWriter::BeforeValue() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (has_items_.empty()) return;
  if (has_items_.back()) text_ += ',';
  has_items_.back() = true;
  NewLine();
}

void JsonWriter::NewLine() {
  text_ += '\n';
  text_.append(2 * has_items_.size(), ' ');
}

void JsonWriter::AppendQuoted(std::string_view value) {
  text_ += '"';
  for (size_t i = 0; i < value.size();) {
    const size_t length = SequenceLength(value, i);
    const unsigned char c = static_cast<unsigned char>(value[i]);
    if (length == 0) {
      text_ += "\\ufffd";
      ++i;
      continue;
    }
    if (c == '"' || c == '\\') {
      text_ += '\\';
      text_ += value[i];
    } else if (c < 0x20 || c == 0x7F) {
      char buffer[8];
      std::snprintf(buffer, sizeof(buffer), "\\u%04x", c);
      text_ += buffer;
    } else if (const unsigned steering = SteeringCharacter(value.substr(i, length));
               steering != 0) {
      char buffer[16];
      std::snprintf(buffer, sizeof(buffer), "\\u%04x", steering);
      text_ += buffer;
    } else {
      text_ += value.substr(i, length);
    }
    i += length;
  }
  text_ += '"';
}

}  // namespace flopsprof::model

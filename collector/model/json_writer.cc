// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/json_writer.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "collector/base/utf8.h"

namespace flopsprof::model {
namespace {

// Characters that a terminal obeys, or that turn around what stands beside them. JSON may hold them
// as an escape, which is shown.
bool Steers(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c <= 0x9F) || c == 0x200E || c == 0x200F ||
         (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
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
  while (!value.empty()) {
    const base::Utf8Character character = base::DecodeUtf8(value);
    const std::string_view bytes = value.substr(0, std::max<size_t>(character.bytes, 1));
    const char32_t code = character.bytes == 0 ? base::kReplacement : character.code;
    if (code == '"' || code == '\\') {
      text_ += '\\';
      text_ += bytes;
    } else if (character.bytes == 0 || Steers(code)) {
      char escape[8];
      std::snprintf(escape, sizeof(escape), "\\u%04x", static_cast<unsigned>(code));
      text_ += escape;
    } else {
      text_ += bytes;
    }
    value.remove_prefix(bytes.size());
  }
  text_ += '"';
}

}  // namespace flopsprof::model

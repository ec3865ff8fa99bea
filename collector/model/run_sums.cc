// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/run_sums.h"

#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <type_traits>
#include <utility>
#include <vector>

#include "collector/model/sums_fields.h"

namespace flopsprof::model {
namespace {

// A run has programs, and a program has none: whatever the bytes say, nothing is deeper than that.
constexpr int kMostDepth = 2;

template <typename Type>
constexpr bool kIsNested = std::is_same_v<Type, Summary> || std::is_same_v<Type, ReportSums>;

// The greatest enumerator.
constexpr uint64_t LastOf(Provenance) { return static_cast<uint64_t>(Provenance::kUnknown); }
constexpr uint64_t LastOf(OnCpu) { return static_cast<uint64_t>(OnCpu::kAll); }
constexpr uint64_t LastOf(FindingKind) { return static_cast<uint64_t>(FindingKind::kPlainFp32); }

// Numbers of 7 bits a byte, the low ones first; texts and lists after their lengths.
class Writer {
 public:
  std::string Take() { return std::move(bytes_); }

  template <typename Type>
  void Write(const Type& value) {
    if constexpr (std::is_same_v<Type, FlopCount>) {
      Number(static_cast<uint64_t>(value));
      Number(static_cast<uint64_t>(value >> 64));
    } else if constexpr (std::is_enum_v<Type>) {
      Number(static_cast<uint64_t>(value));
    } else if constexpr (std::is_floating_point_v<Type>) {
      Number(std::bit_cast<uint64_t>(value));
    } else if constexpr (std::is_signed_v<Type>) {
      const auto number = static_cast<int64_t>(value);
      Number(static_cast<uint64_t>(number) << 1 ^ static_cast<uint64_t>(number >> 63));
    } else if constexpr (std::is_integral_v<Type>) {
      Number(value);
    } else {
      std::apply([this](const auto&... field) { (Write(field), ...); }, FieldsOf<Type>::In(value));
    }
  }
  void Write(const std::string& text) {
    Number(text.size());
    bytes_.append(text);
  }
  template <typename Type>
  void Write(const std::optional<Type>& value) {
    Write(value.has_value());
    if (value.has_value()) Write(*value);
  }
  template <typename Type>
  void Write(const std::vector<Type>& list) {
    Number(list.size());
    for (const Type& item : list) Write(item);
  }
  template <typename Type, size_t size>
  void Write(const std::array<Type, size>& list) {
    for (const Type& item : list) Write(item);
  }
  template <typename Key, typename Type>
  void Write(const std::map<Key, Type>& items) {
    Number(items.size());
    for (const auto& [key, item] : items) {
      Write(key);
      Write(item);
    }
  }

 private:
  void Number(uint64_t value) {
    while (value >= 0x80) {
      bytes_.push_back(static_cast<char>(value | 0x80));
      value >>= 7;
    }
    bytes_.push_back(static_cast<char>(value));
  }

  std::string bytes_;
};

// After the first thing that is wrong it reads nothing more.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  bool IsAtEnd() const { return ok_ && at_ == bytes_.size(); }

  template <typename Type>
  void Read(Type* value) {
    if constexpr (std::is_same_v<Type, FlopCount>) {
      const uint64_t low = Number();
      *value = FlopCount{Number()} << 64 | low;
    } else if constexpr (std::is_enum_v<Type>) {
      const uint64_t number = Number();
      ok_ = ok_ && number <= LastOf(Type());
      if (ok_) *value = static_cast<Type>(number);
    } else if constexpr (std::is_floating_point_v<Type>) {
      *value = std::bit_cast<Type>(Number());
    } else if constexpr (std::is_signed_v<Type>) {
      const uint64_t number = Number();
      *value =
          static_cast<Type>(static_cast<int64_t>(number >> 1) ^ -static_cast<int64_t>(number & 1));
    } else if constexpr (std::is_integral_v<Type>) {
      *value = static_cast<Type>(Number());
    } else {
      depth_ += kIsNested<Type> ? 1 : 0;
      ok_ = ok_ && depth_ <= kMostDepth;
      if (!ok_) return;
      std::apply([this](auto&... field) { (Read(&field), ...); }, FieldsOf<Type>::In(*value));
      depth_ -= kIsNested<Type> ? 1 : 0;
    }
  }
  void Read(std::string* text) {
    const uint64_t size = Length();
    text->assign(bytes_.substr(at_, size));
    at_ += size;
  }
  template <typename Type>
  void Read(std::optional<Type>* value) {
    bool has_value = false;
    Read(&has_value);
    if (ok_ && has_value) Read(&value->emplace());
  }
  template <typename Type>
  void Read(std::vector<Type>* list) {
    for (uint64_t left = Length(); ok_ && left > 0; --left) Read(&list->emplace_back());
  }
  template <typename Type, size_t size>
  void Read(std::array<Type, size>* list) {
    for (Type& item : *list) Read(&item);
  }
  template <typename Key, typename Type>
  void Read(std::map<Key, Type>* items) {
    for (uint64_t left = Length(); ok_ && left > 0; --left) {
      Key key = {};
      Read(&key);
      Read(&items->emplace_hint(items->end(), std::move(key), Type())->second);
    }
  }

 private:
  uint64_t Number() {
    uint64_t value = 0;
    for (int shift = 0; ok_ && shift < 64; shift += 7) {
      if (at_ == bytes_.size()) break;
      const auto byte = static_cast<uint8_t>(bytes_[at_++]);
      value |= uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return value;
    }
    ok_ = false;
    return 0;
  }
  // Of a text or a list: each of its items takes a byte at least.
  uint64_t Length() {
    const uint64_t length = Number();
    ok_ = ok_ && length <= bytes_.size() - at_;
    return ok_ ? length : 0;
  }

  const std::string_view bytes_;
  size_t at_ = 0;
  int depth_ = 0;
  bool ok_ = true;
};

}  // namespace

std::string ToBytes(const RunSums& sums) {
  Writer writer;
  writer.Write(sums);
  return writer.Take();
}

std::optional<RunSums> FromBytes(std::string_view bytes) {
  Reader reader(bytes);
  std::optional<RunSums> sums(std::in_place);
  reader.Read(&*sums);
  // Reports go through both side by side.
  const bool fit =
      reader.IsAtEnd() && sums->report.programs.size() == sums->summary.programs.size();
  if (!fit) sums.reset();
  return sums;
}

}  // namespace flopsprof::model

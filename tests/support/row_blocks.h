// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <google/protobuf/message.h>

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "flopsprof/v1/ingest.pb.h"

namespace flopsprof::testing {

// Sets a measure of a row, whatever its type: of a Count all 128 bits.
inline void SetMeasure(const google::protobuf::FieldDescriptor* field, unsigned __int128 value,
                       google::protobuf::Message* row) {
  const auto& reflection = *row->GetReflection();
  if (field->cpp_type() == google::protobuf::FieldDescriptor::CPPTYPE_UINT32) {
    reflection.SetUInt32(row, field, static_cast<uint32_t>(value));
  } else if (field->cpp_type() == google::protobuf::FieldDescriptor::CPPTYPE_UINT64) {
    reflection.SetUInt64(row, field, static_cast<uint64_t>(value));
  } else {
    auto& count = static_cast<v1::Count&>(*reflection.MutableMessage(row, field));
    count.set_low(static_cast<uint64_t>(value));
    count.set_high(static_cast<uint64_t>(value >> 64));
  }
}

// Makes rows of blocks again, as proto/flopsprof/v1/profile.proto says it and without the store.
class BlockExpander {
 public:
  void Expand(v1::UploadRequest* request) {
    for (v1::ProcessProfile& part : *request->mutable_processes()) {
      Expand(request->agent_id(), &part);
    }
  }

  void Expand(const std::string& agent, v1::ProcessProfile* part) {
    for (const v1::RowBlock& block : part->blocks()) ExpandBlock(agent, block, part);
    part->clear_blocks();
    part->clear_defined();
    part->clear_numbering();
  }

 private:
  using Message = google::protobuf::Message;
  using FieldDescriptor = google::protobuf::FieldDescriptor;
  __extension__ using Wide = unsigned __int128;

  static std::vector<Wide> Varints(const std::string& bytes) {
    std::vector<Wide> values;
    unsigned shift = 0;
    for (const char c : bytes) {
      if (shift == 0) values.push_back(0);
      values.back() |= static_cast<Wide>(c & 0x7f) << shift;
      shift = (c & 0x80) != 0 ? shift + 7 : 0;
    }
    return values;
  }

  void ExpandBlock(const std::string& agent, const v1::RowBlock& block, v1::ProcessProfile* part) {
    const FieldDescriptor* field =
        part->GetDescriptor()->FindFieldByNumber(static_cast<int>(block.table()));
    auto& rows = rows_[{agent, part->key().SerializeAsString(), part->numbering(), block.table()}];
    const auto& reflection = *part->GetReflection();
    for (int i = 0; i < reflection.FieldSize(part->defined(), field); ++i) {
      rows[block.first_defined() + static_cast<uint32_t>(i)] =
          reflection.GetRepeatedMessage(part->defined(), field, i).SerializeAsString();
    }
    std::vector<uint32_t> numbers;
    uint32_t next = 0;
    const std::vector<Wide> runs = Varints(block.runs());
    for (size_t i = 0; i + 1 < runs.size(); i += 2) {
      next += static_cast<uint32_t>(runs[i]);
      for (Wide count = runs[i + 1]; count > 0; --count) numbers.push_back(next++);
    }
    for (size_t at = 0; at < numbers.size(); ++at) {
      Message* row = reflection.AddMessage(part, field);
      row->ParseFromString(rows.at(numbers[at]));
      for (const v1::MeasureColumn& column : block.columns()) {
        const FieldDescriptor* measure =
            row->GetDescriptor()->FindFieldByNumber(static_cast<int>(column.field()));
        SetMeasure(measure, ValueAt(column.values(), numbers.size(), at), row);
      }
    }
  }

  static Wide ValueAt(const std::string& bytes, size_t count, size_t at) {
    const size_t width = bytes.size() / count;
    Wide value = 0;
    for (size_t i = width; i-- > 0;) {
      value = value << 8 | static_cast<unsigned char>(bytes.at(at * width + i));
    }
    return value;
  }

  // By agent, process, numbering and table: keys by number.
  std::map<std::tuple<std::string, std::string, uint32_t, uint32_t>,
           std::map<uint32_t, std::string>>
      rows_;
};

}  // namespace flopsprof::testing

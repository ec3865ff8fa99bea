// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/upload/profile_split.h"

#include <google/protobuf/message.h>

#include <utility>

namespace flopsprof::agent {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

std::vector<v1::ProcessProfile> SplitProfile(v1::ProcessProfile profile, size_t max_bytes) {
  std::vector<v1::ProcessProfile> parts;
  if (profile.ByteSizeLong() <= max_bytes) {
    parts.push_back(std::move(profile));
    return parts;
  }
  parts.emplace_back();
  if (profile.has_info()) *parts.back().mutable_info() = profile.info();
  size_t bytes = parts.back().ByteSizeLong();
  const Reflection& reflection = *profile.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection.ListFields(profile, &fields);
  for (const FieldDescriptor* field : fields) {
    if (!field->is_repeated()) continue;
    const int count = reflection.FieldSize(profile, field);
    for (int i = 0; i < count; i++) {
      const Message& row = reflection.GetRepeatedMessage(profile, field, i);
      const size_t row_bytes = row.ByteSizeLong();
      if (bytes > 0 && bytes + row_bytes > max_bytes) {
        parts.emplace_back();
        bytes = 0;
      }
      reflection.AddMessage(&parts.back(), field)->CopyFrom(row);
      bytes += row_bytes;
    }
  }
  for (v1::ProcessProfile& part : parts) *part.mutable_key() = profile.key();
  return parts;
}

}  // namespace flopsprof::agent

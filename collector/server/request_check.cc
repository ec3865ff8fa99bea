// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/server/request_check.h"

#include <absl/strings/str_cat.h>
#include <google/protobuf/message.h>

#include <string>
#include <string_view>
#include <vector>

#include "collector/model/profile_bounds.h"

namespace flopsprof::server {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

absl::Status Refuse(std::string_view what, std::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat(std::string(what), " ", std::string(why)));
}

absl::Status CheckId(std::string_view id, std::string_view what, size_t max_bytes) {
  if (id.empty()) return Refuse(what, "is empty");
  if (id.size() > max_bytes) return Refuse(what, "is too long");
  for (const char c : id) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      return Refuse(what, "has a control character");
    }
  }
  return absl::OkStatus();
}

absl::Status CheckTexts(const Message& message, const RequestLimits& limits) {
  std::vector<const FieldDescriptor*> fields;
  const google::protobuf::Reflection& reflection = *message.GetReflection();
  reflection.ListFields(message, &fields);
  std::string scratch;
  for (const FieldDescriptor* field : fields) {
    const int count = field->is_repeated() ? reflection.FieldSize(message, field) : 1;
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
      for (int i = 0; i < count; ++i) {
        const std::string& text =
            field->is_repeated()
                ? reflection.GetRepeatedStringReference(message, field, i, &scratch)
                : reflection.GetStringReference(message, field, &scratch);
        if (text.size() > limits.max_text_bytes) return Refuse(field->full_name(), "is too long");
        if (text.find('\0') != std::string::npos) {
          return Refuse(field->full_name(), "has a zero byte");
        }
      }
    } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      for (int i = 0; i < count; ++i) {
        const absl::Status status =
            CheckTexts(field->is_repeated() ? reflection.GetRepeatedMessage(message, field, i)
                                            : reflection.GetMessage(message, field),
                       limits);
        if (!status.ok()) return status;
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckIds(const v1::UploadRequest& request, const RequestLimits& limits) {
  absl::Status status = CheckId(request.run_id(), "run_id", limits.max_id_bytes);
  if (status.ok()) status = CheckId(request.agent_id(), "agent_id", limits.max_id_bytes);
  return status;
}

absl::Status CheckRequest(const v1::UploadRequest& request, const RequestLimits& limits) {
  if (const absl::Status status = CheckIds(request, limits); !status.ok()) return status;
  if (request.sequence() == 0 || request.sequence() > (uint64_t{1} << 62)) {
    return Refuse("sequence", "is out of range");
  }
  if (static_cast<size_t>(request.processes_size()) > limits.max_processes) {
    return Refuse("processes", "are too many for one request");
  }
  for (const v1::ProcessProfile& process : request.processes()) {
    if (!process.has_key() || process.key().node().empty()) {
      return Refuse("ProcessProfile.key", "is missing");
    }
  }
  return CheckTexts(request, limits);
}

void BoundRequest(v1::UploadRequest* request) {
  for (v1::ProcessProfile& process : *request->mutable_processes()) model::CutNames(&process);
  if (!request->has_run()) return;
  v1::RunInfo& run = *request->mutable_run();
  run.set_job(model::BoundedName(run.job(), false));
  run.set_node(model::BoundedName(run.node(), false));
  run.set_version(model::BoundedName(run.version(), false));
}

std::string NodeOf(const v1::UploadRequest& request, const RequestLimits& limits) {
  std::string node = request.run().node();
  for (const v1::ProcessProfile& process : request.processes()) {
    if (node.empty()) node = process.key().node();
  }
  return CheckId(node, "node", limits.max_id_bytes).ok() ? node : "";
}

}  // namespace flopsprof::server

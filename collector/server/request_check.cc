// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/server/request_check.h"

#include <absl/container/flat_hash_set.h>
#include <absl/strings/str_cat.h>
#include <google/protobuf/message.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "collector/model/profile_bounds.h"
#include "collector/store/live/block_reader.h"
#include "collector/store/schema.h"
#include "proto/flopsprof/history.h"
#include "proto/flopsprof/text_id.h"

namespace flopsprof::server {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

absl::Status Refuse(std::string_view what, std::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat(std::string(what), " ", std::string(why)));
}

// "0.3.0, " where the agent has said it.
std::string BoundedVersion(const std::string& version) {
  constexpr size_t kMost = 32;
  const bool plain = std::all_of(version.begin(), version.end(),
                                 [](unsigned char c) { return c > 0x20 && c < 0x7f; });
  return version.empty() || version.size() > kMost || !plain ? "" : version + ", ";
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

// What an agent of another format counts is not what we add up.
absl::Status CheckFormat(const v1::UploadRequest& request) {
  const int ours = v1::UPLOAD_FORMAT_INCREMENTS;
  const int format = request.format();
  if (format == ours) return absl::OkStatus();
  const std::string version = BoundedVersion(request.run().version());
  return absl::FailedPreconditionError(
      absl::StrCat("this agent is of ", format < ours ? "an older" : "a newer", " flopsprof (",
                   version, "uploads of format ", format, ") than this collector (format ", ours,
                   "): use the same version of flopsprof on all nodes"));
}

// No machine counts further. So sums of what many requests say stay below 2^63, where SQLite's
// integers end, and a comparison is not one with a negative number.
constexpr uint64_t kLargestNumber = uint64_t{1} << 62;
constexpr uint64_t kLargestCountHigh = uint64_t{1} << 58;  // of a Count: times 2^64

// Ids, addresses and hashes may be any number.
bool MayBeAnyNumber(const FieldDescriptor* field) {
  static const auto* const kAny = [] {
    auto* any = new absl::flat_hash_set<const FieldDescriptor*>{
        v1::ProcessKey::descriptor()->FindFieldByName("start_ticks"),
        v1::ProcessKey::descriptor()->FindFieldByName("image"),
        v1::Count::descriptor()->FindFieldByName("low"),
        v1::UploadRequest::descriptor()->FindFieldByName("mark"),
        v1::UploadRequest::descriptor()->FindFieldByName("previous_mark"),
        v1::ProcessProfile::descriptor()->FindFieldByName("strings")->message_type()->field(0)};
    for (const store::RowTable& table : store::RowTables()) {
      for (const store::ColumnRule& column : table.columns) {
        const bool compared =
            column.rule != store::Rule::kKey && column.rule != store::Rule::kNewest;
        if (!compared) any->insert(column.field);
      }
    }
    return any;
  }();
  return kAny->contains(field);
}

absl::Status CheckNumbers(const Message& message, const FieldDescriptor* field) {
  if (MayBeAnyNumber(field)) return absl::OkStatus();
  static const FieldDescriptor* const kHigh = v1::Count::descriptor()->FindFieldByName("high");
  const uint64_t largest = field == kHigh ? kLargestCountHigh : kLargestNumber;
  const google::protobuf::Reflection& reflection = *message.GetReflection();
  const int count = field->is_repeated() ? reflection.FieldSize(message, field) : 1;
  for (int i = 0; i < count; ++i) {
    const uint64_t number = field->is_repeated() ? reflection.GetRepeatedUInt64(message, field, i)
                                                 : reflection.GetUInt64(message, field);
    if (number > largest) return Refuse(field->full_name(), "is too large");
  }
  return absl::OkStatus();
}

absl::Status CheckFields(const Message& message, const RequestLimits& limits) {
  std::vector<const FieldDescriptor*> fields;
  const google::protobuf::Reflection& reflection = *message.GetReflection();
  reflection.ListFields(message, &fields);
  std::string scratch;
  for (const FieldDescriptor* field : fields) {
    const int count = field->is_repeated() ? reflection.FieldSize(message, field) : 1;
    if (field->type() == FieldDescriptor::TYPE_BYTES) continue;  // CheckBlocks
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
    } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_UINT64) {
      if (const absl::Status status = CheckNumbers(message, field); !status.ok()) return status;
    } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      for (int i = 0; i < count; ++i) {
        const absl::Status status =
            CheckFields(field->is_repeated() ? reflection.GetRepeatedMessage(message, field, i)
                                             : reflection.GetMessage(message, field),
                        limits);
        if (!status.ok()) return status;
      }
    }
  }
  return absl::OkStatus();
}

// The store takes a process once in a request.
absl::Status CheckKeys(const v1::UploadRequest& request) {
  absl::flat_hash_set<std::tuple<std::string_view, int64_t, uint64_t, uint64_t>> seen;
  for (const v1::ProcessProfile& process : request.processes()) {
    const v1::ProcessKey& key = process.key();
    if (key.node().empty()) return Refuse("ProcessProfile.key", "is missing");
    if (!seen.emplace(key.node(), key.pid(), key.start_ticks(), key.image()).second) {
      return Refuse("ProcessProfile.key", "comes twice in one request");
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
  if (const absl::Status status = CheckFormat(request); !status.ok()) return status;
  if (request.sequence() == 0 || request.sequence() > (uint64_t{1} << 62)) {
    return Refuse("sequence", "is out of range");
  }
  if (static_cast<size_t>(request.processes_size()) > limits.max_processes) {
    return Refuse("processes", "are too many for one request");
  }
  if (const absl::Status status = CheckKeys(request); !status.ok()) return status;
  for (const v1::ProcessProfile& process : request.processes()) {
    if (const absl::Status status = store::CheckBlocks(process); !status.ok()) return status;
    for (const auto& [id, text] : process.strings()) {
      if (id != TextId(text))
        return Refuse("ProcessProfile.strings", "has an id that is not its text's");
    }
  }
  return CheckFields(request, limits);
}

void BoundRequest(v1::UploadRequest* request) {
  for (v1::ProcessProfile& process : *request->mutable_processes()) {
    model::CutNames(&process);
    if (process.has_defined()) model::CutNames(process.mutable_defined());
  }
  if (!request->has_run()) return;
  v1::RunInfo& run = *request->mutable_run();
  run.set_job(model::BoundedName(run.job(), false));
  run.set_node(model::BoundedName(run.node(), false));
  run.set_version(model::BoundedName(run.version(), false));
}

void BoundTimes(int64_t now_utc_ns, v1::UploadRequest* request) {
  constexpr int64_t kMostAheadNs = 3'600'000'000'000;
  const auto is_good = [now_utc_ns](int64_t ns) {
    return ns >= 0 && ns - std::min(ns, now_utc_ns) <= kMostAheadNs;
  };
  for (v1::ProcessProfile& process : *request->mutable_processes()) {
    uint64_t refused = 0;
    if (process.has_info() && !is_good(process.info().start_utc_ns())) {
      process.mutable_info()->clear_start_utc_ns();
      ++refused;
    }
    for (v1::ProcessLife& life : *process.mutable_process_lives()) {
      if (is_good(life.until_utc_ns())) continue;
      life.clear_until_utc_ns();
      ++refused;
    }
    const auto bound = [&](auto* rows) {
      for (auto& row : *rows) {
        if (is_good(row.begin_utc_ns())) continue;
        row.set_width_ns(kHistoryWidthsNs.front());
        row.set_begin_utc_ns(now_utc_ns - now_utc_ns % static_cast<int64_t>(row.width_ns()));
        ++refused;
      }
    };
    bound(process.mutable_history());
    bound(process.mutable_device_history());
    if (refused > 0) (*process.mutable_agent_loss())["times_refused"] += refused;
  }
  if (request->has_run() && !is_good(request->run().start_utc_ns())) {
    request->mutable_run()->clear_start_utc_ns();
  }
}

std::string NodeOf(const v1::UploadRequest& request, const RequestLimits& limits) {
  std::string node = request.run().node();
  for (const v1::ProcessProfile& process : request.processes()) {
    if (node.empty()) node = process.key().node();
  }
  return CheckId(node, "node", limits.max_id_bytes).ok() ? node : "";
}

}  // namespace flopsprof::server

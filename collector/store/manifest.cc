// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/store/manifest.h"

#include <absl/strings/str_cat.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "collector/store/folder_name.h"
#include "collector/store/schema.h"

namespace flopsprof::store {
namespace {

constexpr const char* kSchema = "flopsprof.run/1";
constexpr const char* kSchemaPrefix = "flopsprof.run/";

std::string StringOr(const nlohmann::json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

absl::Status WriteManifest(const std::string& folder, const Manifest& manifest) {
  const nlohmann::ordered_json json = {{"schema", kSchema},
                                       {"run_id", manifest.run_id},
                                       {"job", manifest.job},
                                       {"command", manifest.command},
                                       {"start_utc_ns", manifest.start_utc_ns},
                                       {"version", manifest.version},
                                       {"state", manifest.finished ? "finished" : "running"},
                                       {"database", "profile.db"},
                                       {"format", kSchemaVersion}};
  const std::string text =
      json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  return ReplaceFile(folder, "run.json", text);
}

absl::StatusOr<Manifest> ReadManifest(const std::string& folder) {
  const std::string path = absl::StrCat(folder, "/run.json");
  std::ifstream file(path);
  if (!file) return absl::NotFoundError(absl::StrCat("no run.json in ", folder));
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (json.is_discarded() || !json.is_object() ||
      StringOr(json, "schema").rfind(kSchemaPrefix, 0) != 0) {
    return absl::DataLossError(absl::StrCat(path, " is not a manifest of flopsprof"));
  }
  Manifest manifest;
  manifest.run_id = StringOr(json, "run_id");
  manifest.job = StringOr(json, "job");
  manifest.command = StringOr(json, "command");
  manifest.version = StringOr(json, "version");
  manifest.finished = StringOr(json, "state") == "finished";
  const auto format = json.find("format");
  if (format != json.end() && format->is_number_integer()) manifest.format = format->get<int64_t>();
  const auto start = json.find("start_utc_ns");
  if (start != json.end() && start->is_number_integer()) {
    manifest.start_utc_ns = start->get<int64_t>();
  }
  return manifest;
}

v1::RunInfo RunInfoOf(const Manifest& manifest) {
  v1::RunInfo run;
  run.set_job(manifest.job);
  run.set_command(manifest.command);
  run.set_start_utc_ns(manifest.start_utc_ns);
  run.set_version(manifest.version);
  return run;
}

}  // namespace flopsprof::store

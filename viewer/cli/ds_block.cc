// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "viewer/cli/ds_block.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "absl/strings/str_cat.h"
#include "viewer/cli/verbs.h"

namespace flopsprof::viewer {
namespace {

using Json = nlohmann::json;

constexpr int64_t kMostNumber = 1'000'000'000;
constexpr const char* kKeys[] = {"enabled",     "profile_step", "module_depth",
                                 "top_modules", "detailed",     "output_file",
                                 "start_step",  "end_step",     "recompute_fwd_factor"};

// Behind the comment that begins at `at`, or `at`: none does.
size_t EndOfComment(std::string_view text, size_t at) {
  const std::string_view rest = text.substr(at);
  if (rest.substr(0, 1) == "#" || rest.substr(0, 2) == "//") {
    return at + std::min(rest.find('\n'), rest.size());
  }
  if (rest.substr(0, 2) != "/*") return at;
  const size_t end = rest.find("*/", 2);
  return end == std::string_view::npos ? text.size() : at + end + 2;
}

size_t EndOfString(std::string_view text, size_t at) {
  for (++at; at < text.size() && text[at] != '"' && text[at] != '\n'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return std::min(at + 1, text.size());
}

// "parse error at line 3, column 5: syntax error ..." without the library's own number.
std::string ParseErrorText(const Json::parse_error& error) {
  std::string text = error.what();
  const size_t begin = text.find("line ");
  return begin == std::string::npos ? text : text.substr(begin);
}

// The whole text, or what is wrong with it.
Json ParseJson(const std::string& text, std::string* error) {
  std::vector<std::set<std::string>> keys;  // of each object that is open
  std::string twice;
  const Json::parser_callback_t watch = [&](int, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end && !keys.empty()) keys.pop_back();
    if (event == Json::parse_event_t::key && !keys.empty() && twice.empty()) {
      const auto& key = parsed.get_ref<const std::string&>();
      if (!keys.back().insert(key).second) twice = key;
    }
    return true;
  };
  Json json;
  try {
    json = Json::parse(text, watch);
  } catch (const Json::exception& thrown) {
    const auto* parse_error = dynamic_cast<const Json::parse_error*>(&thrown);
    *error = absl::StrCat("no JSON: ",
                          parse_error == nullptr ? thrown.what() : ParseErrorText(*parse_error));
    return Json();
  }
  if (!twice.empty()) {
    *error =
        absl::StrCat("the key \"", twice, "\" stands twice in one object, which DeepSpeed refuses");
  }
  return json;
}

// Takes members of the block; after the first error nothing more.
class Members {
 public:
  explicit Members(const Json& block) : block_(block) {}

  bool Has(const char* key) const { return block_.contains(key); }
  const std::string& error() const { return error_; }

  void Take(const char* key, bool* value) {
    const Json* found = Find(key);
    if (found == nullptr) return;
    if (!found->is_boolean()) return Wrong(key, *found, "true or false");
    *value = found->get<bool>();
  }

  template <typename Integer>
  void Take(const char* key, int64_t lowest, Integer* value) {
    const Json* found = Find(key);
    if (found == nullptr) return;
    const std::string wanted = absl::StrCat("a whole number from ", lowest, " on");
    if (!found->is_number_integer()) return Wrong(key, *found, wanted);
    const bool fits = found->is_number_unsigned() ? found->get<uint64_t>() <= uint64_t{kMostNumber}
                                                  : found->get<int64_t>() <= kMostNumber;
    if (!fits || found->get<int64_t>() < lowest) return Wrong(key, *found, wanted);
    *value = static_cast<Integer>(found->get<int64_t>());
  }

  void TakeFactor(const char* key, double* value) {
    const Json* found = Find(key);
    if (found == nullptr) return;
    const bool fits = found->is_number() && std::isfinite(found->get<double>()) &&
                      found->get<double>() >= 0 && found->get<double>() <= kMostNumber;
    if (!fits) return Wrong(key, *found, "a number from 0 on");
    *value = found->get<double>();
  }

  void TakePath(const char* key, std::string* value) {
    const Json* found = Find(key);
    if (found == nullptr || found->is_null()) return;
    if (!found->is_string()) return Wrong(key, *found, "a path or null");
    *value = found->get<std::string>();
    if (value->find('\0') != std::string::npos) Wrong(key, *found, "a path or null");
  }

 private:
  const Json* Find(const char* key) const {
    const auto found = block_.find(key);
    return error_.empty() && found != block_.end() ? &*found : nullptr;
  }

  void Wrong(const char* key, const Json& value, const std::string& wanted) {
    constexpr size_t kLongest = 60;
    std::string text = value.dump(-1, ' ', true, Json::error_handler_t::replace);
    if (text.size() > kLongest) text = text.substr(0, kLongest) + "...";
    error_ = absl::StrCat("\"", key, "\" of flops_profiler is ", text, ", not ", wanted);
    if (value == "auto") error_ += "; Hugging Face fills in no \"auto\" there";
  }

  const Json& block_;
  std::string error_;
};

void TakeSteps(Members* members, ParsedDsBlock* parsed, DsBlock* block) {
  const bool is_old = members->Has("start_step") || members->Has("end_step");
  if (members->Has("profile_step") || !is_old) {
    uint32_t step = 1;
    members->Take("profile_step", 0, &step);
    block->steps = {step, step + 1};
    if (is_old) {
      parsed->remarks.push_back(
          "\"start_step\" and \"end_step\" of flops_profiler are not used beside "
          "\"profile_step\"");
    }
  } else {
    block->steps = {5, 6};  // the defaults of DeepSpeed 0.3.11
    members->Take("start_step", 0, &block->steps.first);
    members->Take("end_step", 0, &block->steps.end);
  }
  if (block->steps.first == 0) {
    parsed->remarks.push_back(
        "step 0 of flops_profiler is the first one, which compiles, tunes and warms up");
  }
}

std::vector<std::string> UnknownKeys(const Json& block) {
  const std::vector<std::string> known(std::begin(kKeys), std::end(kKeys));
  std::vector<std::string> unknown;
  for (const auto& [key, unused] : block.items()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    const std::string nearest = Nearest(key, known);
    unknown.push_back(
        absl::StrCat("flops_profiler has no key \"", key, "\"",
                     nearest.empty() ? "" : absl::StrCat("; did you mean \"", nearest, "\"?")));
  }
  return unknown;
}

}  // namespace

std::string WithoutComments(std::string_view text) {
  std::string json(text);
  size_t last = std::string::npos;  // of what is no blank and no comment
  for (size_t at = 0; at < text.size();) {
    if (const size_t end = EndOfComment(text, at); end > at) {
      for (; at < end; ++at) {
        if (text[at] != '\n') json[at] = ' ';
      }
      continue;
    }
    const bool closes = text[at] == '}' || text[at] == ']';
    if (closes && last != std::string::npos && text[last] == ',') json[last] = ' ';
    if (text[at] != ' ' && text[at] != '\t' && text[at] != '\r' && text[at] != '\n') last = at;
    at = text[at] == '"' ? EndOfString(text, at) : at + 1;
  }
  return json;
}

ParsedDsBlock ParseDsBlock(std::string_view text) {
  ParsedDsBlock parsed;
  const Json json = ParseJson(WithoutComments(text), &parsed.error);
  if (!parsed.error.empty()) return parsed;
  if (!json.is_object()) {
    parsed.error = absl::StrCat("no JSON object, but ", json.type_name());
    return parsed;
  }
  const auto found = json.find("flops_profiler");
  if (found == json.end()) return parsed;
  if (!found->is_object()) {
    parsed.error = absl::StrCat("\"flops_profiler\" is no object, but ", found->type_name());
    return parsed;
  }
  DsBlock block;
  Members members(*found);
  parsed.has_block = true;
  members.Take("enabled", &block.enabled);
  // What is no boolean is wrong, and most values switch DeepSpeed's profiler on.
  parsed.enabled = block.enabled || !members.error().empty();
  TakeSteps(&members, &parsed, &block);
  members.Take("module_depth", -1, &block.module_depth);
  members.Take("top_modules", 0, &block.top_modules);
  members.Take("detailed", &block.detailed);
  members.TakePath("output_file", &block.output_file);
  members.TakeFactor("recompute_fwd_factor", &block.recompute_fwd_factor);
  parsed.unknown = UnknownKeys(*found);
  parsed.error = members.error();
  if (parsed.error.empty() && block.steps.end <= block.steps.first) {
    parsed.error = absl::StrCat("\"end_step\" of flops_profiler is ", block.steps.end,
                                ", not above \"start_step\", which is ", block.steps.first);
  }
  if (parsed.error.empty()) parsed.block = block;
  return parsed;
}

}  // namespace flopsprof::viewer

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "viewer/cli/ds_search.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "viewer/cli/yaml_value.h"

namespace flopsprof::viewer {
namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

constexpr size_t kMostBytes = 1 << 20;
constexpr const char* kConfigOptions[] = {"--deepspeed_config", "--deepspeed-config",
                                          "--deepspeed_config_file", "--deepspeed-config-file"};

std::string ReadSome(int fd) {
  std::string text;
  char part[65536];
  while (text.size() <= kMostBytes) {
    const ssize_t got = read(fd, part, sizeof(part));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    text.append(part, static_cast<size_t>(got));
  }
  return text;
}

std::string ErrorInKind(const struct stat& info) {
  if (S_ISDIR(info.st_mode)) return "is a directory";
  if (!S_ISREG(info.st_mode))
    return "is no plain file; the job would lack what is read from it here";
  if (static_cast<size_t>(info.st_size) > kMostBytes) return "is larger than 1 MiB";
  return "";
}

// Only files that look as one are decoded: most words are base64 of something.
bool DecodesToObject(const std::string& word, std::string* text) {
  constexpr size_t kShortest = 8;
  if (word.size() < kShortest || !absl::WebSafeBase64Unescape(word, text)) return false;
  const size_t first = text->find_first_not_of(" \t\r\n");
  return first != std::string::npos && (*text)[first] == '{';
}

bool IsFile(const std::string& path) {
  struct stat info = {};
  return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

bool Exists(const std::string& path) {
  struct stat info = {};
  return stat(path.c_str(), &info) == 0;
}

// As DeepSpeed takes what stands behind the option; Hugging Face takes JSON too.
DsSource SourceOf(const std::string& word, const std::string& option) {
  DsSource source = {"the text behind " + option, option + " on the job's command line", "", ""};
  if (absl::StartsWith(word, "{")) {
    source.text = word;
    return source;
  }
  if (!Exists(word) && DecodesToObject(word, &source.text)) {
    source.name = "the base64 text behind " + option;
    return source;
  }
  return ReadDsConfig(word, source.where);
}

bool IsJsonName(const std::string& word) {
  return absl::EndsWith(word, ".json") || absl::EndsWith(word, ".hjson");
}

// `--deepspeed` alone is a switch, and has words of other meanings behind it in some programs.
bool MayBeConfig(const std::string& word) {
  std::string unused;
  return !word.empty() && word[0] != '-' &&
         (word[0] == '{' || IsJsonName(word) || DecodesToObject(word, &unused) ||
          (IsFile(word) && !absl::EndsWith(word, ".py")));
}

struct NamedWord {
  std::string option;
  std::string word;
};

// What options of the command line name as configurations.
std::vector<NamedWord> NamedByOptions(const Words& command) {
  std::vector<NamedWord> named;
  for (size_t i = 0; i < command.size(); ++i) {
    const size_t equals = command[i].find('=');
    const std::string option = command[i].substr(0, equals);
    const bool is_switch = option == "--deepspeed";
    if (!is_switch && std::find(std::begin(kConfigOptions), std::end(kConfigOptions), option) ==
                          std::end(kConfigOptions)) {
      continue;
    }
    if (equals == std::string::npos && i + 1 == command.size()) continue;
    const std::string word =
        equals == std::string::npos ? command[i + 1] : command[i].substr(equals + 1);
    if (!is_switch || MayBeConfig(word)) named.push_back({option, word});
  }
  return named;
}

std::optional<DsSource> FindByOptions(const Words& command) {
  const std::vector<NamedWord> named = NamedByOptions(command);
  if (named.empty()) return std::nullopt;
  for (const NamedWord& other : named) {
    if (other.word == named[0].word) continue;
    DsSource source = SourceOf(named[0].word, named[0].option);
    source.text.clear();
    source.error = absl::StrCat("the command line names another one too, ", other.word, " (",
                                other.option, "); --ds-config FILE says which is meant");
    return source;
  }
  return SourceOf(named[0].word, named[0].option);
}

std::string BaseName(const std::string& path) { return path.substr(path.rfind('/') + 1); }

bool IsScript(const std::string& word) { return absl::EndsWith(word, ".py"); }

// The first word behind the script or module, or the end.
Words::const_iterator ArgumentsOfScript(const Words& command) {
  for (auto word = command.begin(); word != command.end(); ++word) {
    if (IsScript(*word)) return word + 1;
    const bool is_module = *word == "-m" && command.end() - word > 2;
    // Modules that start a script of their own.
    if (is_module && !absl::StartsWith(word[1], "torch.distributed") &&
        !absl::StartsWith(word[1], "accelerate.")) {
      return word + 2;
    }
  }
  return command.end();
}

DsSource WrongSource(const DsSource& file, const std::string& error) {
  return {file.name, file.where, "", error};
}

// Hugging Face's parser takes the path of a configuration, and in JSON the configuration itself.
// Other programs have files of these forms too, and other values under this key.
std::optional<DsSource> SourceInArguments(const DsSource& file) {
  const std::string where = absl::StrCat("deepspeed in the arguments file ", file.name);
  std::string path;
  if (absl::EndsWith(file.name, ".json")) {
    const Json json = Json::parse(file.text, nullptr, false);
    const auto found = json.is_object() ? json.find("deepspeed") : json.end();
    if (found == json.end()) return std::nullopt;
    if (found->is_object()) return DsSource{file.name, where, found->dump(), ""};
    if (found->is_string()) path = found->get<std::string>();
  } else {
    const YamlValue value = FindYamlValue(file.text, "", "deepspeed");
    const bool may_have_block = file.text.find("flops_profiler") != std::string::npos;
    if (!value.error.empty() && may_have_block) return WrongSource(file, value.error);
    path = value.text;
  }
  if (path.empty() || (!IsFile(path) && !IsJsonName(path))) return std::nullopt;
  return ReadDsConfig(path, where);
}

// Hugging Face's parser takes a file in the place of all arguments; that of TRL takes --config.
std::optional<DsSource> FindByArgumentsFile(const Words& command) {
  const auto is_arguments_file = [](const std::string& word) {
    return absl::EndsWith(word, ".json") || absl::EndsWith(word, ".yaml") ||
           absl::EndsWith(word, ".yml");
  };
  const auto begin = ArgumentsOfScript(command);
  std::string path;
  if (command.end() - begin == 1) path = *begin;
  for (auto word = begin; word != command.end(); ++word) {
    if (absl::StartsWith(*word, "--config=")) path = word->substr(strlen("--config="));
    if (*word == "--config" && command.end() - word > 1) path = word[1];
  }
  if (!is_arguments_file(path) || !IsFile(path)) return std::nullopt;
  const DsSource file = ReadDsConfig(path, "the arguments file of the job's script");
  // It may be anything, such as a large file of data.
  if (!file.error.empty()) return std::nullopt;
  return SourceInArguments(file);
}

// The options of `accelerate launch`, up to the script.
std::optional<Words> AccelerateOptions(const Words& command) {
  for (auto word = command.begin(); word != command.end(); ++word) {
    const bool is_launch =
        BaseName(*word) == "accelerate-launch" || *word == "accelerate.commands.launch" ||
        (*word == "launch" && word != command.begin() && BaseName(word[-1]) == "accelerate");
    if (!is_launch) continue;
    const auto end = std::find_if(word, command.end(), [](const std::string& option) {
      return IsScript(option) || option == "-m" || option == "--module";
    });
    return Words(word + 1, end);
  }
  return std::nullopt;
}

std::string DefaultAccelerateConfig(const DsSearchPlaces& places) {
  std::string cache = places.hf_home;
  if (cache.empty() && !places.cache_home.empty()) cache = places.cache_home + "/huggingface";
  if (cache.empty() && !places.home.empty()) cache = places.home + "/.cache/huggingface";
  if (cache.empty()) return "";
  for (const char* name : {"default_config.yaml", "default_config.json"}) {
    const std::string path = absl::StrCat(cache, "/accelerate/", name);
    if (IsFile(path)) return path;
  }
  return "";
}

// The text under a key of an object in JSON; "" = there is none.
std::string TextIn(const Json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

std::optional<DsSource> SourceInAccelerates(const DsSource& file) {
  std::string type;
  YamlValue path;
  if (absl::EndsWith(file.name, ".json")) {
    const Json json = Json::parse(file.text, nullptr, false);
    if (!json.is_object()) return WrongSource(file, "no JSON object");
    type = TextIn(json, "distributed_type");
    const auto inner = json.find("deepspeed_config");
    if (inner != json.end()) path.text = TextIn(*inner, "deepspeed_config_file");
  } else {
    type = FindYamlValue(file.text, "", "distributed_type").text;
    path = FindYamlValue(file.text, "deepspeed_config", "deepspeed_config_file");
  }
  if (!type.empty() && absl::AsciiStrToUpper(type) != "DEEPSPEED") return std::nullopt;
  if (!path.error.empty()) return WrongSource(file, path.error);
  if (path.text.empty()) return std::nullopt;
  return ReadDsConfig(
      path.text, absl::StrCat("deepspeed_config_file in Accelerate's configuration ", file.name));
}

std::optional<DsSource> FindByAccelerate(const Words& command, const DsSearchPlaces& places) {
  const std::optional<Words> options = AccelerateOptions(command);
  if (!options.has_value()) return std::nullopt;
  std::string path;
  for (size_t i = 0; i < options->size(); ++i) {
    for (const std::string name : {"--config_file", "--config-file"}) {
      if ((*options)[i] == name && i + 1 < options->size()) path = (*options)[i + 1];
      if (absl::StartsWith((*options)[i], name + "=")) {
        path = (*options)[i].substr(name.size() + 1);
      }
    }
  }
  if (path.empty()) path = DefaultAccelerateConfig(places);
  if (path.empty()) return std::nullopt;
  const DsSource file = ReadDsConfig(path, "the configuration of accelerate launch");
  if (!file.error.empty()) return file;
  return SourceInAccelerates(file);
}

}  // namespace

DsSearchPlaces PlacesOfEnvironment() {
  const auto value = [](const char* name) -> std::string {
    const char* set = std::getenv(name);
    return set == nullptr ? "" : set;
  };
  return {value("HOME"), value("XDG_CACHE_HOME"), value("HF_HOME")};
}

DsSource ReadDsConfig(const std::string& path, const std::string& where) {
  DsSource source = {path, where, "", ""};
  struct stat info = {};
  // Before it is opened: the opening of a pipe would wake up who waits to write into it.
  if (stat(path.c_str(), &info) != 0) {
    source.error = std::strerror(errno);
    return source;
  }
  source.error = ErrorInKind(info);
  if (!source.error.empty()) return source;
  const int fd = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  if (fd < 0) {
    source.error = std::strerror(errno);
    return source;
  }
  if (fstat(fd, &info) == 0) source.error = ErrorInKind(info);
  if (source.error.empty()) source.text = ReadSome(fd);
  close(fd);
  if (source.text.size() > kMostBytes) {
    source.text.clear();
    source.error = "is larger than 1 MiB";
  }
  return source;
}

std::optional<DsSource> FindDsConfig(const std::vector<std::string>& command,
                                     const DsSearchPlaces& places) {
  if (std::optional<DsSource> found = FindByOptions(command)) return found;
  if (std::optional<DsSource> found = FindByArgumentsFile(command)) return found;
  return FindByAccelerate(command, places);
}

}  // namespace flopsprof::viewer

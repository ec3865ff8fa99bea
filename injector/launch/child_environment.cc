// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/launch/child_environment.h"

#include <unistd.h>

#include <algorithm>
#include <optional>
#include <string_view>

namespace flopsprof::launch {
namespace {

bool HasName(std::string_view variable, std::string_view name) {
  return variable.size() > name.size() && variable[name.size()] == '=' &&
         variable.substr(0, name.size()) == name;
}

std::optional<std::string> Get(const std::vector<std::string>& variables, std::string_view name) {
  for (const std::string& variable : variables) {
    if (HasName(variable, name)) return variable.substr(name.size() + 1);
  }
  return std::nullopt;
}

// Sets the first occurrence and removes others: getenv reads the first, some shells the last.
void Set(std::vector<std::string>* variables, const std::string& name, const std::string& value) {
  const auto matches = [&](const std::string& v) { return HasName(v, name); };
  const auto first = std::find_if(variables->begin(), variables->end(), matches);
  if (first == variables->end()) {
    variables->push_back(name + "=" + value);
    return;
  }
  *first = name + "=" + value;
  variables->erase(std::remove_if(first + 1, variables->end(), matches), variables->end());
}

// The dynamic loader splits LD_PRELOAD at spaces and colons and knows no quoting.
bool FitsPreload(const std::string& path) { return path.find_first_of(" :") == std::string::npos; }

bool PreloadContains(const std::string& preload, const std::string& path) {
  size_t begin = 0;
  while (begin < preload.size()) {
    size_t end = preload.find_first_of(" :", begin);
    if (end == std::string::npos) end = preload.size();
    if (preload.compare(begin, end - begin, path) == 0) return true;
    begin = end + 1;
  }
  return false;
}

// Who sets this injection variable, as far as its value tells.
std::string GuessOwner(const std::string& value) {
  if (value.find("nsight-systems") != std::string::npos ||
      value.find("ToolsInjection") != std::string::npos) {
    return "Nsight Systems";
  }
  if (value.find("nsight-compute") != std::string::npos) return "Nsight Compute";
  if (value.find("sanitizer") != std::string::npos) return "Compute Sanitizer";
  if (value.find("proton") != std::string::npos) return "Proton";
  return "another tool";
}

void SetInjection(ChildEnvironment* child, const std::string& name, const std::string& path) {
  const std::optional<std::string> present = Get(child->variables, name);
  if (present.has_value() && !present->empty() && *present != path) {
    child->notes.push_back(name + " is set by " + GuessOwner(*present) + " (" + *present +
                           ") and stays as it is");
    return;
  }
  Set(&child->variables, name, path);
}

}  // namespace

ChildEnvironment BuildChildEnvironment(const std::vector<std::string>& parent,
                                       const LaunchOptions& options) {
  ChildEnvironment child;
  child.variables = parent;
  if (FitsPreload(options.injector_path)) {
    const std::string present = Get(parent, "LD_PRELOAD").value_or("");
    if (!PreloadContains(present, options.injector_path)) {
      const std::string separator = present.empty() ? "" : ":";
      Set(&child.variables, "LD_PRELOAD", options.injector_path + separator + present);
    }
  } else {
    child.notes.push_back("LD_PRELOAD cannot hold a path with a space or a colon (" +
                          options.injector_path +
                          "): library calls before CUDA starts are not seen");
  }
  SetInjection(&child, "CUDA_INJECTION64_PATH", options.injector_path);
  SetInjection(&child, "NVTX_INJECTION64_PATH", options.injector_path);
  Set(&child.variables, "FLOPSPROF_SOCKET", options.socket_path);
  Set(&child.variables, "FLOPSPROF_RUN_ID", options.run_id);
  return child;
}

std::vector<std::string> ChangedVariables(const std::vector<std::string>& parent,
                                          const ChildEnvironment& child) {
  std::vector<std::string> changed;
  for (const std::string& variable : child.variables) {
    if (std::find(parent.begin(), parent.end(), variable) == parent.end()) {
      changed.push_back(variable);
    }
  }
  return changed;
}

std::vector<std::string> CurrentEnvironment() {
  std::vector<std::string> variables;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    variables.emplace_back(*entry);
  }
  return variables;
}

}  // namespace flopsprof::launch

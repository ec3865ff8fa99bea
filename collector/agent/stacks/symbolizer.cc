// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/stacks/symbolizer.h"

#include <algorithm>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "collector/agent/stacks/elf_symbols.h"

namespace flopsprof::agent {
namespace {

constexpr size_t kMaxStackBytes = 32 << 10;
constexpr size_t kMaxFunctionBytes = 1024;

struct Object {
  std::string build_id;  // "" = the file has none
  std::string path;
};

// From "BUILD_ID PATH".
Object ParseObject(const std::string& name) {
  const size_t space = name.find(' ');
  if (space == std::string::npos) return {"", name};
  const std::string id = name.substr(0, space);
  return {id == "-" ? "" : id, name.substr(space + 1)};
}

std::string_view FileName(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

// A frame is one line of two fields.
std::string OneField(std::string_view text) {
  std::string clean(text);
  for (char& c : clean) {
    if (c == '\n' || c == '\t' || c == '\r') c = ' ';
  }
  return clean;
}

bool IsNative(const shm::StackFrame& frame) {
  return frame.origin == static_cast<uint32_t>(shm::FrameOrigin::kNative);
}

// CUPTI's entry into the profiler, at the inner end of every stack.
bool IsCupti(const NameTable& names, const shm::StackFrame& frame) {
  const std::string* name = IsNative(frame) ? names.Find(frame.name) : nullptr;
  return name != nullptr && FileName(ParseObject(*name).path).starts_with("libcupti.so");
}

}  // namespace

void Symbolizer::Prepare(const NameTable& names,
                         const std::vector<const std::vector<shm::StackFrame>*>& all) {
  std::map<uint32_t, std::vector<uint64_t>> wanted;
  for (const auto* frames : all) {
    for (const shm::StackFrame& frame : *frames) {
      if (!IsNative(frame) || frame.name == shm::kNoString) continue;
      if (functions_.try_emplace({frame.name, frame.offset}).second) {
        wanted[frame.name].push_back(frame.offset);
      }
    }
  }
  for (const auto& [id, offsets] : wanted) {
    const std::string* name = names.Find(id);
    if (name == nullptr) continue;
    const Object object = ParseObject(*name);
    const bool program = object.path == "/proc/self/exe";
    const std::string path = program ? executable_ : object.path;
    // The process may have another root directory than we.
    auto found =
        FindFunctions(absl::StrCat("/proc/", pid_, "/root", path), object.build_id, offsets);
    if (!found.ok()) found = FindFunctions(path, object.build_id, offsets);
    if (!found.ok()) continue;
    for (auto& [offset, function] : *found) functions_[{id, offset}] = std::move(function);
  }
}

std::string Symbolizer::FrameText(const NameTable& names, const shm::StackFrame& frame) const {
  const std::string* name = names.Find(frame.name);
  const std::string text = name == nullptr ? "(name lost)" : *name;
  switch (static_cast<shm::FrameOrigin>(frame.origin)) {
    case shm::FrameOrigin::kPython: {
      const std::string* file = names.Find(frame.file);
      return absl::StrCat("py ", OneField(text), "\t",
                          OneField(file == nullptr ? "(name lost)" : *file), ":", frame.line);
    }
    case shm::FrameOrigin::kNative: {
      if (frame.name == shm::kNoString) return "c ?\t(code made at run time)";
      const Object object = ParseObject(text);
      const std::string file = OneField(
          FileName(object.path == "/proc/self/exe" ? std::string_view(executable_) : object.path));
      const auto found = functions_.find({frame.name, frame.offset});
      if (found != functions_.end() && !found->second.empty()) {
        return absl::StrCat("c ", OneField(BoundedUtf8(found->second, kMaxFunctionBytes)), "\t",
                            file);
      }
      return absl::StrCat("c ?\t", file, "+0x", absl::Hex(frame.offset));
    }
    default:
      return "cut";
  }
}

std::string Symbolizer::Text(const NameTable& names,
                             const std::vector<shm::StackFrame>& frames) const {
  size_t first = 0;
  while (first < frames.size() && IsCupti(names, frames[first])) first++;
  // The innermost frames say most: they are kept when a text is too long.
  std::vector<std::string> lines;
  size_t bytes = 0;
  for (size_t i = first; i < frames.size(); i++) {
    lines.push_back(FrameText(names, frames[i]));
    bytes += lines.back().size() + 1;
    if (bytes <= kMaxStackBytes) continue;
    lines.back() = "cut";
    break;
  }
  std::string text;
  for (size_t i = lines.size(); i-- > 0;)
    absl::StrAppend(&text, text.empty() ? "" : "\n", lines[i]);
  return BoundedUtf8(text, kMaxTextBytes);
}

}  // namespace flopsprof::agent

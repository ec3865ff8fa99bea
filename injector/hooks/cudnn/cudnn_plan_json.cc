// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/hooks/cudnn/cudnn_plan_json.h"

#include <string.h>

namespace flopsprof::injector {
namespace {

constexpr char kMember[] = "operationGraph";
constexpr size_t kMemberBytes = sizeof(kMember) - 1;

const char* SkipSpace(const char* at, const char* end) {
  while (at < end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t')) ++at;
  return at;
}

// `at` is behind the opening quote; returns the closing one, or `end`.
const char* EndOfString(const char* at, const char* end) {
  for (; at < end && *at != '"'; ++at) {
    if (*at == '\\') ++at;
  }
  return at < end ? at : end;
}

// `at` is an opening brace; returns what follows its closing one, or nullptr.
const char* EndOfObject(const char* at, const char* end) {
  int depth = 0;
  for (; at < end; ++at) {
    if (*at == '"') {
      at = EndOfString(at + 1, end);
      if (at == end) return nullptr;
    } else if (*at == '{' || *at == '[') {
      ++depth;
    } else if ((*at == '}' || *at == ']') && --depth == 0) {
      return at + 1;
    }
  }
  return nullptr;
}

}  // namespace

TextSpan FindOperationGraph(const char* json, size_t bytes) {
  const char* const end = json + bytes;
  for (const char* at = json; at < end; ++at) {
    if (*at != '"') continue;
    const char* const name = at + 1;
    at = EndOfString(name, end);
    if (at == end) break;
    if (static_cast<size_t>(at - name) != kMemberBytes ||
        memcmp(name, kMember, kMemberBytes) != 0) {
      continue;
    }
    const char* value = SkipSpace(at + 1, end);
    if (value == end || *value != ':') continue;  // a value with that text
    value = SkipSpace(value + 1, end);
    if (value == end || *value != '{') return {nullptr, 0};
    const char* const value_end = EndOfObject(value, end);
    if (value_end == nullptr) return {nullptr, 0};
    return {value, static_cast<size_t>(value_end - value)};
  }
  return {nullptr, 0};
}

}  // namespace flopsprof::injector

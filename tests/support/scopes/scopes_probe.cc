// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// A library for Python tests: injector/scopes with a recording sink, driven through ctypes.

#include <stdio.h>
#include <string.h>

#include <string>

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#endif

#include "injector/base/platform.h"
#include "injector/python/install.h"
#include "injector/python/module_trie.h"
#include "injector/python/python_frames.h"
#include "injector/scopes/attribution.h"
#include "injector/scopes/scope_stack.h"
#include "injector/scopes/sequence_log.h"
#include "tests/support/scopes/recording_sink.h"

namespace shm = flopsprof::shm;
using namespace flopsprof::test;

namespace {

std::string Quoted(const std::string& text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

void Write(FILE* file, const RecordedRecord& record) {
  const auto& header = record.As<shm::RecordHeader>();
  switch (record.type()) {
    case shm::RecordType::kScope: {
      const auto& r = record.As<shm::ScopeRecord>();
      fprintf(file,
              "{\"type\":\"scope\",\"scope\":%u,\"parent\":%u,\"name\":%s,\"class\":%s,"
              "\"domain\":%s,\"kind\":%u,\"known\":%u,\"object\":%llu}",
              r.scope, r.parent, Quoted(RecordedString(r.name)).c_str(),
              Quoted(RecordedString(r.class_name)).c_str(),
              Quoted(RecordedString(r.domain)).c_str(), r.kind, r.known,
              static_cast<unsigned long long>(r.object));
      break;
    }
    case shm::RecordType::kModule: {
      const auto& r = record.As<shm::ModuleRecord>();
      fprintf(file,
              "{\"type\":\"module\",\"root\":%u,\"path\":%s,\"class\":%s,\"order\":%u,\"own\":%llu,"
              "\"total\":%llu,\"trainable\":%llu}",
              r.root_scope, Quoted(RecordedString(r.path)).c_str(),
              Quoted(RecordedString(r.class_name)).c_str(), r.order,
              static_cast<unsigned long long>(r.own_params),
              static_cast<unsigned long long>(r.total_params),
              static_cast<unsigned long long>(r.trainable_params));
      break;
    }
    case shm::RecordType::kModuleSizes: {
      const auto& r = record.As<shm::ModuleSizes>();
      fprintf(file,
              "{\"type\":\"sizes\",\"path\":%s,\"local\":%llu,\"buffers\":%llu,\"experts\":%llu,"
              "\"active\":%llu,\"bytes\":%llu,\"weights\":%s}",
              Quoted(RecordedString(r.path)).c_str(),
              static_cast<unsigned long long>(r.local_params),
              static_cast<unsigned long long>(r.buffers),
              static_cast<unsigned long long>(r.expert_params),
              static_cast<unsigned long long>(r.active_params),
              static_cast<unsigned long long>(r.param_bytes),
              Quoted(RecordedString(r.weights)).c_str());
      break;
    }
    case shm::RecordType::kScopeEnter:
      fprintf(file, "{\"type\":\"enter\",\"scope\":%u,\"phase\":%u,\"step\":%d}",
              record.As<shm::ScopeEnter>().scope, header.phase, static_cast<int>(header.step));
      break;
    case shm::RecordType::kStep:
      fprintf(file, "{\"type\":\"step\",\"event\":%u,\"step\":%d}",
              record.As<shm::StepRecord>().event, static_cast<int>(header.step));
      break;
    default:
      fprintf(file, "{\"type\":\"%u\"}", header.type);
  }
}

}  // namespace

FLOPSPROF_EXPORT void probe_begin() {
  BeginRecording();
  flopsprof::injector::BeginScopes();
}
FLOPSPROF_EXPORT void probe_tick() { flopsprof::injector::TickScopes(); }
FLOPSPROF_EXPORT void probe_end() { flopsprof::injector::EndScopes(); }
// Under callgrind: counts from here on; writes what was counted since, under a label.
FLOPSPROF_EXPORT void probe_count_begin() {
#ifdef CALLGRIND_START_INSTRUMENTATION
  CALLGRIND_START_INSTRUMENTATION;
  CALLGRIND_ZERO_STATS;
#endif
}
FLOPSPROF_EXPORT void probe_count_end([[maybe_unused]] const char* label) {
#ifdef CALLGRIND_START_INSTRUMENTATION
  CALLGRIND_DUMP_STATS_AT(label);
  CALLGRIND_STOP_INSTRUMENTATION;
#endif
}

FLOPSPROF_EXPORT void probe_discard(int discard) { DiscardRecords(discard != 0); }
FLOPSPROF_EXPORT void probe_stop_recording() { StopRecording(); }
FLOPSPROF_EXPORT unsigned probe_scope() { return flopsprof::injector::CurrentAttribution().scope; }
FLOPSPROF_EXPORT unsigned probe_phase() {
  return static_cast<unsigned>(flopsprof::injector::CurrentAttribution().phase);
}
FLOPSPROF_EXPORT int probe_step() {
  return static_cast<int>(flopsprof::injector::CurrentAttribution().step);
}
// Names of the Python functions on the stack, a space after each; or why they cannot be read.
FLOPSPROF_EXPORT const char* probe_python_frames() {
  using namespace flopsprof::injector;
  static const char* reason = PreparePythonFrames();
  if (reason != nullptr) return reason;
  static std::string names;
  names.clear();
  PythonFrame frames[64];
  bool cut = false;
  const uint32_t count = ReadPythonFrames(frames, 64, &cut);
  for (uint32_t i = 0; i < count; ++i) {
    PythonCode code;
    DescribePythonCode(frames[i].code, &code);
    names.append(code.name, code.name_bytes).append(" ");
  }
  return names.c_str();
}
FLOPSPROF_EXPORT unsigned probe_depth() { return flopsprof::injector::ThisThread().depth(); }
FLOPSPROF_EXPORT unsigned long long probe_log_entries() {
  return flopsprof::injector::SequenceLogEntries();
}
FLOPSPROF_EXPORT unsigned probe_edges() { return flopsprof::injector::ModuleEdgeCount(); }
FLOPSPROF_EXPORT unsigned long long probe_loss(unsigned counter) {
  return RecordedLoss(static_cast<shm::LossCounter>(counter));
}
FLOPSPROF_EXPORT unsigned long long probe_nodes() { return RecordedBackwardNodes(); }
FLOPSPROF_EXPORT void probe_write(const char* path) {
  FILE* file = fopen(path, "w");
  if (file == nullptr) return;
  fprintf(file, "{\"records\":[");
  const char* comma = "";
  for (const auto& record : TakeRecords()) {
    fprintf(file, "%s\n", comma);
    Write(file, record);
    comma = ",";
  }
  fprintf(file, "],\"notes\":{");
  comma = "";
  for (const auto& [key, value] : RecordedNotes()) {
    fprintf(file, "%s%s:%s", comma, Quoted(key).c_str(), Quoted(value).c_str());
    comma = ",";
  }
  fprintf(file, "}}\n");
  fclose(file);
}

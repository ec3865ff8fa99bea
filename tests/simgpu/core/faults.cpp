// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "faults.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <stdexcept>

#include "switches.h"

namespace simgpu {
namespace {

using Json = nlohmann::json;

// A number n: every n-th; a list: exactly these; true: all; false: none.
Selector ReadSelector(const Json& value) {
  if (value.is_boolean()) return value.get<bool>() ? Selector::Every(1) : Selector();
  if (value.is_array()) return Selector::At(value.get<std::vector<uint64_t>>());
  return Selector::Every(value.get<uint64_t>());
}

void ReadDurations(const Json& value, Faults* faults) {
  if (value.is_string() && value.get<std::string>() == "hash") {
    faults->hashed_durations = true;
  } else {
    faults->fixed_duration_ns = value.get<uint64_t>();
  }
}

void ReadCupti(const Json& value, Faults* faults) {
  const std::string state = value.get<std::string>();
  if (state == "missing") {
    faults->cupti = CuptiState::kMissing;
  } else if (state == "too_old") {
    faults->cupti = CuptiState::kTooOld;
  } else if (state != "present") {
    throw std::runtime_error("\"cupti\" must be present, missing or too_old");
  }
}

// One of the words, by its place in the list.
template <typename Enum>
Enum ReadWord(const std::string& key, const Json& value, std::initializer_list<const char*> words) {
  int place = 0;
  for (const char* word : words) {
    if (value == word) return static_cast<Enum>(place);
    ++place;
  }
  throw std::runtime_error("\"" + key + "\" cannot be " + value.dump());
}

// Switches that choose one of several ways. False: not one of them.
bool ReadWay(const std::string& key, const Json& value, Faults* faults) {
  if (key == "cublas_calls_lt") {
    faults->cublas_calls_lt =
        ReadWord<InnerCalls>(key, value, {"", "exported", "internal", "thread"});
  } else if (key == "cusolver_calls_cublas") {
    faults->cusolver_calls_cublas = ReadWord<InnerCalls>(key, value, {"", "exported", "internal"});
  } else if (key == "nested_ids") {
    faults->nested_ids = ReadWord<NestedIds>(key, value, {"shared", "outer", "inner"});
  } else if (key == "nested_driver") {
    faults->nested_driver = ReadWord<NestedDriver>(key, value, {"once", "none", "twice"});
  } else if (key == "captured_driver") {
    faults->captured_driver_none = ReadWord<int>(key, value, {"once", "none"}) == 1;
  } else if (key == "lone_ids") {
    faults->lone_ids = value.get<bool>();
  } else if (key == "callback_off") {
    faults->callback_off = ReadWord<CallbackOff>(key, value, {"at once", "refused", "late"});
  } else if (key == "child_ids") {
    faults->child_ids = ReadWord<ChildIds>(key, value, {"kept", "told", "untold"});
  } else if (key == "driver_launches") {
    faults->driver_launches = value.get<bool>();
  } else if (key == "update_renumbers") {
    faults->update_renumbers = value.get<bool>();
  } else if (key == "pool_limit_ignored") {
    faults->pool_limit_ignored = value.get<bool>();
  } else if (key == "after_unsubscribe_us") {
    faults->after_unsubscribe_us = value.get<uint64_t>();
  } else if (key == "dead_after_finalize") {
    faults->dead_after_finalize = value.get<bool>();
  } else if (key == "ids_start_again") {
    faults->ids_start_again = value.get<bool>();
  } else if (key == "many_subscribers") {
    faults->many_subscribers = value.get<bool>();
  } else if (key == "lenient_arguments") {
    faults->lenient_arguments = value.get<bool>();
  } else if (key == "callback_us") {
    faults->callback_us = value.get<uint64_t>();
  } else if (key == "strict_arguments") {
    faults->strict_arguments = value.get<bool>();
  } else if (key == "fail_percent") {
    faults->fail_percent = value.get<unsigned>();
  } else {
    return false;
  }
  return true;
}

void ReadRefusals(const Json& value, Faults* faults) {
  for (const auto& [name, rule] : value.items()) {
    Refusal refusal;
    if (rule.is_object()) {
      refusal.calls = ReadSelector(rule.at("calls"));
      refusal.status = rule.value("status", 0);
    } else {
      refusal.calls = ReadSelector(rule);
    }
    faults->refusals[name] = refusal;
  }
}

void ReadSubscriber(const Json& value, Faults* faults) {
  faults->subscriber_taken = value.is_string() || value.get<bool>();
  faults->subscriber_name = value.is_string() ? value.get<std::string>() : "CUPTI for another tool";
}

std::string ReadScript(const std::string& switch_text) {
  const size_t first = switch_text.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && switch_text[first] == '{') return switch_text;
  std::ifstream file(switch_text);
  if (!file) throw std::runtime_error("cannot read " + switch_text);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

Faults Load() {
  const std::string& where = GetSwitches().faults;
  if (where.empty()) return Faults();
  try {
    return ParseFaults(ReadScript(where));
  } catch (const std::exception& error) {
    fprintf(stderr, "simgpu: SIMGPU_FAULTS: %s\n", error.what());
    _exit(99);
  }
}

}  // namespace

Selector Selector::Every(uint64_t n) {
  Selector s;
  s.every_ = n;
  return s;
}

Selector Selector::At(std::vector<uint64_t> numbers) {
  Selector s;
  s.numbers_ = std::move(numbers);
  std::sort(s.numbers_.begin(), s.numbers_.end());
  return s;
}

bool Selector::Hits(uint64_t number) const {
  const bool hits = (every_ != 0 && number % every_ == 0) ||
                    std::binary_search(numbers_.begin(), numbers_.end(), number);
  if (hits && name_) NoteStruck(name_);
  return hits;
}

Faults ParseFaults(const std::string& text) {
  Faults faults;
  const std::map<std::string, Selector*> selectors = {
      {"empty_buffers", &faults.empty_buffers},
      {"null_name", &faults.null_name},
      {"recycled_name", &faults.recycled_name},
      {"zero_times", &faults.zero_times},
      {"end_before_start", &faults.end_before_start},
      {"no_correlation", &faults.no_correlation},
      {"unknown_kind", &faults.unknown_kind},
      {"longer_record", &faults.longer_record},
      {"shorter_record", &faults.shorter_record},
      {"lost_record", &faults.lost_record},
      {"falsify_duration", &faults.falsify_duration},
      {"falsify_correlation", &faults.falsify_correlation},
      {"falsify_shape", &faults.falsify_shape},
      {"falsify_layout", &faults.falsify_layout},
      {"split_k", &faults.split_k},
      {"product_memset", &faults.product_memset},
      {"other_thread", &faults.other_thread},
      {"moved_fields", &faults.moved_fields},
  };
  const Json script = Json::parse(text);
  for (const auto& [key, value] : script.items()) {
    if (auto it = selectors.find(key); it != selectors.end()) {
      *it->second = ReadSelector(value);
      it->second->NoteAs(strdup(key.c_str()));  // as old as the process
    } else if (ReadWay(key, value, &faults)) {
    } else if (key == "durations") {
      ReadDurations(value, &faults);
    } else if (key == "late_ms") {
      faults.late_ms = value.get<uint64_t>();
    } else if (key == "init_ms") {
      faults.init_ms = value.get<uint64_t>();
    } else if (key == "broken_cuda") {
      faults.broken_from = value.value("from", 0);
      faults.broken_status = value.at("status").get<int>();
    } else if (key == "mig") {
      faults.mig = value.get<bool>();
    } else if (key == "attached_ns") {
      faults.attached_ns = value.get<uint64_t>();
    } else if (key == "late_graph_trace_ms") {
      faults.late_graph_trace_ms = value.get<uint64_t>();
    } else if (key == "shuffle") {
      faults.shuffle_seed = value.get<uint64_t>();
    } else if (key == "callback_threads") {
      faults.callback_threads = std::clamp(value.get<unsigned>(), 1u, 64u);
    } else if (key == "dropped") {
      faults.dropped = value.get<uint64_t>();
    } else if (key == "fail") {
      ReadRefusals(value, &faults);
    } else if (key == "cudnn_json") {
      if (value != "refused") throw std::runtime_error("\"cudnn_json\" must be refused");
      faults.cudnn_json_refused = true;
    } else if (key == "cupti") {
      ReadCupti(value, &faults);
    } else if (key == "cupti_version") {
      faults.cupti_version = value.get<uint32_t>();
    } else if (key == "subscriber_taken") {
      ReadSubscriber(value, &faults);
    } else {
      throw std::runtime_error("unknown switch \"" + key + "\"");
    }
  }
  return faults;
}

const Faults& GetFaults() {
  static const Faults& faults = *new Faults(Load());
  return faults;
}

}  // namespace simgpu

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/work_json.h"

#include <algorithm>
#include <utility>

namespace flopsprof::model {
namespace {

// Phases in the order in which readers think of them.
constexpr int kPhaseOrder[kPhaseCount] = {
    v1::PHASE_FORWARD,    v1::PHASE_BACKWARD, v1::PHASE_RECOMPUTE,
    v1::PHASE_CLIPPING,   v1::PHASE_SCALING,  v1::PHASE_OPTIMIZER,
    v1::PHASE_EVALUATION, v1::PHASE_GENERATE, v1::PHASE_OTHER};

std::string_view ProvenanceName(Provenance provenance) {
  switch (provenance) {
    case Provenance::kExact:
      return "exact";
    case Provenance::kModelled:
      return "modelled";
    case Provenance::kMixed:
      return "mixed";
    case Provenance::kUnknown:
      break;
  }
  return "unknown";
}

void WriteTimes(std::string_view key, const PhaseTimes& times, JsonFields* json) {
  json->Key(key);
  json->BeginObject();
  for (const int phase : kPhaseOrder) {
    json->Maybe(PhaseName(phase), times[phase], &JsonWriter::Seconds);
  }
  json->EndObject();
}

void WriteGradients(const Work& work, JsonFields* json) {
  static constexpr std::pair<const char*, Gradient> kNames[] = {
      {"data", Gradient::kData},
      {"weight", Gradient::kWeight},
      {"not_told", Gradient::kNotTold},
  };
  json->Key("gradients");
  json->BeginObject();
  for (const auto& [name, gradient] : kNames) {
    const GradientWork& part = work.gradients[static_cast<size_t>(gradient)];
    json->Key(name);
    json->BeginObject();
    json->Flops("flops", part.flops);
    json->Key("gpu_time_s");
    if (work.gpu_time_ns[v1::PHASE_BACKWARD].has_value()) {
      json->Seconds(part.gpu_time_ns);
    } else {
      json->Null();
    }
    json->EndObject();
  }
  json->EndObject();
}

}  // namespace

void WriteCounts(std::string_view key, const PhaseCounts& counts, unsigned divisor,
                 JsonFields* json) {
  json->Key(key);
  json->BeginObject();
  for (const int phase : kPhaseOrder) {
    json->Key(PhaseName(phase));
    if (counts[phase].has_value()) {
      json->Count(*counts[phase] / divisor);
    } else {
      json->Null();
    }
  }
  json->EndObject();
}

void WriteTypes(const std::map<std::string, FlopCount>& flops_by_type, JsonFields* json) {
  json->Key("flops_by_type");
  json->BeginObject();
  for (const auto& [type, flops] : flops_by_type) json->Flops(type, flops);
  json->EndObject();
}

void WriteWork(const Work& work, JsonFields* json) {
  WriteCounts("flops", work.flops, 1, json);
  WriteCounts("flops_modelled", work.flops_modelled, 1, json);
  WriteCounts("macs", work.flops, 2, json);
  WriteTimes("gpu_time_s", work.gpu_time_ns, json);
  json->Key("gpu_time_incomplete");
  json->BeginArray();
  for (const int phase : kPhaseOrder) {
    if (work.time_incomplete[phase]) json->String(PhaseName(phase));
  }
  json->EndArray();
  json->Duration("unknown_gpu_time_s", work.unknown_gpu_time_ns);
  json->Duration("communication_s", work.communication_ns);
  json->Maybe("flop_per_s", work.flop_per_s, &JsonWriter::Double);
  json->Text("provenance", ProvenanceName(work.provenance));
  WriteGradients(work, json);
}

void WriteExposed(std::string_view key, uint64_t all_ns, std::optional<uint64_t> hidden_ns,
                  JsonFields* json) {
  json->Maybe(key,
              hidden_ns.has_value() ? std::optional<uint64_t>(all_ns - std::min(*hidden_ns, all_ns))
                                    : std::nullopt,
              &JsonWriter::Seconds);
}

void WriteHidden(const Work& work, JsonFields* json) {
  const std::optional<uint64_t>& hidden_ns = work.hidden_communication_ns;
  WriteExposed("exposed_communication_s", work.communication_ns, hidden_ns, json);
  json->Maybe("hidden_communication_s", hidden_ns, &JsonWriter::Seconds);
}

void WriteUtilisation(const Utilisation& utilisation, JsonFields* json) {
  json->Maybe("mfu", utilisation.mfu, &JsonWriter::Double);
  json->Maybe("hfu", utilisation.hfu, &JsonWriter::Double);
  json->Text("no_mfu_because", utilisation.why);
  json->Maybe("mfu_counted_share", utilisation.counted_share, &JsonWriter::Double);
}

}  // namespace flopsprof::model

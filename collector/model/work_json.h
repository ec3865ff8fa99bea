// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Flops and times in summary.json. Each function writes fields into the object that is open.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "collector/model/json_fields.h"
#include "collector/model/work_figures.h"

namespace flopsprof::model {

// An object with each phase's count, divided by `divisor`; null where it is not known.
void WriteCounts(std::string_view key, const PhaseCounts& counts, unsigned divisor,
                 JsonFields* json);
void WriteTypes(const std::map<std::string, FlopCount>& flops_by_type, JsonFields* json);
void WriteWork(const Work& work, JsonFields* json);
// The part of `all_ns` that is not hidden; null where nobody knows what is.
void WriteExposed(std::string_view key, uint64_t all_ns, std::optional<uint64_t> hidden_ns,
                  JsonFields* json);
// How much of the work's communication ran beside other work, and how much did not.
void WriteHidden(const Work& work, JsonFields* json);
void WriteUtilisation(const Utilisation& utilisation, JsonFields* json);

}  // namespace flopsprof::model

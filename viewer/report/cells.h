// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "viewer/report/table.h"
#include "viewer/report/views.h"

namespace flopsprof::viewer {

// Cells of tables: a number as people read it, and behind it the number itself.

// The shortest digits that are this number again.
std::string RawNumber(double value);

// "12.3 ms"; of a time of which some parts never came a lower bound, "?" where nothing is known.
Cell TimeCell(const ReportContext& context, std::optional<uint64_t> ns, bool incomplete = false,
              Tone tone = Tone::kPlain);
Cell SecondsCell(const ReportContext& context, std::optional<double> seconds, bool at_least = false,
                 Tone tone = Tone::kPlain);
// Flops or MACs, exact where the style says so.
Cell FlopsCell(const ReportContext& context, std::optional<model::FlopCount> count,
               bool at_least = false, Tone tone = Tone::kPlain);
// A mean of them, or a rate; `unknown` where there is none.
Cell SiCell(const ReportContext& context, std::optional<double> value, bool at_least = false,
            const char* unknown = "?");
Cell ShareCell(std::optional<double> share, const char* unknown = "?");
Cell BytesCell(std::optional<double> bytes);
Cell CountCell(std::optional<double> count, const char* unknown = "?");

// A bar for a share, `width` characters for all.
std::string Bar(double share, const Terminal& terminal, double width = 20);

// One character a value, from low to high: 0 is `lowest`, 1 is `highest`.
std::string Level(double height, const Terminal& terminal);

}  // namespace flopsprof::viewer

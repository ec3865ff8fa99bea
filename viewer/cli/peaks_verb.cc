// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "collector/model/peaks/peaks.h"
#include "viewer/cli/exit_codes.h"
#include "viewer/cli/messages.h"
#include "viewer/cli/verb_functions.h"
#include "viewer/report/numbers.h"
#include "viewer/report/table.h"
#include "viewer/report/text.h"

namespace flopsprof::viewer {
namespace {

std::string Lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// Types of the cards: the usual ones from wide to narrow, then what else the table names.
std::vector<std::string> Types(const std::vector<const model::DevicePeaks*>& cards) {
  std::vector<std::string> types;
  for (const char* type :
       {"fp64", "fp32", "tf32", "bf16", "fp16", "fp8", "fp6", "fp4", "int8", "int4"}) {
    const bool named = std::any_of(cards.begin(), cards.end(), [&](const model::DevicePeaks* c) {
      return c->For(type).has_value();
    });
    if (named) types.emplace_back(type);
  }
  for (const model::DevicePeaks* card : cards) {
    for (const model::TypePeak& peak : card->types) {
      if (std::find(types.begin(), types.end(), peak.type) == types.end()) {
        types.push_back(peak.type);
      }
    }
  }
  return types;
}

// "" when some card of the table has a peak for the type, or none was asked for.
std::string ErrorInType(const std::string& dtype) {
  std::vector<const model::DevicePeaks*> cards;
  for (const model::DevicePeaks& card : model::AllPeaks()) cards.push_back(&card);
  const bool known = std::any_of(cards.begin(), cards.end(), [&](const model::DevicePeaks* card) {
    return card->For(dtype).has_value();
  });
  if (dtype.empty() || known) return "";
  return "\"" + dtype + "\" is no data type of the table: " + absl::StrJoin(Types(cards), ", ");
}

void PrintJson(const std::vector<const model::DevicePeaks*>& cards, const std::string& dtype) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const model::DevicePeaks* card : cards) {
    nlohmann::ordered_json peaks = nlohmann::ordered_json::object();
    for (const auto& [type, flop_per_s] : card->ByType()) {
      if (dtype.empty() || type == dtype) peaks[type] = flop_per_s;
    }
    nlohmann::ordered_json ways = nlohmann::ordered_json::array();
    for (const model::TypePeak& peak : card->types) {
      if (!dtype.empty() && peak.type != dtype) continue;
      nlohmann::ordered_json way = {{"type", peak.type},
                                    {"accumulate", peak.accumulate},
                                    {"dense_flop_per_s", peak.flop_per_s},
                                    {"sparse_flop_per_s", nullptr},
                                    {"published", peak.published}};
      if (peak.sparse_flop_per_s.has_value()) way["sparse_flop_per_s"] = *peak.sparse_flop_per_s;
      ways.push_back(std::move(way));
    }
    rows.push_back({{"card", card->card},
                    {"architecture", card->architecture},
                    {"sm_count", card->sm_count},
                    {"boost_mhz", card->boost_mhz},
                    {"tensor_mhz", card->tensor_mhz == 0 ? card->boost_mhz : card->tensor_mhz},
                    {"peak_flop_per_s", peaks},
                    {"memory_byte_per_s", nullptr},
                    {"ways", ways},
                    {"source", card->source},
                    {"remark", card->remark}});
    if (card->memory_byte_per_s.has_value()) {
      rows.back()["memory_byte_per_s"] = *card->memory_byte_per_s;
    }
  }
  WriteAll(STDOUT_FILENO, rows.dump(2) + "\n");
}

void PrintTable(const std::vector<const model::DevicePeaks*>& cards,
                const std::vector<std::string>& types, const Terminal& terminal) {
  std::vector<Column> columns = {{.header = "card", .right = false}, {.header = "SMs"}};
  columns.push_back({.header = "MHz"});
  for (const std::string& type : types) columns.push_back({.header = type});
  columns.push_back({.header = "B/s"});
  Table table(std::move(columns));
  for (const model::DevicePeaks* card : cards) {
    const int tensor_mhz = card->tensor_mhz == 0 ? card->boost_mhz : card->tensor_mhz;
    std::string mhz = std::to_string(card->boost_mhz);
    if (tensor_mhz != card->boost_mhz) mhz += "/" + std::to_string(tensor_mhz);
    std::vector<Cell> row = {{card->card, Tone::kStrong}, {std::to_string(card->sm_count)}, {mhz}};
    for (const std::string& type : types) {
      const std::optional<double> peak = card->For(type);
      row.push_back({peak.has_value() ? FormatSi(peak) : "-"});
    }
    row.push_back({card->memory_byte_per_s.has_value() ? FormatSi(card->memory_byte_per_s) : "-"});
    table.AddRow(std::move(row));
  }
  std::string text = table.Render(terminal, 0);
  std::vector<std::string> sources;
  text +=
      "\nDense peak rates in operations per second (T = 10^12) at boost clock (second: of the\n"
      "matrix units); \"-\": not in the table. fp16, bf16 and fp8 add up in fp32; other ways:\n"
      "--json; 2:4 sparse rates, twice the dense one: --dtype fp16_sparse. B/s: bandwidth of the\n"
      "memory, of the slowest where a card is sold with several.\n"
      "A card that is not listed, or a part of one (MIG), has no MFU, unless you give its peak:\n"
      "flopsprof-run --peak bf16=989T ..., flopsprof report --peak bf16=989T RUN\n\nSources\n";
  for (const model::DevicePeaks* card : cards) {
    std::string line = "  " + card->card + ": ";
    const size_t indent = 4;
    const std::string remark = card->remark.empty() ? "" : "; " + card->remark;
    line += Wrap(card->source + remark, terminal.width > DisplayWidth(line) ? terminal.width : 200,
                 indent);
    text += line + "\n";
  }
  WriteAll(STDOUT_FILENO, text);
}

}  // namespace

int PeaksVerb(const PeaksOptions& options) {
  if (const std::string error = ErrorInType(options.dtype); !error.empty()) {
    SayError("peaks: --dtype: " + error, {"help: flopsprof help peaks"});
    return kExitUsage;
  }
  const std::string wanted = Lower(options.device);
  std::vector<const model::DevicePeaks*> cards;
  for (const model::DevicePeaks& card : model::AllPeaks()) {
    const bool named = Lower(card.card).find(wanted) != std::string::npos ||
                       (!options.device.empty() && model::FindPeaks(options.device) == &card);
    const bool typed = options.dtype.empty() || card.For(options.dtype).has_value();
    if (named && typed) cards.push_back(&card);
  }
  if (cards.empty()) {
    SayError("peaks: no card in the table matches",
             {"all of them: flopsprof peaks",
              "an unknown card gets no MFU, never a guess; give its peak: --peak bf16=989T"});
    return kExitNothing;
  }
  if (options.json) {
    PrintJson(cards, options.dtype);
    return kExitOk;
  }
  const std::vector<std::string> types =
      options.dtype.empty() ? Types(cards) : std::vector<std::string>{options.dtype};
  PrintTable(cards, types, DetectTerminal(STDOUT_FILENO, options.colour, options.ascii));
  return kExitOk;
}

}  // namespace flopsprof::viewer

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/peaks/peaks.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <string>

#include "collector/model/peaks/peaks_cards.h"
#include "collector/model/peaks/peaks_memory.h"

namespace flopsprof::model {
namespace {

constexpr double kTera = 1e12;
constexpr std::string_view kMemory = "memory";  // among given peaks

double FromParts(const Card& card, const SmRate& rate) {
  const int mhz = rate.tensor && card.tensor_mhz != 0 ? card.tensor_mhz : card.boost_mhz;
  return 1e6 * mhz * card.sm_count * rate.flop_per_clock;
}

const Published* FindPublished(const Card& card, std::string_view type,
                               std::string_view accumulate) {
  for (const Published& figure : card.published) {
    if (figure.type == type && figure.accumulate == accumulate) return &figure;
  }
  return nullptr;
}

DevicePeaks MakePeaks(const Card& card) {
  DevicePeaks peaks{std::string(card.name),
                    std::string(card.architecture),
                    card.sm_count,
                    card.boost_mhz,
                    card.tensor_mhz,
                    {},
                    std::string(card.source),
                    std::string(card.remark),
                    MemoryBytePerSecond(card.name)};
  if (card.rates == nullptr) {
    for (const Published& figure : card.published) {
      peaks.types.push_back({std::string(figure.type), std::string(figure.accumulate),
                             figure.tera * kTera, std::nullopt, true});
    }
    return peaks;
  }
  for (const SmRate& rate : *card.rates) {
    const Published* figure = FindPublished(card, rate.type, rate.accumulate);
    const double dense = figure != nullptr ? figure->tera * kTera : FromParts(card, rate);
    peaks.types.push_back({std::string(rate.type), std::string(rate.accumulate), dense,
                           rate.sparse ? std::optional<double>(2 * dense) : std::nullopt,
                           figure != nullptr});
  }
  return peaks;
}

// How drivers name the cards: the whole name, or its beginning where a memory size follows.
struct NamePattern {
  std::string_view name;
  bool prefix;
  std::string_view card;
};

constexpr NamePattern kNames[] = {
    {"V100-SXM2-", true, "V100-SXM2"},
    {"V100-SXM3-", true, "V100-SXM2"},
    {"V100-PCIE-", true, "V100-PCIe"},
    {"V100S-PCIE-", true, "V100S-PCIe"},
    {"TITAN V", false, "Titan V"},
    {"TITAN RTX", false, "Titan RTX"},
    {"A100-SXM", true, "A100"},
    {"A100-PCIE-", true, "A100"},
    {"A100-PCIe", true, "A100"},
    {"A100 80GB PCIe", false, "A100"},
    {"A100-PG509-200", false, "A100"},
    {"A800-SXM4-", true, "A800"},
    {"A800 80GB PCIe", false, "A800"},
    {"RTX A2000 12GB", false, "RTX A2000"},
    {"GeForce RTX 3080", false, "GeForce RTX 3080"},
    {"GeForce RTX 3080", false, "GeForce RTX 3080 12GB"},
    {"RTX 6000 Ada Generation", false, "RTX 6000 Ada"},
    {"RTX 5000 Ada Generation", false, "RTX 5000 Ada"},
    {"RTX 4500 Ada Generation", false, "RTX 4500 Ada"},
    {"RTX 4000 Ada Generation", false, "RTX 4000 Ada"},
    {"RTX 4000 SFF Ada Generation", false, "RTX 4000 SFF Ada"},
    {"RTX 2000 Ada Generation", false, "RTX 2000 Ada"},
    {"H100 80GB HBM3", false, "H100-SXM"},
    {"H100 SXM5 80GB", false, "H100-SXM"},
    {"H100 PCIe", false, "H100-PCIe"},
    {"H100 NVL", false, "H100-NVL"},
    {"H200", false, "H200-SXM"},
    {"H200 NVL", false, "H200-NVL"},
    {"GH200 480GB", false, "GH200"},
    {"GH200 120GB", false, "GH200"},
    {"GH200 144G HBM3e", false, "GH200"},
    {"B300 SXM6 AC", false, "B300"},
    {"RTX PRO 6000 Blackwell Workstation Edition", false, "RTX PRO 6000 Blackwell"},
};
// Names that are a pattern's only, though a card of the table is called so too.
constexpr std::string_view kNotByName[] = {"GeForce RTX 3080", "RTX PRO 6000 Blackwell"};

const DevicePeaks* CardOfName(std::string_view card) {
  for (const DevicePeaks& peaks : AllPeaks()) {
    if (peaks.card == card) return &peaks;
  }
  return nullptr;
}

std::vector<std::string> Split(std::string_view text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == ',') {
      parts.emplace_back();
    } else {
      parts.back().push_back(c);
    }
  }
  return parts;
}

// Factor of an SI letter at the end of a number, which is taken off; 1 without one.
double TakeSiFactor(std::string* number) {
  constexpr std::pair<char, double> kFactors[] = {{'G', 1e9}, {'T', 1e12}, {'P', 1e15}};
  for (const auto& [letter, factor] : kFactors) {
    if (number->empty() || number->back() != letter) continue;
    number->pop_back();
    return factor;
  }
  return 1;
}

}  // namespace

std::optional<double> DevicePeaks::For(std::string_view type) const {
  constexpr std::string_view kSparse = "_sparse";
  const bool sparse =
      type.size() > kSparse.size() && type.substr(type.size() - kSparse.size()) == kSparse;
  for (const TypePeak& peak : types) {
    if (sparse && peak.type == type) return peak.flop_per_s;  // given by name
  }
  if (sparse) type.remove_suffix(kSparse.size());
  const TypePeak* found = nullptr;
  for (const TypePeak& peak : types) {
    if (peak.type != type) continue;
    // fp16 accumulation is another, often faster, way of the units: only where there is no other.
    if (found == nullptr || found->accumulate == "fp16") found = &peak;
  }
  if (found == nullptr) return std::nullopt;
  return sparse ? found->sparse_flop_per_s : std::optional<double>(found->flop_per_s);
}

std::vector<std::pair<std::string, double>> DevicePeaks::ByType() const {
  std::vector<std::pair<std::string, double>> result;
  for (const TypePeak& peak : types) {
    const bool there = std::any_of(result.begin(), result.end(),
                                   [&](const auto& one) { return one.first == peak.type; });
    if (!there) result.emplace_back(peak.type, For(peak.type).value_or(0));
  }
  return result;
}

const std::vector<DevicePeaks>& AllPeaks() {
  static const std::vector<DevicePeaks>* const kTable = [] {
    auto* table = new std::vector<DevicePeaks>;
    for (const Card& card : AllCards()) table->push_back(MakePeaks(card));
    return table;
  }();
  return *kTable;
}

const DevicePeaks* FindPeaks(std::string_view device_name, uint32_t sm_count) {
  // A slice of a card has a part of its rate, and the name does not say which peak.
  if (device_name.find(" MIG ") != std::string_view::npos) return nullptr;
  for (const std::string_view maker : {"NVIDIA ", "Tesla "}) {
    if (device_name.substr(0, maker.size()) == maker) device_name.remove_prefix(maker.size());
  }
  bool named = false;
  for (const NamePattern& pattern : kNames) {
    const bool match = pattern.prefix ? device_name.substr(0, pattern.name.size()) == pattern.name
                                      : device_name == pattern.name;
    if (!match) continue;
    named = true;
    const DevicePeaks* peaks = CardOfName(pattern.card);
    const bool shared = pattern.name == "GeForce RTX 3080";
    if (!shared || sm_count == 0 || static_cast<uint32_t>(peaks->sm_count) == sm_count) {
      return peaks;
    }
  }
  if (named) return nullptr;
  for (const std::string_view name : kNotByName) {
    if (name == device_name) return nullptr;
  }
  return CardOfName(device_name);
}

std::optional<DevicePeaks> PeaksOf(std::string_view device_name, uint32_t sm_count,
                                   const GivenPeaks& given) {
  const DevicePeaks* known = FindPeaks(device_name, sm_count);
  if (known == nullptr && given.empty()) return std::nullopt;
  DevicePeaks peaks = known != nullptr ? *known : DevicePeaks{};
  if (given.empty()) return peaks;
  if (known == nullptr) peaks.card = std::string(device_name);
  for (const auto& [type, flop_per_s] : given) {
    if (type == kMemory) {
      peaks.memory_byte_per_s = flop_per_s;
      continue;
    }
    std::erase_if(peaks.types, [&](const TypePeak& peak) { return peak.type == type; });
    peaks.types.push_back({type, "", flop_per_s, std::nullopt, false});
  }
  peaks.source = known == nullptr ? "given by --peak"
                                  : absl::StrCat("given by --peak; other types: ", peaks.source);
  return peaks;
}

std::string PeakText(const DevicePeaks& peaks) {
  std::string text = peaks.sm_count == 0
                         ? peaks.source
                         : absl::StrCat(peaks.card, ", ", peaks.sm_count, " SMs at ",
                                        peaks.boost_mhz, " MHz, dense: ", peaks.source);
  if (!peaks.remark.empty()) absl::StrAppend(&text, "; ", peaks.remark);
  return text;
}

namespace {

// What CallRow.compute_type may say and no card of the table has a peak for.
constexpr const char* kOtherTypes[] = {"fp32_emulated", "fp32_or_tf32", "fp64_emulated"};

std::set<std::string> KnownTypes() {
  std::set<std::string> types(std::begin(kOtherTypes), std::end(kOtherTypes));
  for (const DevicePeaks& card : AllPeaks()) {
    for (const TypePeak& peak : card.types) types.insert(peak.type);
  }
  return types;
}

}  // namespace

std::string ParseGivenPeaks(std::string_view text, GivenPeaks* given) {
  for (const std::string& part : Split(text)) {
    const size_t equals = part.find('=');
    const std::string type = part.substr(0, equals);
    std::string number = equals == std::string::npos ? "" : part.substr(equals + 1);
    const double factor = TakeSiFactor(&number);
    double value = 0;
    const bool parsed = absl::SimpleAtod(number, &value);
    if (type.empty() || !parsed || !std::isfinite(value) || value * factor < 1e9) {
      return absl::StrCat("'", part,
                          "' is no peak: want TYPE=OPERATIONS_PER_SECOND, such as bf16=989e12, "
                          "bf16=989T or fp8=1.98P, from 1 G on");
    }
    const std::set<std::string> known = KnownTypes();
    if (type != kMemory && !known.contains(type)) {
      return absl::StrCat(
          "'", type, "' is no data type of products; known: ", absl::StrJoin(known, ", "),
          ", and memory for its bandwidth", " (which card has which: flopsprof peaks)");
    }
    (*given)[type] = value * factor;
  }
  return "";
}

}  // namespace flopsprof::model

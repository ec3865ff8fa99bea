// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/peaks/peaks_memory.h"

#include <utility>

namespace flopsprof::model {
namespace {

// 10^9 bytes per second.
constexpr std::pair<std::string_view, double> kGiga[] = {
    {"V100-SXM2", 900},  {"V100-PCIe", 900}, {"V100S-PCIe", 1134},  {"T4", 300},
    {"A100", 1555},      {"A800", 1555},     {"A30", 933},          {"A40", 696},
    {"A10", 600},        {"A2", 200},        {"RTX A6000", 768},    {"L4", 300},
    {"L40", 864},        {"L40S", 864},      {"RTX 6000 Ada", 960}, {"H100-SXM", 3350},
    {"H100-PCIe", 2000}, {"H100-NVL", 3900}, {"H200-SXM", 4800},    {"H200-NVL", 4800},
    {"H20", 4000},       {"GH200", 4000},    {"B200", 7700},        {"GB200", 8000},
    {"B300", 7700},
};

}  // namespace

std::optional<double> MemoryBytePerSecond(std::string_view card) {
  for (const auto& [name, giga] : kGiga) {
    if (name == card) return 1e9 * giga;
  }
  return std::nullopt;
}

}  // namespace flopsprof::model

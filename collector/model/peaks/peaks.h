// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace flopsprof::model {

// Peak rate of a card for one data type of the products and one type that adds them up.
struct TypePeak {
  std::string type;        // as CallRow.compute_type: "fp64", "fp32", "tf32", "fp16", ...
  std::string accumulate;  // "fp64", "fp32", "fp16", "int32"; "" = as given
  double flop_per_s = 0;   // dense
  // Dense-equivalent rate where one operand is 2:4 sparse; absent: the units cannot do it.
  std::optional<double> sparse_flop_per_s;
  bool published = true;  // false: the product of multiprocessors, clock and rate
};

// Peaks at boost clock, as the maker publishes them. fp64 is the rate of the matrix units where
// the card has them, because products run there.
struct DevicePeaks {
  std::string card;
  std::string architecture;
  int sm_count = 0;  // 0: as given
  int boost_mhz = 0;
  int tensor_mhz = 0;  // of the matrix units, where it differs; else 0
  std::vector<TypePeak> types;
  std::string source;  // title and URL of the document
  std::string remark;
  std::optional<double> memory_byte_per_s = {};  // peaks_memory.h; absent: not known

  // Dense rate of a compute type with the accumulation that libraries use by default: fp32 for
  // floating point of up to 32 bits. "fp16_sparse": the dense-equivalent rate with a 2:4 sparse
  // operand. Absent: no such peak, so no utilisation.
  std::optional<double> For(std::string_view type) const;
  // What For gives, of all types, in the order of the table.
  std::vector<std::pair<std::string, double>> ByType() const;
};

// Peaks that the user gives, by compute type, in operations per second; and "memory", its bandwidth
// in bytes per second.
using GivenPeaks = std::map<std::string, double>;

// The table, in the order in which `flopsprof peaks` prints it.
const std::vector<DevicePeaks>& AllPeaks();

// Peaks of the card with this name of the driver. nullptr: the card is not in the table, or is a
// part of a card (MIG). There is no guess: an unknown card has no utilisation. `sm_count` tells
// cards of one name apart; 0: not known, then the first is taken.
const DevicePeaks* FindPeaks(std::string_view device_name, uint32_t sm_count = 0);

// The card's peaks; given peaks replace them. nullopt: the card is not known and no peak was given.
std::optional<DevicePeaks> PeaksOf(std::string_view device_name, uint32_t sm_count,
                                   const GivenPeaks& given);

// One line: which card, parts and source.
std::string PeakText(const DevicePeaks& peaks);

// "bf16=989e12", "fp8=1.98P", "memory=3.35T", several by commas, into `given`. "" or what is wrong.
std::string ParseGivenPeaks(std::string_view text, GivenPeaks* given);

}  // namespace flopsprof::model

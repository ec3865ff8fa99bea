// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace flopsprof::model {

// Dense peak rate of a card for one data type of the products.
struct TypePeak {
  std::string_view type;  // as CallRow.compute_type: "fp64", "fp32", "tf32", "fp16", ...
  double flop_per_s;
};

// Dense (never 2:4 sparse) peaks at boost clock, as the maker publishes them. fp64 is the rate
// of the matrix units where the card has them, because products run there.
struct DevicePeaks {
  std::string_view card;
  std::vector<TypePeak> types;
  std::string_view source;

  std::optional<double> For(std::string_view type) const;
};

// The table, in the order in which `flopsprof peaks` prints it.
const std::vector<DevicePeaks>& AllPeaks();

// Peaks of the card that the driver names so; nullptr when it is not in the table, or is a part
// of a card (MIG). Never a guess: an unknown card has no utilisation.
const DevicePeaks* FindPeaks(std::string_view device_name);

}  // namespace flopsprof::model

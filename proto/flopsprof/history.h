// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace flopsprof {

// Lengths of the spans of time of HistoryRow (v1/profile.proto): agents send the first, the store
// adds up older spans into the next longer ones. Each is a multiple of the one before.
inline constexpr std::array<uint64_t, 4> kHistoryWidthsNs = {
    10'000'000'000,     // 10 s
    60'000'000'000,     // 1 min
    600'000'000'000,    // 10 min
    3'600'000'000'000,  // 1 h
};

}  // namespace flopsprof

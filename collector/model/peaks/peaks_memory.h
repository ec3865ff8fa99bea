// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

namespace flopsprof::model {

// Bandwidth of the device memory of a card of the table, as its maker publishes it, in the document
// that is the source of its peaks. Where a card is sold with memories of different speed it is the
// slowest: a product is not blamed for what its memory may not do. Absent: not in the table.
std::optional<double> MemoryBytePerSecond(std::string_view card);

}  // namespace flopsprof::model

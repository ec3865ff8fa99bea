// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace flopsprof::store {

// The CRC-32C (Castagnoli, RFC 3720) of the bytes, which processors have instructions for.
uint32_t Crc32c(std::string_view bytes);

// The same without them.
uint32_t Crc32cByTableForTesting(std::string_view bytes);

}  // namespace flopsprof::store

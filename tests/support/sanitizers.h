// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace flopsprof::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

// How many cases of one kind a test looks at: `all`, and a fifth where a sanitizer looks too. There
// each takes some ten times as long, and all of them ran without it.
constexpr int CasesOf(int all) { return kSanitized ? all / 5 : all; }
// The same for a walk over all of something: how far it goes at once.
constexpr int StrideOf(int least) { return kSanitized ? 5 * least : least; }

}  // namespace flopsprof::test

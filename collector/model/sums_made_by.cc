// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "sums_made_by.inc"  // kSumsMadeBy

#include "collector/model/run_sums.h"

namespace flopsprof::model {

std::string_view SumsMadeBy() { return kSumsMadeBy; }

}  // namespace flopsprof::model

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "collector/model/summary.h"

namespace flopsprof::model {

// The text of summary.json, schema flopsprof.summary/1 (docs/summary.schema.json).
std::string ToJson(const Summary& summary);

}  // namespace flopsprof::model

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sqlite3.h>

#include <string>

namespace flopsprof::store {

// Sums of numbers as decimal text (RangeRow.sum ...). Integers of any length, exactly; with
// `is_double` as the nearest double, 17 digits. "" = no number yet; what is no number is as if it
// had not come.
std::string NumberSum(bool is_double, const std::string& a, const std::string& b);
// NaN only when both are.
std::string NumberMin(bool is_double, const std::string& a, const std::string& b);
std::string NumberMax(bool is_double, const std::string& a, const std::string& b);

// number_sum(payload_type, a, b), number_min, number_max in SQL. SQLITE_OK, or what failed.
int AddNumberFunctions(sqlite3* db);

}  // namespace flopsprof::store

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sqlite3.h>

namespace flopsprof::viewer {

// Adds `flops_sum` to a connection, an aggregate of exact counts:
//   flops_sum(flops_high, flops_low)   of the two columns of a count
//   flops_sum(flops)                   of integers, or of decimal texts
// The result is an integer where it fits into one, else decimal text; NULL without rows, as of
// sum(). A count that is no integer from 0 on, or a sum of 2^128 or more, is an error.
// Returns SQLITE_OK or SQLite's error.
int AddQueryFunctions(sqlite3* database);

}  // namespace flopsprof::viewer

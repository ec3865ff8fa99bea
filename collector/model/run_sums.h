// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "collector/model/report_sums.h"
#include "collector/model/row_source.h"
#include "collector/model/summary.h"

namespace flopsprof::model {

// All that a report without a focus is made from: no row of a rank is needed beside it.
struct RunSums {
  Summary summary;
  ReportSums report;
};

RunSums SumRun(const RunProfile& run, const SummaryOptions& options = {});
// The same of thin processes (thin_profile.h), whose rows the source has, bounded as they are.
RunSums SumRun(const RunProfile& thin, RowSource* source, const SummaryOptions& options = {});

// As bytes, for a later report of the same rows by the same code. Not for other programs: every
// change of the code that sums are made by changes what they mean.
std::string ToBytes(const RunSums& sums);
// nullopt: these are no such bytes. Any bytes may be given.
std::optional<RunSums> FromBytes(std::string_view bytes);

// Says which code has made sums: a hash of its source. Sums of other code are not read.
std::string_view SumsMadeBy();

}  // namespace flopsprof::model

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace flopsprof::attach {

// What a filter answers (SECCOMP_RET_...); what it is not known to allow counts as killing.
uint32_t RunFilter(const std::vector<sock_filter>& filter, const seccomp_data& data);

// Why a thread that we have stopped, and whose process has a filter, may not make the system calls
// of an attach; "": it may. None of them is tried.
std::string WhyFiltersForbid(pid_t thread);

}  // namespace flopsprof::attach

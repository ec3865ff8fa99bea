// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace sim::cudnn {

// The names of the kernels that a plan compiled at run time consists of, in order: the
// "kernelName" members in the payload of its JSON. Empty for precompiled engines, whose JSON
// has no payload.
std::vector<std::string> KernelNames(const std::string& plan_json);

}  // namespace sim::cudnn

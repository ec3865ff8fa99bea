// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "plan_kernels.h"

namespace sim::cudnn {

std::vector<std::string> KernelNames(const std::string& plan_json) {
  static const std::string key = "\"kernelName\":\"";
  std::vector<std::string> names;
  size_t at = plan_json.find(key);
  while (at != std::string::npos) {
    const size_t begin = at + key.size();
    const size_t end = plan_json.find('"', begin);
    if (end == std::string::npos) break;
    names.push_back(plan_json.substr(begin, end - begin));
    at = plan_json.find(key, end);
  }
  return names;
}

}  // namespace sim::cudnn

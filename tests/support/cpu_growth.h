// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <ctime>

namespace flopsprof::test {

inline int64_t ThreadCpuNs() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// Runs `work(make(size))` and `work(make(16 * size))`, each five times, and returns how many
// times as much CPU time the larger one needs: 16 to 50 where each part is looked at once (caches
// hold the smaller one), about 256 where each part looks at each. The time of `make` does not
// count. A bound on this ratio holds in a sanitizer's build and on a busy machine; a bound in
// seconds does not.
template <typename Make, typename Work>
double CpuTimesOfSixteenTimesTheSize(uint32_t size, const Make& make, const Work& work) {
  const auto least = [&](uint32_t of) {
    const auto input = make(of);
    int64_t ns = INT64_MAX;
    for (int i = 0; i < 5; ++i) {
      const int64_t begin = ThreadCpuNs();
      work(input);
      ns = std::min(ns, ThreadCpuNs() - begin);
    }
    return ns;
  };
  const int64_t small = std::max<int64_t>(least(size), 1);
  return static_cast<double>(least(16 * size)) / static_cast<double>(small);
}

}  // namespace flopsprof::test

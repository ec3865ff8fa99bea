// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/kernels/demangle.h"

#include <gtest/gtest.h>

#include <string>

namespace flopsprof::model {
namespace {

// Number of a substitution: S_, S0_, ... S9_, SA_, ... SZ_, S10_.
std::string Substitution(int n) {
  if (n == 0) return "S_";
  static const std::string kDigits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  std::string digits;
  for (int rest = n - 1; digits.empty() || rest > 0; rest /= 36) {
    digits.insert(digits.begin(), kDigits[rest % 36]);
  }
  return "S" + digits + "_";
}

// f<A<int, int>, A<A<int, int>, A<int, int> >, ...>: each argument holds the one before it twice.
std::string Doubling(int levels) {
  std::string name = "_Z1fI1AIiiE";
  for (int i = 1; i < levels; ++i) {
    const std::string last = Substitution(i + 1);  // f, A, then arguments
    name.append("S0_I").append(last).append(last).append("E");
  }
  return name + "EvT_";
}

TEST(DemangleTest, WritesWhatCompilersMangled) {
  EXPECT_EQ(Demangle("_Z1fIiEvT_"), "void f<int>(int)");
  EXPECT_EQ(Demangle("_ZN2at6native12_GLOBAL__N_14copyEPKfPfl"),
            "at::native::(anonymous namespace)::copy(float const*, float*, long)");
  EXPECT_EQ(Demangle(Doubling(2)),
            "void f<A<int, int>, A<A<int, int>, A<int, int> > >(A<int, int>)");
}

TEST(DemangleTest, RefusesWhatIsNoMangledName) {
  for (const char* name : {"", "i", "f", "_Z", "_Z1", "_Z9f", "ampere_sgemm_128x64_nn"}) {
    EXPECT_EQ(Demangle(name), "") << name;
  }
}

// 2^60 characters: neither the memory nor the time for them is spent.
TEST(DemangleTest, EndsAtALimitWhateverTheNameMeans) {
  EXPECT_GT(Demangle(Doubling(10)).size(), 1000);
  EXPECT_EQ(Demangle(Doubling(60)), "");
  EXPECT_LT(Doubling(60).size(), 1000);
}

TEST(DemangleTest, IsNotLedIntoDeepNesting) {
  const size_t depth = 30'000;
  EXPECT_EQ(Demangle("_Z1f" + std::string(depth, 'P') + "i"), "");
}

}  // namespace
}  // namespace flopsprof::model

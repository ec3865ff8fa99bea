// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/flops/formula_registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace flopsprof::model {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

absl::StatusOr<FlopCount> Value(const std::string& text) {
  const std::map<std::string, int64_t, std::less<>> names = {
      {"grid.x", 7}, {"in0.0", 64}, {"in0.1", 128}, {"huge", INT64_MAX}};
  absl::StatusOr<FormulaExpression> parsed = FormulaExpression::Parse(text);
  if (!parsed.ok()) return parsed.status();
  return parsed->Evaluate([&](std::string_view name) -> std::optional<int64_t> {
    const auto found = names.find(name);
    return found == names.end() ? std::nullopt : std::optional<int64_t>(found->second);
  });
}

TEST(FormulaExpressionTest, ComputesWithWholeNumbers) {
  EXPECT_EQ(*Value("2 * in0.0 * in0.1"), FlopCount{16'384});
  EXPECT_EQ(*Value("1 + 2 * 3 - 4"), FlopCount{3});
  EXPECT_EQ(*Value("(1 + 2) * (5 - 3)"), FlopCount{6});
  EXPECT_EQ(*Value("7 / 2"), FlopCount{3});
  EXPECT_EQ(*Value("cdiv(7, 2) + min(3, grid.x) + max(1, 2)"), FlopCount{9});
  EXPECT_EQ(*Value("huge * 1024"), FlopCount{INT64_MAX} * 1024);
}

TEST(FormulaExpressionTest, SaysWhereWhatWasExpected) {
  const std::map<std::string, std::string> errors = {
      {"2 * ", "column 5: expected a number, a name or \"(\", found the end"},
      {"(1 + 2", "column 7: expected \")\", found the end"},
      {"1 2", "column 3: expected an operator or the end, found \"2\""},
      {"min(1)", "column 6: expected \",\", found \")\""},
      {"log(2)", "column 1: no function \"log\": there are min, max and cdiv"},
      {"1.5 * 2", "column 1: \"1.5\" is no whole number"},
      {"", "column 1: expected a number, a name or \"(\", found the end"}};
  for (const auto& [text, error] : errors) {
    EXPECT_EQ(std::string(FormulaExpression::Parse(text).status().message()), error) << text;
  }
}

TEST(FormulaExpressionTest, RefusesDeepBracketsAndEndlessText) {
  EXPECT_FALSE(FormulaExpression::Parse(std::string(100'000, '(')).ok());
  std::string sum = "1";
  for (int i = 0; i < 5000; ++i) sum += "+1";
  EXPECT_FALSE(FormulaExpression::Parse(sum).ok());
}

TEST(FormulaExpressionTest, AResultThatIsNoCountIsAnError) {
  EXPECT_FALSE(Value("1 - 2").ok());
  EXPECT_FALSE(Value("1 / 0").ok());
  EXPECT_FALSE(Value("huge * huge").ok());
  EXPECT_FALSE(Value("huge * huge * huge * huge").ok());
  EXPECT_EQ(std::string(Value("in9.0").status().message()), "\"in9.0\" has no value here");
}

TEST(FormulaRegistryTest, ReadsFormulasOfOperationsAndKernels) {
  FormulaRegistry registry;
  ASSERT_TRUE(registry
                  .AddText("[[formula]]\noperation = \"mylib::mm\"\nflops = \"2 * in0.0\"\n"
                           "compute_type = \"bf16\"\n"
                           "[[formula]]\nkernel = \"my_*_kernel\"\nflops = \"grid.x\"\n",
                           "f.toml")
                  .ok());
  ASSERT_NE(registry.OfOperation("mylib::mm"), nullptr);
  EXPECT_EQ(registry.OfOperation("mylib::mm")->compute_type, "bf16");
  EXPECT_EQ(registry.OfOperation("mylib::other"), nullptr);
  EXPECT_NE(registry.OfKernel("my_big_kernel"), nullptr);
  EXPECT_EQ(registry.OfKernel("my_big_kernels"), nullptr);
  EXPECT_THAT(registry.Operations(), ElementsAre("mylib::mm"));
}

TEST(FormulaRegistryTest, KernelsAreAlsoFoundByTheirReadableName) {
  FormulaRegistry registry;
  ASSERT_TRUE(
      registry.AddText("[[formula]]\nkernel = \"outer::work(*\"\nflops = \"1\"\n", "f").ok());
  EXPECT_NE(registry.OfKernel("_ZN5outer4workEPKfi"), nullptr);
}

TEST(FormulaRegistryTest, ErrorsNameTheFileTheLineAndWhatWasExpected) {
  const std::map<std::string, std::string> errors = {
      {"[[formula]]\noperation = \"a::b\"\nflops = \"2 *\"\n",
       "f.toml:3: \"flops\": column 4: expected"},
      {"\n[[formula]]\noperatio = \"a::b\"\n", "f.toml:3: unknown key \"operatio\": expected"},
      {"[[formula]]\nflops = \"1\"\n", "f.toml:1: expected one of \"operation\" and \"kernel\""},
      {"[[formula]]\noperation = \"a::b\"\nkernel = \"k\"\nflops = \"1\"\n",
       "f.toml:1: expected one of \"operation\" and \"kernel\""},
      {"[[formula]]\noperation = \"a::b\"\n", "f.toml:1: expected \"flops\""},
      {"[[formula]]\noperation = \"relu\"\nflops = \"1\"\n",
       "f.toml:2: \"operation\": expected namespace::name, found \"relu\""},
      {"[[formula]]\nkernel = \"k\"\nflops = 12\n",
       "f.toml:3: \"flops\": expected a text in quotes"},
      {"[formula]\nkernel = \"k\"\n", "f.toml:1: expected [[formula]], in two brackets"},
      {"formulas = 1\n", "f.toml:1: unknown key \"formulas\""},
      {"[[formula]]\nkernel = \"k\n", "f.toml:2: "}};
  for (const auto& [text, error] : errors) {
    FormulaRegistry registry;
    EXPECT_THAT(std::string(registry.AddText(text, "f.toml").message()), StartsWith(error)) << text;
  }
}

TEST(FormulaRegistryTest, AFileThatIsNotThereIsAnError) {
  FormulaRegistry registry;
  EXPECT_THAT(std::string(registry.AddFile("/no/such/file").message()),
              HasSubstr("/no/such/file: cannot be read"));
}

TEST(FormulaRegistryTest, FormulasCanBeTurnedOff) {
  FormulaRegistry registry;
  registry.TurnOff("aten::_grouped_mm");
  EXPECT_TRUE(registry.IsOff("aten::_grouped_mm"));
  EXPECT_FALSE(registry.IsOff("aten::_flash_attention_forward"));
  registry.TurnOffAll();
  EXPECT_TRUE(registry.IsOff("aten::_flash_attention_forward"));
}

TEST(FormulaRegistryTest, PatternsHaveStarsAndQuestionMarks) {
  EXPECT_TRUE(MatchesPattern("a*b?c", "axxbyc"));
  EXPECT_TRUE(MatchesPattern("*", ""));
  EXPECT_TRUE(MatchesPattern("a*a*a", "aabaa"));
  EXPECT_FALSE(MatchesPattern("a?", "a"));
  EXPECT_FALSE(MatchesPattern("", "a"));
  EXPECT_FALSE(MatchesPattern("*a*a*a*a*a*a*a*b", std::string(200, 'a')));  // and not slowly
}

}  // namespace
}  // namespace flopsprof::model

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/scopes/scope_table.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "tests/support/address_space.h"
#include "tests/unit/injector/scopes/fake_torch.h"

namespace flopsprof::injector {
namespace {

uint32_t Range(uint32_t parent, const std::string& name, const char* domain = nullptr) {
  ScopeIdentity identity;
  identity.parent = parent;
  identity.kind = shm::ScopeKind::kRange;
  identity.domain = domain;
  identity.name = name.data();
  identity.name_bytes = name.size();
  return FindOrAddScope(identity);
}

uint32_t Root(uint64_t object, const char* class_name) {
  ScopeIdentity identity;
  identity.kind = shm::ScopeKind::kModule;
  identity.class_name = class_name;
  identity.object = object;
  return FindOrAddScope(identity);
}

class ScopeTableTest : public ::testing::Test {
 protected:
  void SetUp() override { test::ResetScopesForTesting(); }
};

TEST_F(ScopeTableTest, SameIdentityIsTheSameScope) {
  const uint32_t outer = Range(0, "outer");
  EXPECT_NE(outer, shm::kOutsideScope);
  EXPECT_EQ(Range(0, "outer"), outer);
  EXPECT_NE(Range(0, "other name"), outer);
  EXPECT_NE(Range(outer, "outer"), outer);
  EXPECT_NE(Range(0, "outer", InternDomain("domain")), outer);
}

TEST_F(ScopeTableTest, ATableThatCannotBeMadeKeepsNoAddressSpaceAndIsCounted) {
  constexpr size_t kBytes = size_t{100} << 20;  // less than its texts
  const auto refused = [] {
    const uint64_t before = test::RecordedLoss(shm::LossCounter::kScopeTableFull);
    return Range(0, "range") == shm::kOutsideScope &&
           test::RecordedLoss(shm::LossCounter::kScopeTableFull) == before + 1;
  };
  EXPECT_EXIT(_exit(test::KeepsAddressSpaceWhenRefused(kBytes, refused)),
              ::testing::ExitedWithCode(0), "");
}

// Else it had no name for good, though only its name's record found no room.
TEST_F(ScopeTableTest, AScopeWhoseNameFoundNoRoomIsDefinedLater) {
  const uint32_t scope = Range(0, "range");
  const auto defined = [scope] {
    test::TakeRecords();
    EnsureScopeDefined(scope);
    std::string name = "not defined";
    for (const test::RecordedRecord& record : test::TakeRecords()) {
      if (record.type() != shm::RecordType::kScope) continue;
      name = test::RecordedString(record.As<shm::ScopeRecord>().name);
    }
    return name;
  };
  test::BeginRecording();
  test::RefuseString("range");
  EXPECT_EQ(defined(), "not defined");
  test::RefuseString("");
  EXPECT_EQ(defined(), "range");
  EXPECT_EQ(defined(), "not defined");  // once
}

// One that is never used itself, such as a ModuleList.
TEST_F(ScopeTableTest, AScopeAroundWhoseNameFoundNoRoomIsDefinedLater) {
  const uint32_t around = Range(0, "around");
  const uint32_t inside = Range(around, "inside");
  test::BeginRecording();
  test::TakeRecords();
  test::RefuseString("around");
  EnsureScopeDefined(inside);
  test::RefuseString("");
  EnsureScopeDefined(inside);
  std::vector<uint32_t> defined;
  for (const test::RecordedRecord& record : test::TakeRecords()) {
    if (record.type() != shm::RecordType::kScope) continue;
    defined.push_back(record.As<shm::ScopeRecord>().scope);
  }
  EXPECT_EQ(defined, (std::vector<uint32_t>{around, inside}));
}

TEST_F(ScopeTableTest, RootsOfOneClassAreApart) {
  EXPECT_NE(Root(0x1000, "Net"), Root(0x2000, "Net"));
  EXPECT_EQ(Root(0x1000, "Net"), Root(0x1000, "Net"));
}

TEST_F(ScopeTableTest, AModelMadeWhereAnotherWasFreedIsAnotherRoot) {
  EXPECT_NE(Root(0x1000, "DataParallel"), Root(0x1000, "Net"));
  EXPECT_STREQ(FindScopeEntry(Root(0x1000, "DataParallel"))->class_name, "DataParallel");
}

TEST_F(ScopeTableTest, NamesNeedNoTerminatorAndMayHoldAnything) {
  const std::string text("a\0b", 3);
  const uint32_t scope = Range(0, text);
  EXPECT_EQ(std::string(FindScopeEntry(scope)->name, FindScopeEntry(scope)->name_bytes), text);
}

TEST_F(ScopeTableTest, RangesBeyond128InsideOfOneAnotherShareOne) {
  uint32_t scope = 0;
  for (int i = 0; i < 128; ++i) scope = Range(scope, "push");
  const uint32_t last = scope;
  EXPECT_STREQ(FindScopeEntry(last)->name, "push");
  const uint32_t before = ScopeCount();
  for (int i = 0; i < 10000; ++i) scope = Range(scope, "push");
  EXPECT_EQ(ScopeCount(), before + 1);
  EXPECT_STREQ(FindScopeEntry(scope)->name, "(deeper)");
  EXPECT_EQ(FindScopeEntry(scope)->parent, last);
  EXPECT_EQ(Range(last, "another"), scope);
  EXPECT_EQ(test::RecordedLoss(shm::LossCounter::kScopeTooDeep), 10001u);
}

TEST_F(ScopeTableTest, AModuleInSuchARangeHasAScopeOfItsOwn) {
  uint32_t scope = 0;
  for (int i = 0; i < 1000; ++i) scope = Range(scope, "push");
  ScopeIdentity identity;
  identity.kind = shm::ScopeKind::kModule;
  identity.parent = scope;
  identity.name = "fc";
  identity.name_bytes = 2;
  for (int i = 0; i < 127; ++i) {
    identity.parent = FindOrAddScope(identity);
    EXPECT_STREQ(FindScopeEntry(identity.parent)->name, "fc");
  }
  // 128 ranges, "(deeper)", 127 modules: 256.
  const uint32_t beyond = FindOrAddScope(identity);
  EXPECT_STREQ(FindScopeEntry(beyond)->name, "(deeper)");
  EXPECT_EQ(FindScopeEntry(beyond)->kind, shm::ScopeKind::kRange);
  identity.parent = beyond;
  EXPECT_EQ(FindOrAddScope(identity), beyond);
  RebindScope(beyond, "Net", 0x1000);
  EXPECT_EQ(FindScopeEntry(beyond)->object, 0u);
}

TEST_F(ScopeTableTest, DefinesParentsFirst) {
  const uint32_t outer = Range(0, "outer");
  const uint32_t inner = Range(outer, "inner", InternDomain("d"));
  EnsureScopeDefined(inner);
  const auto records = test::TakeRecords();
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].As<shm::ScopeRecord>().scope, outer);
  const auto& record = records[1].As<shm::ScopeRecord>();
  EXPECT_EQ(record.scope, inner);
  EXPECT_EQ(record.parent, outer);
  EXPECT_EQ(record.depth, 1);
  EXPECT_EQ(test::RecordedString(record.name), "inner");
  EXPECT_EQ(test::RecordedString(record.domain), "d");
}

TEST_F(ScopeTableTest, DefinesOncePerSession) {
  const uint32_t scope = Range(0, "x");
  EnsureScopeDefined(scope);
  EnsureScopeDefined(scope);
  EXPECT_EQ(test::TakeRecords().size(), 1u);
  test::BeginRecording();
  EnsureScopeDefined(scope);
  EXPECT_EQ(test::TakeRecords().size(), 1u);
}

TEST_F(ScopeTableTest, DefinitionThatWasDroppedIsSentAgain) {
  const uint32_t scope = Range(0, "x");
  test::StopRecording();
  EnsureScopeDefined(scope);
  test::BeginRecording();
  EnsureScopeDefined(scope);
  EXPECT_EQ(test::TakeRecords().size(), 1u);
}

TEST_F(ScopeTableTest, ReplacedModuleIsDefinedAgain) {
  const uint32_t root = Root(0x1000, "Net");
  EnsureScopeDefined(root);
  RebindScope(root, "OtherNet", 0x1000);
  EnsureScopeDefined(root);
  const auto records = test::TakeRecords();
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(test::RecordedString(records[1].As<shm::ScopeRecord>().class_name), "OtherNet");
}

TEST_F(ScopeTableTest, AClassThatComesBackIsKeptOnce) {
  const uint32_t root = Root(0x1000, "Net");
  RebindScope(root, "OtherNet", 0x1000);
  const char* other = FindScopeEntry(root)->class_name;
  RebindScope(root, "ThirdNet", 0x1000);
  RebindScope(root, "OtherNet", 0x1000);
  EXPECT_EQ(FindScopeEntry(root)->class_name, other);
}

TEST_F(ScopeTableTest, ClassesOfReplacedModulesAreSoManyAndMoreAreCounted) {
  const uint32_t root = Root(0x1000, "Net");
  for (int i = 0; i < 1024; ++i) RebindScope(root, ("Net" + std::to_string(i)).c_str(), 0x1000);
  EXPECT_EQ(test::RecordedLoss(shm::LossCounter::kScopeTableFull), 0u);
  RebindScope(root, "OneMore", 0x1000);
  EXPECT_STREQ(FindScopeEntry(root)->class_name, "Net1023");
  EXPECT_EQ(test::RecordedLoss(shm::LossCounter::kScopeTableFull), 1u);
}

TEST_F(ScopeTableTest, TooManyRangesShareOneScopeAndAreCounted) {
  uint32_t last = 0;
  for (uint32_t i = 0; i < kMaxRangeScopes; ++i) last = Range(0, "iteration " + std::to_string(i));
  EXPECT_EQ(test::RecordedLoss(shm::LossCounter::kScopeTableFull), 0u);
  const uint32_t over = Range(0, "one more"), another = Range(0, "and another");
  EXPECT_EQ(over, another);
  EXPECT_NE(over, last);
  EXPECT_STREQ(FindScopeEntry(over)->name, "(other)");
  EXPECT_EQ(test::RecordedLoss(shm::LossCounter::kScopeTableFull), 2u);
  EXPECT_EQ(Range(0, "iteration 5"), Range(0, "iteration 5"));
  EXPECT_NE(Root(0x5000, "Net"), over) << "modules still have room";
}

TEST_F(ScopeTableTest, RangesWithoutRoomStayInTheirModule) {
  const uint32_t model = Root(0x1000, "Net"), range = Range(model, "range");
  for (uint32_t i = 1; i < kMaxRangeScopes; ++i) Range(0, "iteration " + std::to_string(i));
  const uint32_t over = Range(model, "one more");
  EXPECT_STREQ(FindScopeEntry(over)->name, "(other)");
  EXPECT_EQ(FindScopeEntry(over)->parent, model);
  EXPECT_EQ(Range(range, "in a range of the module"), over);
  EXPECT_EQ(Range(over, "in the other one"), over);
  EXPECT_NE(Range(0, "outside"), over);
  EXPECT_EQ(test::RecordedLoss(shm::LossCounter::kScopeTableFull), 4u);
}

TEST_F(ScopeTableTest, NamesOfRangesHaveSoManyBytes) {
  const std::string text(kMaxScopeNameBytes - 8, 'x');
  uint32_t count = 0;
  while (test::RecordedLoss(shm::LossCounter::kScopeTableFull) == 0) {
    Range(0, std::to_string(10'000'000 + count++) + text);
  }
  EXPECT_EQ(count, (8u << 20) / kMaxScopeNameBytes + 1);
}

TEST_F(ScopeTableTest, LongNamesAreCutAndCounted) {
  const uint32_t scope = Range(0, std::string(10000, 'x'));
  EXPECT_EQ(FindScopeEntry(scope)->name_bytes, kMaxScopeNameBytes);
  EXPECT_EQ(test::RecordedLoss(shm::LossCounter::kBlobTooLarge), 1u);
}

TEST_F(ScopeTableTest, DomainsAreEqualByText) {
  EXPECT_EQ(InternDomain("a"), InternDomain(std::string("a").c_str()));
  EXPECT_NE(InternDomain("a"), InternDomain("ab"));
  EXPECT_EQ(InternDomain(""), nullptr);
}

}  // namespace
}  // namespace flopsprof::injector

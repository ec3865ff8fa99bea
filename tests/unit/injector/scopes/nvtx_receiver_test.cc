// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// The NVTX entry points, called as the copy of NVTX in a program calls them.
#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "injector/public_api.h"
#include "injector/scopes/nvtx_types.h"
#include "injector/scopes/scope_table.h"
#include "tests/unit/injector/scopes/fake_torch.h"

namespace flopsprof::injector {
namespace {

void* g_core_slots[16];
void* g_core2_slots[16];
void** g_core_table[17];
void** g_core2_table[17];

int GetModuleFunctionTable(uint32_t module, void**** table, unsigned* size) {
  if (module != nvtx::kCore && module != nvtx::kCore2) return 0;
  void*** rows = module == nvtx::kCore ? g_core_table : g_core2_table;
  void** slots = module == nvtx::kCore ? g_core_slots : g_core2_slots;
  rows[0] = nullptr;
  for (int i = 1; i < 16; ++i) rows[i] = &slots[i];
  rows[16] = nullptr;
  *table = rows;
  *size = 16;
  return 1;
}

const void* GetExportTable(uint32_t id) {
  static nvtx::ExportTableCallbacks callbacks;
  callbacks.struct_size = sizeof(callbacks);
  callbacks.get_module_function_table = GetModuleFunctionTable;
  return id == nvtx::kExportCallbacks ? &callbacks : nullptr;
}

template <typename Function>
Function Core(unsigned id) {
  return reinterpret_cast<Function>(g_core_slots[id]);
}
template <typename Function>
Function Core2(unsigned id) {
  return reinterpret_cast<Function>(g_core2_slots[id]);
}

class NvtxReceiverTest : public testing::Test {
 protected:
  void SetUp() override {
    test::ResetScopesForTesting();
    ASSERT_EQ(InitializeInjectionNvtx2(GetExportTable), 1);
  }
  static int Push(const char* name) { return Core<int (*)(const char*)>(nvtx::kRangePushA)(name); }
  static int Pop() { return Core<int (*)()>(nvtx::kRangePop)(); }
  static std::string Name() {
    const ScopeEntry* entry = FindScopeEntry(CurrentAttribution().scope);
    return entry == nullptr ? "" : std::string(entry->name, entry->name_bytes);
  }
};

TEST_F(NvtxReceiverTest, PushAndPopNest) {
  EXPECT_EQ(Push("outer"), 0);
  EXPECT_EQ(Push("inner"), 1);
  EXPECT_EQ(Name(), "inner");
  EXPECT_EQ(Pop(), 1);
  EXPECT_EQ(Name(), "outer");
  EXPECT_EQ(Pop(), 0);
  EXPECT_EQ(Name(), "");
}

TEST_F(NvtxReceiverTest, EveryPushIsReportedAndDefinedOnce) {
  for (int i = 0; i < 2; ++i) {
    Push("layer");
    Pop();
  }
  const auto records = test::TakeRecords();
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records[0].type(), shm::RecordType::kScope);
  EXPECT_EQ(records[1].type(), shm::RecordType::kScopeEnter);
  EXPECT_EQ(records[2].type(), shm::RecordType::kScopeEnter);
}

TEST_F(NvtxReceiverTest, WithoutASessionTheStackIsKeptAndNothingIsSent) {
  test::StopRecording();
  Push("early");
  EXPECT_EQ(Name(), "early");
  test::BeginRecording();
  EXPECT_TRUE(test::TakeRecords().empty());
  Push("late");
  EXPECT_EQ(test::TakeRecords().size(), 3u) << "both definitions and one call";
}

TEST_F(NvtxReceiverTest, PopWithoutPushIsCounted) {
  EXPECT_LT(Pop(), 0);
  EXPECT_EQ(test::RecordedLoss(shm::LossCounter::kScopeUnbalanced), 1u);
}

TEST_F(NvtxReceiverTest, TextIsCopied) {
  char text[] = "first";
  Push(text);
  text[0] = 'F';
  EXPECT_EQ(Name(), "first");
}

TEST_F(NvtxReceiverTest, BufferThatIsWrittenAnewNamesAnotherScope) {
  char text[] = "layer_1";
  Push(text);
  Pop();
  text[6] = '2';
  Push(text);
  EXPECT_EQ(Name(), "layer_2");
  Pop();
  text[5] = '\0';
  Push(text);
  EXPECT_EQ(Name(), "layer");
}

TEST_F(NvtxReceiverTest, SameTextBelowAnotherRangeIsAnotherScope) {
  static const char name[] = "layer";
  Push("a");
  Push(name);
  const uint32_t below_a = CurrentAttribution().scope;
  Pop();
  Pop();
  Push("b");
  Push(name);
  EXPECT_NE(CurrentAttribution().scope, below_a);
}

TEST_F(NvtxReceiverTest, WideTextBecomesUtf8) {
  Core<int (*)(const wchar_t*)>(nvtx::kRangePushW)(L"k\u00e4fer \u20ac \U0001F600");
  EXPECT_EQ(Name(),
            "k\xC3\xA4"
            "fer \xE2\x82\xAC \xF0\x9F\x98\x80");
}

TEST_F(NvtxReceiverTest, DomainsAndRegisteredStringsNameScopes) {
  const void* domain = Core2<const void* (*)(const char*)>(nvtx::kDomainCreateA)("mine");
  const void* text = Core2<const void* (*)(const void*, const char*)>(nvtx::kDomainRegisterStringA)(
      domain, "registered");
  nvtx::EventAttributes event = {};
  event.message_type = nvtx::kRegistered;
  event.message.registered = text;
  Core2<int (*)(const void*, const nvtx::EventAttributes*)>(nvtx::kDomainRangePushEx)(domain,
                                                                                      &event);
  EXPECT_EQ(Name(), "registered");
  EXPECT_STREQ(FindScopeEntry(CurrentAttribution().scope)->domain, "mine");
  EXPECT_LT(Pop(), 0) << "the default domain has none";
  EXPECT_EQ(Core2<int (*)(const void*)>(nvtx::kDomainRangePop)(domain), 0);
}

TEST_F(NvtxReceiverTest, RangesOfLibrariesAreNoScopes) {
  const void* domain = Core2<const void* (*)(const char*)>(nvtx::kDomainCreateA)("NCCL");
  nvtx::EventAttributes event = {};
  event.message_type = nvtx::kAscii;
  event.message.ascii = "ncclAllReduce";
  Push("mine");
  Core2<int (*)(const void*, const nvtx::EventAttributes*)>(nvtx::kDomainRangePushEx)(domain,
                                                                                      &event);
  EXPECT_EQ(Name(), "mine");
  Core2<int (*)(const void*)>(nvtx::kDomainRangePop)(domain);
  EXPECT_EQ(test::RecordedLoss(shm::LossCounter::kScopeUnbalanced), 0u);
  Pop();
}

TEST_F(NvtxReceiverTest, StartedRangeOwnsWorkOnlyWhenNothingElseDoes) {
  const uint64_t id = Core<uint64_t (*)(const char*)>(nvtx::kRangeStartA)("started");
  EXPECT_NE(id, 0u);
  EXPECT_EQ(Name(), "started");
  Push("pushed");
  EXPECT_EQ(Name(), "pushed");
  Pop();
  std::thread([id] { Core<void (*)(uint64_t)>(nvtx::kRangeEnd)(id); }).join();
  EXPECT_EQ(Name(), "");
}

TEST_F(NvtxReceiverTest, EndingARangeTwiceIsCounted) {
  const uint64_t id = Core<uint64_t (*)(const char*)>(nvtx::kRangeStartA)("started");
  Core<void (*)(uint64_t)>(nvtx::kRangeEnd)(id);
  Core<void (*)(uint64_t)>(nvtx::kRangeEnd)(id);
  EXPECT_EQ(test::RecordedLoss(shm::LossCounter::kScopeUnbalanced), 1u);
}

TEST_F(NvtxReceiverTest, CFunctionsShareTheStack) {
  flopsprof_push("c");
  EXPECT_EQ(Name(), "c");
  EXPECT_EQ(Pop(), 0);
  flopsprof_pop();
  EXPECT_EQ(test::RecordedLoss(shm::LossCounter::kScopeUnbalanced), 1u);
}

TEST_F(NvtxReceiverTest, DomainsAreEnabled) {
  intptr_t slots[64] = {};
  nvtx::ExtensionSegment segment = {0, 63, slots};
  nvtx::ExtensionModule module = {};
  module.module_id = nvtx::kPayloadModule;
  module.segments_count = 1;
  module.segments = &segment;
  ASSERT_EQ(InitializeInjectionNvtxExtension(&module), 1);
  auto is_enabled = reinterpret_cast<uint8_t (*)(const void*)>(slots[nvtx::kDomainIsEnabled]);
  EXPECT_EQ(is_enabled(nullptr), 1);
}

TEST_F(NvtxReceiverTest, BrokenExportTablesAreRefused) {
  EXPECT_EQ(InitializeInjectionNvtx2(nullptr), 0);
  EXPECT_EQ(InitializeInjectionNvtx2([](uint32_t) -> const void* { return nullptr; }), 0);
  EXPECT_EQ(InitializeInjectionNvtxExtension(nullptr), 0);
}

}  // namespace
}  // namespace flopsprof::injector

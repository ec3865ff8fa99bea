// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// The NVTX entry points, called as the copy of NVTX in a program calls them.
#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "injector/scopes/nvtx_types.h"
#include "injector/scopes/public_api.h"
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

nvtx::EventAttributes Event() {
  nvtx::EventAttributes event = {};
  event.version = 3;
  event.size = sizeof(event);
  return event;
}

nvtx::EventAttributes Named(const char* name) {
  nvtx::EventAttributes event = Event();
  event.message_type = nvtx::kAscii;
  event.message.ascii = name;
  return event;
}

using PushEx = int (*)(const nvtx::EventAttributes*);

class NvtxReceiverTest : public ::testing::Test {
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
  nvtx::EventAttributes event = Event();
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
  nvtx::EventAttributes event = Event();
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

TEST_F(NvtxReceiverTest, AnOlderStartedRangeIsTheNewestAgainWhenTheNewerEnds) {
  const auto start = Core<uint64_t (*)(const char*)>(nvtx::kRangeStartA);
  const auto end = Core<void (*)(uint64_t)>(nvtx::kRangeEnd);
  const uint64_t older = start("older"), newer = start("newer");
  EXPECT_EQ(Name(), "newer");
  std::thread([&] { end(newer); }).join();
  EXPECT_EQ(Name(), "older");
  end(older);
  EXPECT_EQ(Name(), "");
}

struct NumberCase {
  nvtx::EventPayloadType type;
  uint64_t bits;
  shm::PayloadType kept_type;
  uint64_t kept_bits;
};

TEST_F(NvtxReceiverTest, NumbersAreSentInTheirWidestForm) {
  const NumberCase cases[] = {
      {nvtx::kUint64, ~0ull, shm::PayloadType::kUnsigned, ~0ull},
      {nvtx::kInt64, ~0ull, shm::PayloadType::kSigned, ~0ull},
      {nvtx::kUint32, 0xDEADBEEFFFFFFFFFull, shm::PayloadType::kUnsigned, 0xFFFFFFFFull},
      {nvtx::kInt32, 0xDEADBEEFFFFFFFFFull, shm::PayloadType::kSigned, ~0ull},
      {nvtx::kDouble, 0x3FF8000000000000ull, shm::PayloadType::kDouble, 0x3FF8000000000000ull},
      {nvtx::kFloat, 0xDEADBEEF3FC00000ull, shm::PayloadType::kDouble, 0x3FF8000000000000ull},
  };  // the last two: 1.5
  Push("define the names");
  Pop();
  for (const NumberCase& one : cases) {
    nvtx::EventAttributes event = Named("define the names");
    event.payload_type = one.type;
    event.payload = one.bits;
    test::TakeRecords();
    Core<PushEx>(nvtx::kRangePushEx)(&event);
    Pop();
    const auto records = test::TakeRecords();
    ASSERT_EQ(records.size(), 1u);
    const auto& enter = records[0].As<shm::ScopeEnter>();
    EXPECT_EQ(enter.payload_type, static_cast<uint8_t>(one.kept_type)) << one.type;
    EXPECT_EQ(enter.payload, one.kept_bits) << one.type;
  }
  EXPECT_EQ(test::RecordedLoss(shm::LossCounter::kNvtxDropped), 0u);
}

TEST_F(NvtxReceiverTest, CategoriesHaveTheNameOfTheirDomain) {
  const void* domain = Core2<const void* (*)(const char*)>(nvtx::kDomainCreateA)("mine");
  Core<void (*)(uint32_t, const char*)>(nvtx::kNameCategoryA)(4, "first");
  Core<void (*)(uint32_t, const char*)>(nvtx::kNameCategoryA)(4, "renamed");
  Core2<void (*)(const void*, uint32_t, const wchar_t*)>(nvtx::kDomainNameCategoryW)(domain, 4,
                                                                                     L"other");
  nvtx::EventAttributes event = Named("x");
  event.category = 4;
  Core<PushEx>(nvtx::kRangePushEx)(&event);
  Core2<int (*)(const void*, const nvtx::EventAttributes*)>(nvtx::kDomainRangePushEx)(domain,
                                                                                      &event);
  std::string names;
  for (const auto& record : test::TakeRecords()) {
    if (record.type() != shm::RecordType::kScopeEnter) continue;
    EXPECT_EQ(record.As<shm::ScopeEnter>().category, 4u);
    names += test::RecordedString(record.As<shm::ScopeEnter>().category_name) + ";";
  }
  EXPECT_EQ(names, "renamed;other;");
}

TEST_F(NvtxReceiverTest, MarksSayWhereTheyAreSet) {
  Push("outer");
  const uint32_t outer = CurrentAttribution().scope;
  test::TakeRecords();
  Core<void (*)(const char*)>(nvtx::kMarkA)("here");
  const auto records = test::TakeRecords();
  ASSERT_EQ(records.size(), 1u);
  ASSERT_EQ(records[0].type(), shm::RecordType::kMark);
  EXPECT_EQ(records[0].As<shm::MarkRecord>().scope, outer);
  EXPECT_EQ(test::RecordedString(records[0].As<shm::MarkRecord>().name), "here");
}

TEST_F(NvtxReceiverTest, MarksOfTooManyTextsAreOther) {
  const auto mark = Core<void (*)(const char*)>(nvtx::kMarkA);
  for (int i = 0; i < 5000; ++i) mark(("text " + std::to_string(i)).c_str());
  const auto records = test::TakeRecords();
  ASSERT_EQ(records.size(), 5000u) << "each is counted, whatever its text";
  EXPECT_EQ(test::RecordedString(records.back().As<shm::MarkRecord>().name), "(other)");
  EXPECT_GE(test::RecordedLoss(shm::LossCounter::kScopeTableFull), 5000u - 4096u);
}

TEST_F(NvtxReceiverTest, EventsThatCannotBeReadAreRangesAllTheSameAndCounted) {
  const auto push = Core<PushEx>(nvtx::kRangePushEx);
  nvtx::EventAttributes small = Named("never read");
  small.size = 40;
  nvtx::EventAttributes odd = Named("odd");
  odd.payload_type = 1234;
  nvtx::EventAttributes gone = Event();
  gone.message_type = nvtx::kRegistered;
  push(nullptr);
  EXPECT_EQ(Name(), "");
  EXPECT_NE(CurrentAttribution().scope, shm::kOutsideScope);
  push(&small);
  EXPECT_EQ(Name(), "");
  push(&odd);
  EXPECT_EQ(Name(), "odd");
  push(&gone);
  EXPECT_EQ(Name(), "");
  for (int i = 0; i < 4; ++i) EXPECT_GE(Pop(), 0);
  EXPECT_EQ(test::RecordedLoss(shm::LossCounter::kNvtxDropped), 4u);
  EXPECT_EQ(test::RecordedLoss(shm::LossCounter::kScopeUnbalanced), 0u);
}

TEST_F(NvtxReceiverTest, DomainsBeyondTheTableShareOne) {
  const auto create = Core2<const void* (*)(const char*)>(nvtx::kDomainCreateA);
  EXPECT_EQ(create("same"), create("same"));
  for (int i = 0; i < 2000; ++i) create(("domain " + std::to_string(i)).c_str());
  EXPECT_EQ(create("one more"), create("and another"));
  EXPECT_NE(create("one more"), create("same"));
  EXPECT_GE(test::RecordedLoss(shm::LossCounter::kScopeTableFull), 2000u - 1024u);
}

TEST_F(NvtxReceiverTest, CFunctionsTakeNumbersAndMarks) {
  flopsprof_push_value("tokens", -3);
  flopsprof_mark("seen");
  flopsprof_pop();
  const auto records = test::TakeRecords();
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records[1].As<shm::ScopeEnter>().payload, static_cast<uint64_t>(-3));
  EXPECT_EQ(test::RecordedString(records[2].As<shm::MarkRecord>().name), "seen");
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

TEST_F(NvtxReceiverTest, PayloadSchemasAreAcceptedAndTheirEventsCounted) {
  intptr_t slots[64] = {};
  nvtx::ExtensionSegment segment = {0, 63, slots};
  nvtx::ExtensionModule module = {};
  module.module_id = nvtx::kPayloadModule;
  module.segments_count = 1;
  module.segments = &segment;
  ASSERT_EQ(InitializeInjectionNvtxExtension(&module), 1);
  auto add = reinterpret_cast<uint64_t (*)(const void*, const void*)>(slots[nvtx::kSchemaRegister]);
  const uint64_t one = add(nullptr, nullptr), two = add(nullptr, nullptr);
  EXPECT_GE(one, uint64_t{1} << 32) << "above those that programs choose";
  EXPECT_NE(one, two);
  auto push =
      reinterpret_cast<int (*)(const void*, const void*, size_t)>(slots[nvtx::kRangePushPayload]);
  push(nullptr, nullptr, 0);
  EXPECT_EQ(test::RecordedLoss(shm::LossCounter::kNvtxDropped), 1u);
  module.module_id = 4;  // counters
  EXPECT_EQ(InitializeInjectionNvtxExtension(&module), 0);
  EXPECT_EQ(test::RecordedLoss(shm::LossCounter::kNvtxDropped), 2u);
}

TEST_F(NvtxReceiverTest, BrokenExportTablesAreRefused) {
  EXPECT_EQ(InitializeInjectionNvtx2(nullptr), 0);
  EXPECT_EQ(InitializeInjectionNvtx2([](uint32_t) -> const void* { return nullptr; }), 0);
  EXPECT_EQ(InitializeInjectionNvtxExtension(nullptr), 0);
}

}  // namespace
}  // namespace flopsprof::injector

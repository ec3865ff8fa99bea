// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/hooks/cublas/cublaslt_descriptors.h"

#include <dlfcn.h>
#include <string.h>

#include <array>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "gtest/gtest.h"

namespace flopsprof::injector {
namespace {

using Words = std::array<uint64_t, 32>;

auto Fields(const Product& p) {
  return std::tuple(p.m, p.n, p.k, p.batch, p.type_a, p.type_b, p.type_c, p.compute_type);
}

// ---- A library of our own, which keeps things in other places when told to.
int rows_word = 1;

int InitLayout(void* layout, size_t, int type, uint64_t rows, uint64_t cols, int64_t) {
  auto* words = static_cast<uint64_t*>(layout);
  words[0] = static_cast<uint64_t>(type);
  words[rows_word] = rows;
  words[3 - rows_word] = cols;
  return 0;
}
int SetLayout(void* layout, int attribute, const void* value, size_t bytes) {
  auto* half = static_cast<uint32_t*>(layout) + (attribute == 8 ? 9 : 8);
  memcpy(half, value, bytes);
  return 0;
}
int NoBatchMode(void* layout, int attribute, const void* value, size_t bytes) {
  return attribute == 8 ? 7 : SetLayout(layout, attribute, value, bytes);
}
int InitDesc(void* desc, size_t, int compute_type, int) {
  static_cast<uint32_t*>(desc)[2] = static_cast<uint32_t>(compute_type);
  return 0;
}
int SetDesc(void* desc, int attribute, const void* value, size_t bytes) {
  memcpy(static_cast<uint32_t*>(desc) + (attribute == 3 ? 5 : 9), value, bytes);
  return 0;
}
int Refuses(void*, int, const void*, size_t) { return 15; }

LtFunctions OurLibrary() {
  rows_word = 1;
  return {nullptr, nullptr, SetLayout, SetDesc, InitLayout, InitDesc};
}

TEST(CublasLtDescriptorsTest, FindsPlainWords) {
  const LtWords words = ProbeWords(OurLibrary());
  EXPECT_TRUE(words.plain);
  EXPECT_TRUE(words.has_batch_mode);
}

TEST(CublasLtDescriptorsTest, OlderLibrariesHaveNoBatchMode) {
  LtFunctions library = OurLibrary();
  library.set_layout = NoBatchMode;
  const LtWords words = ProbeWords(library);
  EXPECT_TRUE(words.plain);
  EXPECT_FALSE(words.has_batch_mode);
}

TEST(CublasLtDescriptorsTest, SeesThatWordsAreElsewhere) {
  const LtFunctions library = OurLibrary();
  rows_word = 2;
  EXPECT_FALSE(ProbeWords(library).plain);
}

TEST(CublasLtDescriptorsTest, ALibraryThatRefusesIsReadByItsGetters) {
  LtFunctions library = OurLibrary();
  library.set_desc = Refuses;
  EXPECT_FALSE(ProbeWords(library).plain);
  library = OurLibrary();
  library.init_desc = nullptr;
  EXPECT_FALSE(ProbeWords(library).plain);
}

TEST(CublasLtDescriptorsTest, SizesOfAGroupedProductAreOnTheDevice) {
  Words desc{}, layout{};
  InitLayout(layout.data(), 64, 0, 3, 5, 3);
  const uint32_t grouped = 2;
  SetLayout(layout.data(), 8, &grouped, sizeof grouped);
  const LtDescriptors from = {desc.data(), layout.data(), layout.data(), layout.data()};
  Product product{};
  uint32_t epilogue = 0;
  EXPECT_FALSE(ReadWords({true, true}, from, &product, &epilogue));
  EXPECT_EQ(product.m, static_cast<int64_t>(shm::UnknownReason::kSizesOnDevice));
  EXPECT_TRUE(ReadWords({true, false}, from, &product, &epilogue));
}

TEST(CublasLtDescriptorsTest, AMissingDescriptorIsUnknown) {
  Words desc{}, layout{};
  Product product{};
  uint32_t epilogue = 0;
  EXPECT_FALSE(ReadWords({true, true}, {desc.data(), layout.data(), nullptr, layout.data()},
                         &product, &epilogue));
  EXPECT_EQ(product.m, static_cast<int64_t>(shm::UnknownReason::kGetterFailed));
}

// ---- The real library, which needs no GPU for its descriptors.
void* RealLibrary() {
  std::stringstream folders(FLOPSPROF_NVIDIA_FOLDERS);
  for (std::string folder; std::getline(folders, folder, ':');) {
    for (const char* name : {"libcublasLt.so.13.real", "libcublasLt.so.12.real"}) {
      if (void* library = dlopen((folder + "/../lib/" + name).c_str(), RTLD_NOW | RTLD_LOCAL)) {
        return library;
      }
    }
  }
  return nullptr;
}

class RealCublasLtTest : public ::testing::Test {
 protected:
  void SetUp() override {
    handle_ = RealLibrary();
    if (handle_ == nullptr) GTEST_SKIP() << "no libcublasLt of NVIDIA's beside the headers";
    Find(&library_.get_layout, "cublasLtMatrixLayoutGetAttribute");
    Find(&library_.get_desc, "cublasLtMatmulDescGetAttribute");
    Find(&library_.set_layout, "cublasLtMatrixLayoutSetAttribute");
    Find(&library_.set_desc, "cublasLtMatmulDescSetAttribute");
    Find(&library_.init_layout, "cublasLtMatrixLayoutInit_internal");
    Find(&library_.init_desc, "cublasLtMatmulDescInit_internal");
  }

  template <class F>
  void Find(F* function, const char* name) {
    *function = reinterpret_cast<F>(dlsym(handle_, name));
    ASSERT_NE(*function, nullptr) << name;
  }

  void* handle_ = nullptr;
  LtFunctions library_{};
};

TEST_F(RealCublasLtTest, WordsSayWhatItsGettersSay) {
  const LtWords words = ProbeWords(library_);
  ASSERT_TRUE(words.plain);
  uint64_t size = 0x100000001;
  for (const uint32_t trans : {0, 1, 2}) {
    for (const uint32_t epilogue : {1, 2, 4, 36, 160}) {
      for (const uint32_t mode : {0, 1, 2}) {
        for (const int type : {0, 1, 2, 4, 14, 28, 33}) {
          Words desc{}, a{}, b{}, d{};
          const int32_t batch = static_cast<int32_t>(size % 1000);
          const auto next = [&size] { return size = size * 5 % 0xfffffffffff; };
          ASSERT_EQ(library_.init_desc(desc.data(), sizeof desc, type == 1 ? 70 : 68, 0), 0);
          library_.set_desc(desc.data(), 3, &trans, sizeof trans);
          library_.set_desc(desc.data(), 4, &epilogue, sizeof epilogue);
          library_.set_desc(desc.data(), 7, &epilogue, sizeof epilogue);
          for (Words* layout : {&a, &b, &d}) {
            ASSERT_EQ(library_.init_layout(layout->data(), 64, type, next(), next(), 1), 0);
            library_.set_layout(layout->data(), 5, &batch, sizeof batch);
            library_.set_layout(layout->data(), 8, &mode, sizeof mode);
            const int32_t order = 1;
            library_.set_layout(layout->data(), 1, &order, sizeof order);
          }
          const LtDescriptors from = {desc.data(), a.data(), b.data(), d.data()};
          Product by_words{}, by_getters{};
          uint32_t epilogue_of_words = 0, epilogue_of_getters = 0;
          EXPECT_EQ(ReadWords(words, from, &by_words, &epilogue_of_words),
                    ReadByGetters(library_, from, &by_getters, &epilogue_of_getters));
          EXPECT_EQ(Fields(by_words), Fields(by_getters));
          EXPECT_EQ(epilogue_of_words, epilogue_of_getters);
          EXPECT_GT(by_words.m, 0);
        }
      }
    }
  }
}

}  // namespace
}  // namespace flopsprof::injector

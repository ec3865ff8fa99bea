// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/hooks/cublas/cublaslt_descriptors.h"

#include <atomic>

#include "injector/loader/real_function.h"

namespace flopsprof::injector {
namespace {

// cublasLtMatrixLayoutAttribute_t and cublasLtMatmulDescAttributes_t (cublasLt.h).
enum LayoutAttribute : int { kType = 0, kRows = 2, kCols = 3, kBatchCount = 5, kBatchMode = 8 };
enum DescAttribute : int { kComputeType = 0, kTransA = 3, kEpilogue = 7 };
constexpr char kCublasLt[] = "libcublasLt.so";
constexpr uint32_t kBatchModeGrouped = 2;  // CUBLASLT_BATCH_MODE_GROUPED: sizes on the device

// Where cublasLt 13.1 has them: 32-bit halves of the words, the lower one first.
struct LayoutWords {
  uint32_t type, order;
  uint64_t rows, cols;
  int64_t ld;
  int32_t batch;
  uint32_t batch_mode;
  uint64_t rest[3];
};
static_assert(sizeof(LayoutWords) == 64);  // cublasLtMatrixLayoutOpaque_t

struct DescWords {
  uint64_t word0;
  uint32_t compute_type, half1;
  uint32_t half2, trans_a;
  uint64_t word3;
  uint32_t half4, epilogue;
};

template <class T>
bool Read(LtFunctions::GetAttribute get, const void* object, int attribute, T* value) {
  size_t written = 0;
  return get != nullptr && get(object, attribute, value, sizeof(T), &written) == 0;
}

LtFunctions::GetAttribute LayoutGetter(const void* caller) {
  static RealFunction real("cublasLtMatrixLayoutGetAttribute", kCublasLt);
  return reinterpret_cast<LtFunctions::GetAttribute>(real.Find(caller));
}

bool SaysUnknown(Product* product, bool on_device) {
  product->m = static_cast<int64_t>(on_device ? shm::UnknownReason::kSizesOnDevice
                                              : shm::UnknownReason::kGetterFailed);
  product->n = product->k = product->batch = 0;
  return false;
}

// One descriptor of each kind with values that nothing else in it has.
bool Shows(const LtFunctions& library, uint32_t type, uint64_t rows, uint64_t cols, int32_t batch,
           uint32_t compute_type, uint32_t trans_a, uint32_t epilogue, LtWords* words) {
  union {
    LayoutWords words;
    uint64_t room[32];
  } layout{};
  union {
    DescWords words;
    uint64_t room[64];  // more than any release needs
  } desc{};
  constexpr size_t kDescBytes = 256;  // cublasLtMatmulDescOpaque_t
  const uint32_t mode = 1;            // pointers
  if (library.init_layout(&layout, sizeof(LayoutWords), static_cast<int>(type), rows, cols,
                          static_cast<int64_t>(rows)) != 0 ||
      library.set_layout(&layout, kBatchCount, &batch, sizeof batch) != 0 ||
      library.init_desc(&desc, kDescBytes, static_cast<int>(compute_type), 0) != 0 ||
      library.set_desc(&desc, kTransA, &trans_a, sizeof trans_a) != 0 ||
      library.set_desc(&desc, kEpilogue, &epilogue, sizeof epilogue) != 0) {
    return false;
  }
  words->has_batch_mode = library.set_layout(&layout, kBatchMode, &mode, sizeof mode) == 0;
  const LayoutWords& shown = layout.words;
  return shown.type == type && shown.rows == rows && shown.cols == cols && shown.batch == batch &&
         (!words->has_batch_mode || shown.batch_mode == mode) &&
         desc.words.compute_type == compute_type && desc.words.trans_a == trans_a &&
         desc.words.epilogue == epilogue;
}

// The functions of the library that `caller` calls.
LtFunctions FunctionsFor(const void* caller) {
  static RealFunction get_desc("cublasLtMatmulDescGetAttribute", kCublasLt);
  static RealFunction set_layout("cublasLtMatrixLayoutSetAttribute", kCublasLt);
  static RealFunction set_desc("cublasLtMatmulDescSetAttribute", kCublasLt);
  static RealFunction init_layout("cublasLtMatrixLayoutInit_internal", kCublasLt);
  static RealFunction init_desc("cublasLtMatmulDescInit_internal", kCublasLt);
  LtFunctions library;
  library.get_layout = LayoutGetter(caller);
  library.get_desc = reinterpret_cast<LtFunctions::GetAttribute>(get_desc.Find(caller));
  library.set_layout = reinterpret_cast<LtFunctions::SetAttribute>(set_layout.Find(caller));
  library.set_desc = reinterpret_cast<LtFunctions::SetAttribute>(set_desc.Find(caller));
  library.init_layout = reinterpret_cast<LtFunctions::InitLayout>(init_layout.Find(caller));
  library.init_desc = reinterpret_cast<LtFunctions::InitDesc>(init_desc.Find(caller));
  return library;
}

// What is known of one copy of the library, by its getter. Filled in once; a copy beyond them, or
// of which another thread is just finding out, is read by its getters.
struct Copy {
  std::atomic<const void*> getter{nullptr};
  std::atomic<bool> known{false};
  LtWords words;
};
constexpr int kCopies = 4;
Copy copies[kCopies];

LtWords WordsFor(const void* caller) {
  const auto* const getter = reinterpret_cast<const void*>(LayoutGetter(caller));
  if (getter == nullptr) return {};
  for (Copy& copy : copies) {
    const void* owner = copy.getter.load(std::memory_order_relaxed);
    // Acquire; pairs with the release below.
    if (owner == getter) return copy.known.load(std::memory_order_acquire) ? copy.words : LtWords{};
    if (owner != nullptr) continue;
    if (!copy.getter.compare_exchange_strong(owner, getter, std::memory_order_relaxed)) {
      if (owner == getter) return {};
      continue;
    }
    copy.words = ProbeWords(FunctionsFor(caller));
    copy.known.store(true, std::memory_order_release);
    return copy.words;
  }
  return {};
}

}  // namespace

LtWords ProbeWords(const LtFunctions& library) {
  LtWords words;
  if (library.init_layout == nullptr || library.set_layout == nullptr ||
      library.init_desc == nullptr || library.set_desc == nullptr) {
    return words;
  }
  words.plain = Shows(library, 2 /* half */, 0x123456789, 0x1a2b3c4d5e, 0x76543210,
                      68 /* in float */, 2 /* conjugated */, 2 /* ReLU */, &words) &&
                Shows(library, 14 /* bfloat16 */, 0x2000000011, 0x3f, 3, 70 /* in double */,
                      1 /* transposed */, 4 /* bias */, &words);
  return words;
}

bool ReadWords(const LtWords& words, const LtDescriptors& from, Product* product,
               uint32_t* epilogue) {
  const auto* const desc = static_cast<const DescWords*>(from.desc);
  const auto* const a = static_cast<const LayoutWords*>(from.a);
  const auto* const b = static_cast<const LayoutWords*>(from.b);
  const auto* const d = static_cast<const LayoutWords*>(from.d);
  if (desc == nullptr || a == nullptr || b == nullptr || d == nullptr) {
    return SaysUnknown(product, /*on_device=*/false);
  }
  *epilogue = desc->epilogue;
  *product = {static_cast<int64_t>(d->rows),
              static_cast<int64_t>(d->cols),
              static_cast<int64_t>(desc->trans_a == kOpN ? a->cols : a->rows),
              d->batch,
              static_cast<int>(a->type),
              static_cast<int>(b->type),
              static_cast<int>(d->type),
              static_cast<int>(desc->compute_type)};
  const bool grouped = words.has_batch_mode && d->batch_mode == kBatchModeGrouped;
  return grouped ? SaysUnknown(product, /*on_device=*/true) : true;
}

bool ReadByGetters(const LtFunctions& library, const LtDescriptors& from, Product* product,
                   uint32_t* epilogue) {
  int32_t transposed = 0;
  int32_t compute_type = 0;
  uint32_t type_a = 0;
  uint32_t type_b = 0;
  uint32_t type_d = 0;
  uint64_t m = 0;
  uint64_t n = 0;
  uint64_t k = 0;
  int32_t batch = 0;
  const auto layout = library.get_layout;
  const auto desc = library.get_desc;
  Read(desc, from.desc, kEpilogue, epilogue);
  const bool known = Read(desc, from.desc, kTransA, &transposed) &&
                     Read(desc, from.desc, kComputeType, &compute_type) &&
                     Read(layout, from.a, kType, &type_a) && Read(layout, from.b, kType, &type_b) &&
                     Read(layout, from.d, kType, &type_d) && Read(layout, from.d, kRows, &m) &&
                     Read(layout, from.d, kCols, &n) && Read(layout, from.d, kBatchCount, &batch) &&
                     Read(layout, from.a, transposed == kOpN ? kCols : kRows, &k);
  uint32_t mode = 0;  // libraries without the attribute know no groups
  const bool grouped =
      known && Read(layout, from.d, kBatchMode, &mode) && mode == kBatchModeGrouped;
  *product = {
      static_cast<int64_t>(m),  static_cast<int64_t>(n),  static_cast<int64_t>(k),  batch,
      static_cast<int>(type_a), static_cast<int>(type_b), static_cast<int>(type_d), compute_type};
  return known && !grouped ? true : SaysUnknown(product, grouped);
}

bool ReadLtProduct(const void* caller, const LtDescriptors& from, Product* product,
                   uint32_t* epilogue) {
  const LtWords words = WordsFor(caller);
  if (words.plain) return ReadWords(words, from, product, epilogue);
  return ReadByGetters(FunctionsFor(caller), from, product, epilogue);
}

}  // namespace flopsprof::injector

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/scopes/nvtx_names.h"

#include <string.h>

#include <atomic>

#include "injector/base/utf8.h"
#include "injector/scopes/text_table.h"
#include "injector/transport/record_sink.h"

namespace flopsprof::injector {

// Never made: handles are the interned name itself.
struct NvtxDomain {
  char name[1];
};

namespace {

constexpr uint32_t kMaxRegistered = 1u << 16;
constexpr uint32_t kMaxCategories = 1u << 10;
constexpr char kOther[] = "(other)";

// Domains of NVIDIA's libraries: their ranges say which function of the library runs, which we
// know from the call itself, and would split the launches of a module.
constexpr const char* kLibraryDomains[] = {"NCCL", "CCCL", "cuBLAS", "cuDNN", "cuSOLVER", "cuFFT"};

TextTable<kMaxRegistered> g_registered;

struct Category {
  const char* domain;
  std::atomic<const char*> name;
  uint32_t number;
  std::atomic<bool> complete;
};
Category g_categories[kMaxCategories];
std::atomic<uint32_t> g_category_count{0};
TextTable<kMaxCategories> g_category_names;

// UTF-32 to UTF-8, as much as fits.
size_t Narrow(const wchar_t* wide, char* out, size_t capacity) {
  size_t size = 0;
  for (; *wide != 0 && size + 4 < capacity; ++wide) {
    size += EncodeUtf8(static_cast<uint32_t>(*wide), out + size);
  }
  return size;
}

size_t KeptBytes(const NvtxName& name) {
  // One more than a name may have: what is cut is noticed where it is used.
  constexpr size_t kMost = kMaxScopeNameBytes + 1;
  return name.bytes < kMost ? name.bytes : kMost;
}

// False: there is a message, but no name.
bool SetMessage(const nvtx::EventAttributes& event, NvtxName* name) {
  switch (event.message_type) {
    case nvtx::kNoMessage:
      return true;
    case nvtx::kAscii:
      SetAscii(name, event.message.ascii);
      return event.message.ascii != nullptr;
    case nvtx::kWide:
      SetWide(name, event.message.wide);
      return event.message.wide != nullptr;
    case nvtx::kRegistered: {
      const auto* text = static_cast<const KeptText*>(event.message.registered);
      if (text == nullptr) return false;  // registered before we came
      name->text = text->text;
      name->bytes = text->bytes;
      return true;
    }
    default:
      return false;
  }
}

// False: there is a number, but not one that we read.
bool SetPayload(const nvtx::EventAttributes& event, RangeFacts* facts) {
  switch (event.payload_type) {
    case nvtx::kNoPayload:
      return true;
    case nvtx::kUint64:
      facts->payload_type = shm::PayloadType::kUnsigned;
      facts->payload = event.payload;
      return true;
    case nvtx::kInt64:
      facts->payload_type = shm::PayloadType::kSigned;
      facts->payload = event.payload;
      return true;
    case nvtx::kUint32:
      facts->payload_type = shm::PayloadType::kUnsigned;
      facts->payload = static_cast<uint32_t>(event.payload);
      return true;
    case nvtx::kInt32:
      facts->payload_type = shm::PayloadType::kSigned;
      facts->payload = static_cast<uint64_t>(
          static_cast<int64_t>(static_cast<int32_t>(static_cast<uint32_t>(event.payload))));
      return true;
    case nvtx::kDouble:
      facts->payload_type = shm::PayloadType::kDouble;
      facts->payload = event.payload;
      return true;
    case nvtx::kFloat: {
      const auto bits = static_cast<uint32_t>(event.payload);
      float narrow;
      memcpy(&narrow, &bits, sizeof(narrow));
      const double wide = narrow;
      facts->payload_type = shm::PayloadType::kDouble;
      memcpy(&facts->payload, &wide, sizeof(wide));
      return true;
    }
    default:
      return false;
  }
}

const char* CategoryName(const char* domain, uint32_t number) {
  const uint32_t count = g_category_count.load(std::memory_order_acquire);
  for (uint32_t i = 0; i < count && i < kMaxCategories; ++i) {
    const Category& category = g_categories[i];
    // Acquire; pairs with the release in NameCategory.
    if (category.complete.load(std::memory_order_acquire) && category.number == number &&
        category.domain == domain) {
      return category.name.load(std::memory_order_acquire);
    }
  }
  return nullptr;
}

}  // namespace

void SetAscii(NvtxName* name, const char* text) {
  name->text = text == nullptr ? "" : text;
  name->bytes = strlen(name->text);
}

void SetWide(NvtxName* name, const wchar_t* text) {
  name->text = name->buffer;
  name->bytes = text == nullptr ? 0 : Narrow(text, name->buffer, sizeof(name->buffer));
}

void ReadEvent(const char* domain, const nvtx::EventAttributes* event, NvtxName* name,
               RangeFacts* facts) {
  name->text = "";
  name->bytes = 0;
  *facts = {};
  // Later versions only grow; nothing beyond what the caller has is read.
  if (event == nullptr || event->size < sizeof(nvtx::EventAttributes)) {
    return CountLoss(shm::LossCounter::kNvtxDropped);
  }
  const bool named = SetMessage(*event, name);
  const bool valued = SetPayload(*event, facts);
  if (!named || !valued) CountLoss(shm::LossCounter::kNvtxDropped);
  facts->category = event->category;
  if (event->category != 0) facts->category_name = CategoryName(domain, event->category);
}

const NvtxDomain* FindOrAddDomain(const NvtxName& name) {
  return reinterpret_cast<const NvtxDomain*>(InternDomain(name.text, name.bytes));
}

const char* NameOf(const NvtxDomain* domain) { return domain == nullptr ? nullptr : domain->name; }

bool IsIgnored(const NvtxDomain* domain) {
  if (domain == nullptr) return false;
  for (const char* library : kLibraryDomains) {
    if (strcmp(domain->name, library) == 0) return true;
  }
  return false;
}

const void* FindOrAddRegistered(const NvtxName& name) {
  // Made with the first one: then there is room.
  const KeptText* other = g_registered.FindOrAdd(kOther, sizeof(kOther) - 1);
  const KeptText* kept = g_registered.FindOrAdd(name.text, KeptBytes(name));
  if (kept != nullptr) return kept;
  CountLoss(shm::LossCounter::kScopeTableFull);
  return other;
}

void NameCategory(const char* domain, uint32_t number, const NvtxName& name) {
  if (number == 0) return;  // NVTX: no category
  const KeptText* text = g_category_names.FindOrAdd(name.text, KeptBytes(name));
  if (text == nullptr) return CountLoss(shm::LossCounter::kScopeTableFull);
  const uint32_t count = g_category_count.load(std::memory_order_acquire);
  for (uint32_t i = 0; i < count && i < kMaxCategories; ++i) {
    Category& category = g_categories[i];
    if (category.complete.load(std::memory_order_acquire) && category.number == number &&
        category.domain == domain) {
      return category.name.store(text->text, std::memory_order_release);
    }
  }
  // Two threads that name one category at once leave two entries; the first one counts.
  const uint32_t index = g_category_count.fetch_add(1, std::memory_order_acq_rel);
  if (index >= kMaxCategories) {
    g_category_count.store(kMaxCategories, std::memory_order_release);
    return CountLoss(shm::LossCounter::kScopeTableFull);
  }
  Category& category = g_categories[index];
  category.domain = domain;
  category.number = number;
  category.name.store(text->text, std::memory_order_relaxed);
  category.complete.store(true, std::memory_order_release);
}

}  // namespace flopsprof::injector

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/scopes/scope_table.h"

#include <string.h>

#include <initializer_list>

#include "injector/base/brief_lock.h"
#include "injector/base/pages.h"
#include "injector/scopes/attribution.h"
#include "injector/scopes/step_at.h"
#include "injector/scopes/text_table.h"

namespace flopsprof::injector {

ScopeEntry* g_scopes;
std::atomic<uint32_t> g_defined_epochs[kMaxScopes];

namespace {

constexpr uint32_t kBuckets = kMaxScopes * 2;
constexpr uint32_t kOtherScope = 1;  // made with the table
constexpr char kOtherName[] = "(other)";
constexpr char kDeeperName[] = "(deeper)";

// Names of ranges share the string table, here and in the agent, with kernels and modules.
constexpr size_t kMaxRangeTextBytes = size_t{8} << 20;
constexpr size_t kMaxTextBytes = size_t{128} << 20;  // of all scopes
constexpr uint32_t kMaxDomains = 1u << 10;
constexpr uint32_t kMaxOtherClasses = 1u << 10;

BriefLock g_lock;  // adding, class_name and object of entries
std::atomic<uint32_t>* g_buckets;
std::atomic<uint32_t> g_count{0};  // ids given, 0 included
// Written under the lock, read without.
std::atomic<uint32_t> g_range_count{0};
std::atomic<size_t> g_range_text_bytes{0};
// Under the lock:
struct Room {
  GrowingPages buckets;
  GrowingPages scopes;
  GrowingPages texts;  // names and classes
  size_t text_used = 0;
};
Room g_room;
TextTable<kMaxDomains> g_domains;
TextTable<kMaxOtherClasses> g_other_classes;  // of modules that took the scope of another one

uint64_t HashText(uint64_t hash, const char* text, size_t bytes) {
  constexpr uint64_t kPrime = 0x9E3779B97F4A7C15ull;
  while (bytes >= 8) {
    uint64_t word;
    memcpy(&word, text, 8);
    hash = (hash ^ word) * kPrime;
    hash ^= hash >> 29;
    text += 8;
    bytes -= 8;
  }
  uint64_t tail = bytes;
  for (size_t i = 0; i < bytes; ++i) tail = tail << 8 | static_cast<unsigned char>(text[i]);
  hash = (hash ^ tail) * kPrime;
  return hash ^ hash >> 32;
}

bool IsRoot(const ScopeIdentity& identity) {
  return identity.kind == shm::ScopeKind::kModule && identity.parent == shm::kOutsideScope;
}

uint64_t HashOf(const ScopeIdentity& identity, size_t name_bytes) {
  uint64_t hash = identity.parent * 0xC2B2AE3D27D4EB4Full + static_cast<uint64_t>(identity.kind);
  hash ^= reinterpret_cast<uintptr_t>(identity.domain) * 0x165667B19E3779F9ull;
  if (IsRoot(identity)) {
    hash ^= identity.object * 0x27D4EB2F165667C5ull;
    hash = HashText(hash, identity.class_name, strlen(identity.class_name));
  }
  return HashText(hash, identity.name, name_bytes);
}

bool Matches(const ScopeEntry& entry, const ScopeIdentity& identity, size_t name_bytes,
             uint64_t hash) {
  return entry.hash == hash && entry.parent == identity.parent && entry.kind == identity.kind &&
         entry.domain == identity.domain && entry.name_bytes == name_bytes &&
         (!IsRoot(identity) || (entry.object == identity.object &&
                                strcmp(entry.class_name, identity.class_name) == 0)) &&
         memcmp(entry.name, identity.name, name_bytes) == 0;
}

// Bucket that holds the scope, or the free one where it belongs.
uint32_t FindBucket(const ScopeIdentity& identity, size_t name_bytes, uint64_t hash) {
  uint32_t bucket = static_cast<uint32_t>(hash) & (kBuckets - 1);
  for (;;) {
    // Acquire; pairs with the release in Publish.
    const uint32_t scope = g_buckets[bucket].load(std::memory_order_acquire);
    if (scope == 0 || Matches(g_scopes[scope], identity, name_bytes, hash)) return bucket;
    bucket = (bucket + 1) & (kBuckets - 1);
  }
}

// With the lock held. Null: no room.
const char* CopyText(const char* text, size_t bytes) {
  if (bytes + 1 > kMaxTextBytes - g_room.text_used) return nullptr;
  if (!g_room.texts.Open(g_room.text_used + bytes + 1)) return nullptr;
  char* copy = static_cast<char*>(g_room.texts.begin()) + g_room.text_used;
  memcpy(copy, text, bytes);
  copy[bytes] = '\0';
  g_room.text_used += bytes + 1;
  return copy;
}

// With the lock held.
bool MakeTable() {
  constexpr size_t kBucketBytes = kBuckets * sizeof(std::atomic<uint32_t>);
  if (!g_room.texts.Reserve(kMaxTextBytes) ||
      !g_room.scopes.Reserve(kMaxScopes * sizeof(ScopeEntry)) ||
      !g_room.scopes.Open((kOtherScope + 1) * sizeof(ScopeEntry)) ||
      !g_room.buckets.Reserve(kBucketBytes) || !g_room.buckets.Open(kBucketBytes)) {
    for (GrowingPages* part : {&g_room.texts, &g_room.scopes, &g_room.buckets}) part->Refuse();
    return false;
  }
  auto* entries = static_cast<ScopeEntry*>(g_room.scopes.begin());
  ScopeEntry& other = entries[kOtherScope];
  other.name = kOtherName;
  other.name_bytes = sizeof(kOtherName) - 1;
  other.class_name = "";
  other.kind = shm::ScopeKind::kRange;
  other.known = true;
  g_buckets = static_cast<std::atomic<uint32_t>*>(g_room.buckets.begin());
  g_count.store(kOtherScope + 1, std::memory_order_relaxed);
  __atomic_store_n(&g_scopes, entries, __ATOMIC_RELEASE);
  return true;
}

bool RoomForRange(size_t name_bytes) {
  return g_range_count.load(std::memory_order_relaxed) < kMaxRangeScopes &&
         g_range_text_bytes.load(std::memory_order_relaxed) + name_bytes <= kMaxRangeTextBytes;
}

// With the lock held.
uint32_t Publish(const ScopeIdentity& identity, size_t name_bytes, uint64_t hash, uint32_t bucket) {
  const uint32_t scope = g_count.load(std::memory_order_relaxed);
  if (scope >= kMaxScopes || !g_room.scopes.Open((scope + 1) * sizeof(ScopeEntry))) return 0;
  const char* name = CopyText(identity.name, name_bytes);
  if (name == nullptr) return 0;
  const size_t class_bytes = strlen(identity.class_name);
  const char* class_name = class_bytes == 0 ? "" : CopyText(identity.class_name, class_bytes);
  if (class_name == nullptr) return 0;
  ScopeEntry& entry = g_scopes[scope];
  entry.hash = hash;
  entry.parent = identity.parent;
  entry.name_bytes = static_cast<uint32_t>(name_bytes);
  entry.name = name;
  entry.domain = identity.domain;
  entry.class_name = class_name;
  entry.object = identity.object;
  entry.kind = identity.kind;
  entry.known = identity.known;
  entry.begins_steps = BeginsSteps(identity);
  const uint16_t above = identity.parent == 0 ? 0 : g_scopes[identity.parent].depth;
  entry.depth = identity.parent == 0 ? 0 : static_cast<uint16_t>(above + 1);
  g_count.store(scope + 1, std::memory_order_relaxed);
  g_buckets[bucket].store(scope, std::memory_order_release);
  return scope;
}

// The scope, or 0 when it is not there. Without the lock.
uint32_t FindScope(const ScopeIdentity& identity, size_t name_bytes, uint64_t hash) {
  if (__atomic_load_n(&g_scopes, __ATOMIC_ACQUIRE) == nullptr) return 0;
  const uint32_t bucket = FindBucket(identity, name_bytes, hash);
  return g_buckets[bucket].load(std::memory_order_acquire);
}

// The scope, added when it is not there; 0: no room. `limited`: it is to take room of ranges.
uint32_t AddScope(const ScopeIdentity& identity, size_t name_bytes, uint64_t hash, bool limited) {
  const BriefLockHolder guard(&g_lock);
  if (g_scopes == nullptr && !MakeTable()) return 0;
  const uint32_t bucket = FindBucket(identity, name_bytes, hash);
  uint32_t scope = g_buckets[bucket].load(std::memory_order_relaxed);
  if (scope != 0 || (limited && !RoomForRange(name_bytes))) return scope;
  scope = Publish(identity, name_bytes, hash, bucket);
  if (scope != 0 && limited) {
    g_range_count.fetch_add(1, std::memory_order_relaxed);
    g_range_text_bytes.fetch_add(name_bytes, std::memory_order_relaxed);
  }
  return scope;
}

// Where a range without room goes: "(other)" of the module around it, so that its work stays there.
// There is one such scope a module: they need no room of ranges.
FLOPSPROF_APART uint32_t OtherScopeIn(uint32_t parent) {
  CountLoss(shm::LossCounter::kScopeTableFull);
  while (parent != shm::kOutsideScope && g_scopes[parent].kind != shm::ScopeKind::kModule) {
    parent = g_scopes[parent].parent;
  }
  if (parent == shm::kOutsideScope) return kOtherScope;
  ScopeIdentity other;
  other.parent = parent;
  other.kind = shm::ScopeKind::kRange;
  other.name = kOtherName;
  other.name_bytes = sizeof(kOtherName) - 1;
  const uint64_t hash = HashOf(other, other.name_bytes);
  uint32_t scope = FindScope(other, other.name_bytes, hash);
  if (scope == 0) scope = AddScope(other, other.name_bytes, hash, /*limited=*/false);
  return scope != 0 ? scope : kOtherScope;
}

// With a leaked push a step ranges would get deeper for ever, and every module in them new.
bool IsTooDeep(const ScopeIdentity& identity) {
  if (identity.parent == shm::kOutsideScope) return false;
  const bool module = identity.kind == shm::ScopeKind::kModule;
  return g_scopes[identity.parent].depth >= (module ? kMaxModuleDepth : kMaxRangeDepth);
}

FLOPSPROF_APART uint32_t DeeperScopeIn(uint32_t parent) {
  CountLoss(shm::LossCounter::kScopeTooDeep);
  constexpr size_t kBytes = sizeof(kDeeperName) - 1;
  const ScopeEntry& above = g_scopes[parent];
  const bool is_deeper = above.kind == shm::ScopeKind::kRange && above.name_bytes == kBytes &&
                         memcmp(above.name, kDeeperName, kBytes) == 0;
  if (is_deeper && above.depth > kMaxRangeDepth) return parent;
  ScopeIdentity deeper;
  deeper.parent = parent;
  deeper.kind = shm::ScopeKind::kRange;
  deeper.name = kDeeperName;
  deeper.name_bytes = kBytes;
  const uint64_t hash = HashOf(deeper, kBytes);
  uint32_t scope = FindScope(deeper, kBytes, hash);
  if (scope == 0 && RoomForRange(kBytes)) scope = AddScope(deeper, kBytes, hash, /*limited=*/true);
  return scope != 0 ? scope : OtherScopeIn(parent);
}

}  // namespace

uint32_t FindOrAddScope(const ScopeIdentity& identity) {
  size_t name_bytes = identity.name_bytes;
  if (name_bytes > kMaxScopeNameBytes) {
    name_bytes = kMaxScopeNameBytes;
    CountLoss(shm::LossCounter::kBlobTooLarge);
  }
  const uint64_t hash = HashOf(identity, name_bytes);
  uint32_t scope = FindScope(identity, name_bytes, hash);
  if (scope != 0) return scope;
  if (IsTooDeep(identity)) return DeeperScopeIn(identity.parent);
  const bool range = identity.kind != shm::ScopeKind::kModule;
  // A full table is asked without the lock.
  if (!range || RoomForRange(name_bytes)) scope = AddScope(identity, name_bytes, hash, range);
  if (scope != 0) return scope;
  if (__atomic_load_n(&g_scopes, __ATOMIC_ACQUIRE) == nullptr) {
    CountLoss(shm::LossCounter::kScopeTableFull);
    return shm::kOutsideScope;
  }
  if (range) return OtherScopeIn(identity.parent);
  CountLoss(shm::LossCounter::kScopeTableFull);
  return kOtherScope;
}

void RebindScope(uint32_t scope, const char* class_name, uint64_t object) {
  if (g_scopes[scope].kind != shm::ScopeKind::kModule) return;
  const BriefLockHolder guard(&g_lock);
  ScopeEntry& entry = g_scopes[scope];
  const bool other_class = strcmp(entry.class_name, class_name) != 0;
  if (!other_class && entry.object == object) return;
  if (other_class) {
    // The old text stays: readers may hold it.
    const KeptText* kept = g_other_classes.FindOrAdd(class_name, strlen(class_name));
    if (kept == nullptr) return CountLoss(shm::LossCounter::kScopeTableFull);
    entry.class_name = kept->text;
  }
  entry.object = object;
  g_defined_epochs[scope].store(0, std::memory_order_relaxed);
}

const ScopeEntry* FindScopeEntry(uint32_t scope) {
  if (scope == shm::kOutsideScope || scope >= g_count.load(std::memory_order_relaxed)) {
    return nullptr;
  }
  return &g_scopes[scope];
}

uint32_t RootOfScope(uint32_t scope) {
  for (const ScopeEntry* entry; (entry = FindScopeEntry(scope)) != nullptr;) {
    if (entry->parent == shm::kOutsideScope) break;
    scope = entry->parent;
  }
  return scope;
}

namespace {

// False: there was no room, which is counted; it is tried again when the scope is next used.
bool SendScope(uint32_t scope, uint32_t epoch) {
  ScopeEntry& entry = g_scopes[scope];
  const char* class_name;
  uint64_t object;
  {
    const BriefLockHolder guard(&g_lock);
    class_name = entry.class_name;
    object = entry.object;
  }
  shm::ScopeRecord record = {};
  record.header.type = static_cast<uint16_t>(shm::RecordType::kScope);
  record.header.step = shm::kNoStep;
  record.scope = scope;
  record.parent = entry.parent;
  const char* domain = entry.domain == nullptr ? "" : entry.domain;
  // Defined once: without its name it would be somebody else for good.
  if (!TryInternString(entry.name, entry.name_bytes, &record.name) ||
      !TryInternString(class_name, strlen(class_name), &record.class_name) ||
      !TryInternString(domain, strlen(domain), &record.domain)) {
    return false;
  }
  record.kind = static_cast<uint8_t>(entry.kind);
  record.known = entry.known ? 1 : 0;
  record.depth = entry.depth;
  record.object = object;
  if (!EmitRecord(&record)) return false;
  g_defined_epochs[scope].store(epoch, std::memory_order_relaxed);
  return true;
}

}  // namespace

// From the outermost one inwards: a scope that is defined has only defined ones around it, so that
// those without a use of their own are not forgotten.
void DefineScope(uint32_t scope) {
  const uint32_t epoch = SessionEpoch();
  constexpr size_t kMost = kMaxModuleDepth + 1;
  uint32_t missing[kMost];
  size_t count = 0;
  for (; scope != shm::kOutsideScope && count < kMost; scope = g_scopes[scope].parent) {
    if (g_defined_epochs[scope].load(std::memory_order_relaxed) == epoch) break;
    missing[count++] = scope;
  }
  while (count > 0) {
    if (!SendScope(missing[--count], epoch)) return;
  }
}

void DefineScopesSoFar() {
  uint32_t count = 0;
  {
    const BriefLockHolder guard(&g_lock);  // entries below the count are complete
    count = g_count.load(std::memory_order_relaxed);
  }
  for (uint32_t scope = kOtherScope + 1; scope < count; ++scope) DefineScope(scope);
}

const char* InternDomain(const char* text, size_t bytes) {
  if (text == nullptr || *text == '\0' || bytes == 0) return nullptr;
  // Made with the first one: then there is room.
  const KeptText* other = g_domains.FindOrAdd(kOtherName, sizeof(kOtherName) - 1);
  const KeptText* domain = g_domains.FindOrAdd(
      text, strnlen(text, bytes < kMaxScopeNameBytes ? bytes : kMaxScopeNameBytes));
  if (domain != nullptr) return domain->text;
  CountLoss(shm::LossCounter::kScopeTableFull);
  return other == nullptr ? nullptr : other->text;
}

void ForgetDomainsForTesting() {
  g_domains.ForgetForTesting();
  g_other_classes.ForgetForTesting();
}

uint32_t ScopeCount() { return g_count.load(std::memory_order_relaxed); }

void ForgetScopeTable() {
  for (uint32_t scope = 0; scope < ScopeCount(); ++scope) {
    g_defined_epochs[scope].store(0, std::memory_order_relaxed);
  }
  g_scopes = nullptr;
  g_buckets = nullptr;
  g_room = Room();
  g_count.store(0, std::memory_order_relaxed);
  g_range_count.store(0, std::memory_order_relaxed);
  g_range_text_bytes.store(0, std::memory_order_relaxed);
}

}  // namespace flopsprof::injector

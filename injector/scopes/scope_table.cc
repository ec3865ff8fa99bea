// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/scopes/scope_table.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "injector/scopes/attribution.h"
#include "injector/scopes/spin_lock.h"

// What pthread_atfork calls; in libc itself since glibc 2.3.2.
extern "C" int __register_atfork(void (*prepare)(), void (*parent)(), void (*child)(), void* dso);
extern "C" __attribute__((visibility("hidden"))) void* __dso_handle;

namespace flopsprof::injector {

ScopeEntry* g_scopes;

namespace {

constexpr uint32_t kBuckets = kMaxScopes * 2;
constexpr uint32_t kOtherScope = 1;  // made with the table

struct DomainName {
  DomainName* next;
  char text[1];
};

SpinLock g_lock;  // adding, class_name and object of entries, domains
std::atomic<uint32_t>* g_buckets;
std::atomic<uint32_t> g_count{0};  // ids given, 0 included
uint32_t g_range_count;
DomainName* g_domains;

// Ranges come before any session and its fork guard. Without this a forked child would wait for
// ever for a thread that the fork left behind with the lock; every step of what it was doing
// leaves the table whole.
void GuardForks() {
  static std::atomic<bool> guarded{false};
  if (guarded.load(std::memory_order_acquire)) return;
  // Each thread that comes before the first has done it does it too: none may take the lock
  // without, and twice does no harm.
  __register_atfork(
      nullptr, nullptr, [] { g_lock.Unlock(); }, &__dso_handle);
  guarded.store(true, std::memory_order_release);
}

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

char* CopyText(const char* text, size_t bytes) {
  auto* copy = static_cast<char*>(malloc(bytes + 1));
  if (copy == nullptr) return nullptr;
  memcpy(copy, text, bytes);
  copy[bytes] = '\0';
  return copy;
}

void* Reserve(size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

// With the lock held.
bool MakeTable() {
  void* buckets = Reserve(kBuckets * sizeof(std::atomic<uint32_t>));
  void* scopes = Reserve(kMaxScopes * sizeof(ScopeEntry));
  if (buckets == nullptr || scopes == nullptr) return false;
  auto* entries = static_cast<ScopeEntry*>(scopes);
  ScopeEntry& other = entries[kOtherScope];
  other.name = "(other)";
  other.name_bytes = 7;
  other.class_name = "";
  other.kind = shm::ScopeKind::kRange;
  other.known = true;
  g_buckets = static_cast<std::atomic<uint32_t>*>(buckets);
  g_count.store(kOtherScope + 1, std::memory_order_relaxed);
  __atomic_store_n(&g_scopes, entries, __ATOMIC_RELEASE);
  return true;
}

// With the lock held.
uint32_t Publish(const ScopeIdentity& identity, size_t name_bytes, uint64_t hash, uint32_t bucket) {
  const bool range = identity.kind != shm::ScopeKind::kModule;
  const uint32_t scope = g_count.load(std::memory_order_relaxed);
  if (scope >= kMaxScopes || (range && g_range_count >= kMaxRangeScopes)) return 0;
  char* name = CopyText(identity.name, name_bytes);
  char* class_name = CopyText(identity.class_name, strlen(identity.class_name));
  if (name == nullptr || class_name == nullptr) {
    free(name);
    free(class_name);
    return 0;
  }
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
  const uint16_t above = identity.parent == 0 ? 0 : g_scopes[identity.parent].depth;
  entry.depth = identity.parent == 0 ? 0 : static_cast<uint16_t>(above + 1);
  g_count.store(scope + 1, std::memory_order_relaxed);
  if (range) ++g_range_count;
  g_buckets[bucket].store(scope, std::memory_order_release);
  return scope;
}

}  // namespace

uint32_t FindOrAddScope(const ScopeIdentity& identity) {
  size_t name_bytes = identity.name_bytes;
  if (name_bytes > kMaxScopeNameBytes) {
    name_bytes = kMaxScopeNameBytes;
    CountLoss(shm::LossCounter::kBlobTooLarge);
  }
  const uint64_t hash = HashOf(identity, name_bytes);
  if (__atomic_load_n(&g_scopes, __ATOMIC_ACQUIRE) != nullptr) {
    const uint32_t bucket = FindBucket(identity, name_bytes, hash);
    const uint32_t scope = g_buckets[bucket].load(std::memory_order_acquire);
    if (scope != 0) return scope;
  }
  GuardForks();
  uint32_t scope = 0;
  {
    SpinGuard guard(g_lock);
    if (g_scopes == nullptr && !MakeTable()) return shm::kOutsideScope;
    const uint32_t bucket = FindBucket(identity, name_bytes, hash);
    scope = g_buckets[bucket].load(std::memory_order_relaxed);
    if (scope == 0) scope = Publish(identity, name_bytes, hash, bucket);
  }
  if (scope != 0) return scope;
  CountLoss(shm::LossCounter::kScopeTableFull);
  return kOtherScope;
}

void RebindScope(uint32_t scope, const char* class_name, uint64_t object) {
  if (scope == kOtherScope) return;
  SpinGuard guard(g_lock);
  ScopeEntry& entry = g_scopes[scope];
  const bool other_class = strcmp(entry.class_name, class_name) != 0;
  if (!other_class && entry.object == object) return;
  if (other_class) {
    const char* copy = CopyText(class_name, strlen(class_name));
    if (copy != nullptr) entry.class_name = copy;  // the old text stays: readers may hold it
  }
  entry.object = object;
  entry.defined_epoch.store(0, std::memory_order_relaxed);
}

const ScopeEntry* FindScopeEntry(uint32_t scope) {
  if (scope == shm::kOutsideScope || scope >= g_count.load(std::memory_order_relaxed)) {
    return nullptr;
  }
  return &g_scopes[scope];
}

void DefineScope(uint32_t scope) {
  const uint32_t epoch = SessionEpoch();
  while (scope != shm::kOutsideScope) {
    ScopeEntry& entry = g_scopes[scope];
    if (entry.defined_epoch.load(std::memory_order_relaxed) == epoch) return;
    const char* class_name;
    uint64_t object;
    {
      SpinGuard guard(g_lock);
      class_name = entry.class_name;
      object = entry.object;
    }
    shm::ScopeRecord record = {};
    record.header.type = static_cast<uint16_t>(shm::RecordType::kScope);
    record.header.step = shm::kNoStep;
    record.scope = scope;
    record.parent = entry.parent;
    record.name = InternString(entry.name, entry.name_bytes);
    record.class_name = InternString(class_name);
    record.domain = entry.domain == nullptr ? shm::kNoString : InternString(entry.domain);
    record.kind = static_cast<uint8_t>(entry.kind);
    record.known = entry.known ? 1 : 0;
    record.depth = entry.depth;
    record.object = object;
    if (!EmitRecord(&record)) return;  // counted there; tried again when the scope is next used
    entry.defined_epoch.store(epoch, std::memory_order_relaxed);
    scope = entry.parent;
  }
}

void DefineScopesSoFar() {
  uint32_t count = 0;
  {
    SpinGuard guard(g_lock);  // entries below the count are complete
    count = g_count.load(std::memory_order_relaxed);
  }
  for (uint32_t scope = kOtherScope + 1; scope < count; ++scope) DefineScope(scope);
}

const char* InternDomain(const char* text) {
  if (text == nullptr || *text == '\0') return nullptr;
  const size_t bytes = strnlen(text, kMaxScopeNameBytes);
  GuardForks();
  SpinGuard guard(g_lock);
  for (DomainName* domain = g_domains; domain != nullptr; domain = domain->next) {
    if (strncmp(domain->text, text, bytes) == 0 && domain->text[bytes] == '\0') {
      return domain->text;
    }
  }
  auto* domain = static_cast<DomainName*>(malloc(sizeof(DomainName) + bytes));
  if (domain == nullptr) return nullptr;
  memcpy(domain->text, text, bytes);
  domain->text[bytes] = '\0';
  domain->next = g_domains;
  g_domains = domain;
  return domain->text;
}

uint32_t ScopeCount() { return g_count.load(std::memory_order_relaxed); }

void ForgetScopeTable() {
  g_lock.Unlock();
  g_scopes = nullptr;
  g_buckets = nullptr;
  g_count.store(0, std::memory_order_relaxed);
  g_range_count = 0;
  g_domains = nullptr;
}

}  // namespace flopsprof::injector

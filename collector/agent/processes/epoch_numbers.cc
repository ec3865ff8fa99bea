// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/processes/epoch_numbers.h"

#include <sys/random.h>
#include <unistd.h>

#include <fstream>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "collector/base/clock.h"

namespace flopsprof::agent {
namespace {

// The last step of splitmix64 (Steele, Lea, Flood 2014): each result comes of one argument.
uint64_t Mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

// FNV-1a, and mixed: images are compared by agents of any version.
uint64_t HashOf(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325ull;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  return Mix(hash);
}

std::string BootId() {
  std::string id;
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::getline(file, id);
  return id;
}

}  // namespace

EpochNumbers::EpochNumbers() : boot_id_(BootId()) {
  uint64_t random = 0;
  // Without it the other three still tell two agents apart.
  if (::getrandom(&random, sizeof random, GRND_NONBLOCK) != sizeof random) random = 0;
  const base::Clock& clock = base::Clock::Real();
  next_ = HashOf(absl::StrCat(boot_id_, "/", ::getpid(), "/", clock.UtcNs(), "/", clock.MonoNs(),
                              "/", random));
}

uint64_t EpochNumbers::Next() {
  uint64_t number = Mix(next_++);
  if (number == 0) number = Mix(next_++);
  return number;
}

uint64_t EpochNumbers::boot() const { return boot_id_.empty() ? 0 : HashOf(boot_id_); }

uint64_t EpochNumbers::ImageOf(uint64_t loaded_mono_ns) const {
  if (loaded_mono_ns == 0) return 0;
  return HashOf(absl::StrCat(boot_id_, "/", loaded_mono_ns));
}

}  // namespace flopsprof::agent

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/base/protected_pages.h"

#include <sys/mman.h>
#include <unistd.h>

#include "injector/base/brief_lock.h"

namespace flopsprof::injector {
namespace {

BriefLock protected_lock;

}  // namespace

AddressRange ProtectedRangeOf(uintptr_t begin, uintptr_t end) {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  return {begin & ~(page - 1), end & ~(page - 1)};
}

bool ProtectedWriter::Protect(int rights) const {
  return mprotect(reinterpret_cast<void*>(range_.begin), range_.end - range_.begin, rights) == 0;
}

bool ProtectedWriter::Write(void** place, void* value) {
  if (range_.Contains(place) && !open_) {
    protected_lock.Lock();
    open_ = Protect(PROT_READ | PROT_WRITE);
    if (!open_) {
      protected_lock.Unlock();
      return false;
    }
  }
  __atomic_store_n(place, value, __ATOMIC_RELEASE);
  return true;
}

ProtectedWriter::~ProtectedWriter() {
  if (!open_) return;
  Protect(PROT_READ);
  protected_lock.Unlock();
}

}  // namespace flopsprof::injector

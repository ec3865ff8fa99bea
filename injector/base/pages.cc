// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/base/pages.h"

#include <sys/mman.h>

namespace flopsprof::injector {

void* MapPages(size_t bytes) {
  void* pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return pages == MAP_FAILED ? nullptr : pages;
}

bool GrowingPages::Reserve(size_t bytes) {
  if (begin_ != nullptr || refused_) return begin_ != nullptr;
  void* pages = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  refused_ = pages == MAP_FAILED;
  if (refused_) return false;
  begin_ = static_cast<char*>(pages);
  bytes_ = bytes;
  return true;
}

bool GrowingPages::OpenMore(size_t bytes) {
  if (begin_ == nullptr || refused_ || bytes > bytes_) return false;
  size_t end = (bytes + kStepBytes - 1) / kStepBytes * kStepBytes;
  if (end > bytes_) end = bytes_;
  refused_ = mprotect(begin_ + open_bytes_, end - open_bytes_, PROT_READ | PROT_WRITE) != 0;
  if (refused_) return false;
  open_bytes_ = end;
  return true;
}

void GrowingPages::Refuse() {
  if (begin_ != nullptr) munmap(begin_, bytes_);
  begin_ = nullptr;
  open_bytes_ = 0;
  refused_ = true;
}

}  // namespace flopsprof::injector

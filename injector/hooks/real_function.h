// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The function that a hook stands in front of. Python wheels load their CUDA libraries into
// local scopes, where RTLD_NEXT does not find them: the first place to look is the scope of the
// caller.

#include <atomic>

namespace flopsprof::injector {

class RealFunction {
 public:
  // `library`: beginning of the file name of the library that has the function. Both texts must
  // live for ever.
  constexpr RealFunction(const char* name, const char* library) : name_(name), library_(library) {}

  // `caller`: an address in the object that called the hook. nullptr (counted): nowhere.
  void* Find(const void* caller) {
    // Acquire; pairs with the release in Search.
    void* found = address_.load(std::memory_order_acquire);
    return __builtin_expect(found != nullptr, 1) ? found : Search(caller);
  }

 private:
  void* Search(const void* caller);

  const char* const name_;
  const char* const library_;
  std::atomic<void*> address_{nullptr};
};

}  // namespace flopsprof::injector

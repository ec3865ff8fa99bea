// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Finds the real function behind a hook. Python wheels load their CUDA libraries into local scopes,
// where RTLD_NEXT does not find them. A process may also have two versions of a library
// (libcublas.so.12 of one package, .13 of another). So the function is looked up first in the scope
// of the calling object. A caller that got the address from dlsym, or whose table of addresses we
// have written to, comes through a door (loader/doors.h). The door says exactly which function is
// meant.

#include <stddef.h>
#include <stdint.h>

#include <atomic>

// The function behind the door that this thread has just come through; nullptr: it came through
// none. The hook resets it at once.
extern "C" __thread void* flopsprof_behind_door __attribute__((tls_model("initial-exec")));

namespace flopsprof::injector {

class RealFunction {
 public:
  // `library`: beginning of the file name of the library that has the function. `better`: another
  // name, which is preferred if a library has it. All texts must live for ever.
  constexpr RealFunction(const char* name, const char* library, const char* better = nullptr)
      : name_(name), library_(library), better_(better) {}

  // The first thing that a hook calls: returns its real function. `*caller` is the hook's return
  // address. For a call through a door it becomes the address of the real function, so that the
  // hook finds the getters of the same library by it. nullptr: no library has the function
  // (counted).
  void* Enter(const void** caller) {
    void* const behind = flopsprof_behind_door;
    if (__builtin_expect(behind != nullptr, 0)) {
      flopsprof_behind_door = nullptr;
      *caller = behind;
      return behind;
    }
    return Find(*caller);
  }

  // `caller`: an address in the calling object. nullptr: no library has the function (counted).
  void* Find(const void* caller) {
    const auto address = reinterpret_cast<uintptr_t>(caller);
    for (const Caller& known : callers_) {
      // Acquire; pairs with the release in Remember.
      void* function = known.function.load(std::memory_order_acquire);
      if (function == nullptr) break;
      if (address - known.begin.load(std::memory_order_relaxed) < known.bytes) return function;
    }
    return Search(caller);
  }

 private:
  // A calling object, and the function that its calls mean. Such an object is never unmapped,
  // because Search has opened it.
  struct Caller {
    std::atomic<uintptr_t> begin{0};  // 0: free; taken before the rest is filled in
    size_t bytes = 0;
    std::atomic<void*> function{nullptr};
  };
  static constexpr int kCallers = 16;  // beyond them each call is searched for again

  void* Search(const void* caller);
  void* SearchFor(const void* caller, const char* name) const;
  void Remember(const void* caller, void* function);

  const char* const name_;
  const char* const library_;
  const char* const better_;
  Caller callers_[kCallers];
};

}  // namespace flopsprof::injector

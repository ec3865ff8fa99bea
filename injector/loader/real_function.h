// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The function that a hook stands in front of. Python wheels load their CUDA libraries into
// local scopes, where RTLD_NEXT does not find them, and a process may hold two versions of one
// (libcublas.so.12 of one package, .13 of another): each calling object is answered from its own
// scope first. Who asked dlsym for a function, or whose table of addresses we have written to,
// comes through a door (loader/doors.h), which says exactly which function is meant.

#include <stddef.h>
#include <stdint.h>

#include <atomic>

// The function behind the door that this thread has just come through; nullptr: through none.
// Taken back by the hook at once.
extern "C" __thread void* flopsprof_behind_door __attribute__((tls_model("initial-exec")));

namespace flopsprof::injector {

class RealFunction {
 public:
  // `library`: beginning of the file name of the library that has the function. `better`: a name
  // that is taken where a library has it. All texts must live for ever.
  constexpr RealFunction(const char* name, const char* library, const char* better = nullptr)
      : name_(name), library_(library), better_(better) {}

  // For a hook, first of all: its real function. `*caller` is the hook's return address; for a
  // call through a door it becomes the real function's, so that the getters that this hook asks
  // for by it are those of the same library. nullptr (counted): nowhere.
  void* Enter(const void** caller) {
    void* const behind = flopsprof_behind_door;
    if (__builtin_expect(behind != nullptr, 0)) {
      flopsprof_behind_door = nullptr;
      *caller = behind;
      return behind;
    }
    return Find(*caller);
  }

  // `caller`: an address in the object that calls. nullptr (counted): nowhere.
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
  // One object that calls, and what its calls mean. Such an object is never unmapped: Search has
  // opened it.
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

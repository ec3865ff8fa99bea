// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Runs a function at the end of a thread, also if the thread is ending already. In the destructor
// of a pthread key it is too late for __cxa_thread_atexit_impl: what is registered there is never
// run. The destructor of a key of our own is run.

#include <dlfcn.h>
#include <pthread.h>

#include <atomic>

namespace flopsprof::injector {

class ThreadEndKey {
 public:
  // To be called once. Without this call, or if no key is free, Set fails.
  void Make(void (*end)(void*)) {
    using Create = int (*)(pthread_key_t*, void (*)(void*));
    // Not linked: up to glibc 2.33 they are in libpthread, and without it there are no threads.
    const auto create = reinterpret_cast<Create>(dlsym(RTLD_DEFAULT, "pthread_key_create"));
    const auto set = reinterpret_cast<SetSpecific>(dlsym(RTLD_DEFAULT, "pthread_setspecific"));
    if (create == nullptr || set == nullptr || create(&key_, end) != 0) return;
    set_.store(set, std::memory_order_release);
  }

  // From now on `end` is called with the object when the calling thread has ended.
  bool Set(void* object) const {
    // Acquire; pairs with the release in Make: there is a key.
    const SetSpecific set = set_.load(std::memory_order_acquire);
    return set != nullptr && set(key_, object) == 0;
  }

 private:
  using SetSpecific = int (*)(pthread_key_t, const void*);

  pthread_key_t key_ = 0;
  std::atomic<SetSpecific> set_{nullptr};
};

}  // namespace flopsprof::injector

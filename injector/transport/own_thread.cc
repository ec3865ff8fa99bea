// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/transport/own_thread.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>

#include "injector/transport/thread_state.h"

namespace flopsprof::injector {
namespace {

// pthread_create and its kin are in libpthread up to glibc 2.33; a process without it has no
// threads, and then there is none of ours either.
struct ThreadFunctions {
  int (*create)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  int (*attr_init)(pthread_attr_t*);
  int (*attr_setdetachstate)(pthread_attr_t*, int);

  bool Find() {
    create = reinterpret_cast<decltype(create)>(dlsym(RTLD_DEFAULT, "pthread_create"));
    attr_init = reinterpret_cast<decltype(attr_init)>(dlsym(RTLD_DEFAULT, "pthread_attr_init"));
    attr_setdetachstate = reinterpret_cast<decltype(attr_setdetachstate)>(
        dlsym(RTLD_DEFAULT, "pthread_attr_setdetachstate"));
    return create != nullptr && attr_init != nullptr && attr_setdetachstate != nullptr;
  }
};

void* RunAction(void* action) {
  prctl(PR_SET_NAME, "flopsprof-py", 0, 0, 0);
  if (ThreadState* thread = CurrentThread()) thread->inside_injector = true;
  reinterpret_cast<void (*)()>(action)();
  return nullptr;
}

}  // namespace

bool CreateOwnThread(void* (*run)(void*), void* argument) {
  ThreadFunctions threads;
  if (!threads.Find()) return false;
  pthread_attr_t attributes;
  if (threads.attr_init(&attributes) != 0) return false;
  threads.attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  // The default stack: a smaller one is refused where static TLS is large, and costs no less.
  // The new thread inherits the mask: it never runs one of the program's signal handlers.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &before);
  pthread_t id;
  const int failed = threads.create(&id, &attributes, run, argument);
  sigprocmask(SIG_SETMASK, &before, nullptr);
  return failed == 0;
}

bool RunOnOwnThread(void (*action)()) {
  return CreateOwnThread(RunAction, reinterpret_cast<void*>(action));
}

}  // namespace flopsprof::injector

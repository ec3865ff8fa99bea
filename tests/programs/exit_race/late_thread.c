// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Preloaded. Plays a busy machine that holds a thread of the autograd engine back, computing, once
// after backward() has returned on the main thread: up to the moment in which Python ends, and
// again where the thread asks for Python's lock.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

enum { kReturnMs = 2000, kHeldMs = 60, kPatienceMs = 20000 };

static atomic_int armed;        // the next backward() is the one
static atomic_int returned;     // that backward() has returned on the main thread
static atomic_int python_ends;  // the main thread is about to end Python
static atomic_int asks;         // the thread is where it takes Python's lock
static __thread int is_late;

static double NowMs(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

static int IsEngineThread(void) {
  char name[17] = {0};
  prctl(PR_GET_NAME, name, 0, 0, 0);
  return strncmp(name, "pt_autograd", 11) == 0;
}

static int IsPython(const void* address) {
  Dl_info info;
  if (dladdr(address, &info) == 0 || info.dli_fname == NULL) return 0;
  const char* name = strrchr(info.dli_fname, '/');
  name = name == NULL ? info.dli_fname : name + 1;
  return strncmp(name, "python", 6) == 0 || strncmp(name, "libpython", 9) == 0;
}

// The engine's loop is on the stack, and no function of the graph.
static int IsBetweenFunctions(void) {
  void* frames[64];
  const int depth = backtrace(frames, 64);
  int in_loop = 0;
  for (int i = 0; i < depth; ++i) {
    Dl_info info;
    if (dladdr(frames[i], &info) == 0 || info.dli_sname == NULL) continue;
    if (strstr(info.dli_sname, "evaluate_function") != NULL) return 0;
    if (strstr(info.dli_sname, "thread_main") != NULL) in_loop = 1;
  }
  return in_loop;
}

void late_thread_arm(void) { atomic_store(&armed, 1); }
void late_thread_returned(void) { atomic_store(&returned, 1); }

// Called with Python's lock. 1: the late thread is about to ask for it.
int late_thread_python_ends(void) {
  atomic_store(&python_ends, 1);
  const double end = NowMs() + kPatienceMs;
  while (!atomic_load(&asks) && NowMs() < end) {
  }
  return atomic_load(&asks);
}

// The calling thread has woken another one. Holds it back if that is the end of backward().
static void HoldBack(const void* caller) {
  if (!atomic_load(&armed) || is_late || IsPython(caller) || !IsEngineThread()) return;
  if (!IsBetweenFunctions()) return;
  const double soon = NowMs() + kReturnMs;
  while (!atomic_load(&returned) && NowMs() < soon) {
  }
  if (!atomic_load(&returned)) return;  // it was something else
  is_late = 1;
  const double end = NowMs() + kPatienceMs;
  while (!atomic_load(&python_ends) && NowMs() < end) {
  }
}

int pthread_cond_broadcast(pthread_cond_t* condition) {
  static int (*real)(pthread_cond_t*);
  if (real == NULL) {
    real = (int (*)(pthread_cond_t*))dlvsym(RTLD_NEXT, "pthread_cond_broadcast", "GLIBC_2.3.2");
  }
  const int result = real(condition);
  HoldBack(__builtin_return_address(0));
  return result;
}

int pthread_cond_signal(pthread_cond_t* condition) {
  static int (*real)(pthread_cond_t*);
  if (real == NULL) {
    real = (int (*)(pthread_cond_t*))dlvsym(RTLD_NEXT, "pthread_cond_signal", "GLIBC_2.3.2");
  }
  const int result = real(condition);
  HoldBack(__builtin_return_address(0));
  return result;
}

int pthread_mutex_lock(pthread_mutex_t* mutex) {
  static int (*real)(pthread_mutex_t*);
  if (real == NULL) {
    real = (int (*)(pthread_mutex_t*))dlsym(RTLD_NEXT, "pthread_mutex_lock");
  }
  if (is_late && atomic_load(&python_ends) && IsPython(__builtin_return_address(0))) {
    is_late = 0;
    atomic_store(&asks, 1);
    int (*ends)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "_Py_IsFinalizing");  // up to 3.12
    if (ends == NULL) ends = (int (*)(void))dlsym(RTLD_DEFAULT, "Py_IsFinalizing");
    const int to_the_end = getenv("LATE_THREAD_UNTIL_FINALIZING") != NULL && ends != NULL;
    const double end = NowMs() + (to_the_end ? kPatienceMs : kHeldMs);
    while (NowMs() < end && !(to_the_end && ends())) {
    }
  }
  return real(mutex);
}

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// targets KIND UNTIL [PLUGIN]: programs that are hard to attach to. Each checks its own results all
// the time; wrong ones end it with a signal. When the file UNTIL is there it prints "KIND ok" and
// ends with code 7.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char* until;
static const char* plugin;

static int Over(void) { return access(until, F_OK) == 0; }

static double Now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void Wrong(const char* what) {
  fprintf(stderr, "wrong: %s\n", what);
  abort();
}

static void* Allocate(void* seed) {
  unsigned state = (unsigned)(uintptr_t)seed * 2654435761u + 1;
  unsigned char* blocks[256] = {0};
  size_t sizes[256];
  while (!Over()) {
    for (int k = 0; k < 2000; k++) {
      state = state * 1664525 + 1013904223;
      const int i = (int)(state >> 24);
      if (blocks[i] != NULL) {
        for (size_t j = 0; j < sizes[i]; j += 97) {
          if (blocks[i][j] != (unsigned char)i) Wrong("heap");
        }
        free(blocks[i]);
        blocks[i] = NULL;
      } else {
        sizes[i] = (state & 0xff) == 7 ? 300000 : state % 3000;
        blocks[i] = malloc(sizes[i]);
        memset(blocks[i], i, sizes[i]);
      }
    }
    usleep(200);
  }
  return NULL;
}

static void* Load(void* unused) {
  (void)unused;
  for (unsigned long n = 0; !Over(); n++) {
    void* const handle = dlopen(plugin, n & 1 ? RTLD_NOW : RTLD_LAZY);
    if (handle == NULL) Wrong(dlerror());
    long (*const twice)(long) = (long (*)(long))dlsym(handle, "plugin_twice");
    for (long i = 0; i < 20; i++) {
      if (twice(i) != 2 * i) Wrong("plugin");
    }
    dlclose(handle);
    usleep(100);
  }
  return NULL;
}

static void* End(void* argument) { return argument; }

static void* MakeThreads(void* unused) {
  (void)unused;
  while (!Over()) {
    pthread_t threads[8];
    for (long i = 0; i < 8; i++) {
      if (pthread_create(&threads[i], NULL, End, (void*)i) != 0) Wrong("thread");
    }
    for (long i = 0; i < 8; i++) {
      void* result = NULL;
      if (pthread_join(threads[i], &result) != 0 || result != (void*)i) Wrong("join");
    }
  }
  return NULL;
}

static void RunThreads(int count, void* (*run)(void*)) {
  pthread_t threads[8];
  for (long i = 0; i < count; i++) pthread_create(&threads[i], NULL, run, (void*)i);
  for (int i = 0; i < count; i++) pthread_join(threads[i], NULL);
}

static volatile sig_atomic_t ticks;
static void Tick(int number) {
  (void)number;
  ticks++;
}

// Each waiting call is interrupted by a timer: EINTR, and its handler has run.
static void Interrupt(void) {
  struct sigaction action = {.sa_handler = Tick};
  sigaction(SIGALRM, &action, NULL);
  struct itimerval timer = {{0, 1000}, {0, 1000}};
  setitimer(ITIMER_REAL, &timer, NULL);
  for (unsigned long n = 0; !Over(); n++) {
    const double begin = Now();
    const int before = ticks;
    const struct timespec five = {0, 5000000};
    struct timeval wait = {0, 5000};
    sigset_t none;
    sigemptyset(&none);
    int result = 0;
    if (n % 4 == 0) result = nanosleep(&five, NULL);
    if (n % 4 == 1) result = select(0, NULL, NULL, NULL, &wait);
    if (n % 4 == 2) result = pause();
    if (n % 4 == 3) result = sigsuspend(&none);
    const int error = errno;
    if (result != -1 && Now() - begin < 0.004) Wrong("neither time nor a signal");
    if (result == -1 && error != EINTR) Wrong("errno");
    if (result == -1 && ticks == before) Wrong("EINTR without a signal");
  }
}

static void Fork(void) {
  while (!Over()) {
    const pid_t child = fork();
    if (child == 0) {  // of a process that may have a thread of ours
      for (int i = 0; i < 50; i++) free(malloc((size_t)(1000 + i * 50)));
      void* const handle = dlopen(plugin, RTLD_NOW);
      _exit(handle != NULL && dlsym(handle, "plugin_twice") != NULL ? 0 : 9);
    }
    int status = 0;
    const double begin = Now();
    while (waitpid(child, &status, WNOHANG) == 0) {
      if (Now() - begin > 20) Wrong("a child hangs");
      usleep(100);
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) Wrong("child");
  }
}

// The result of nanosleep is seen, and vector registers are live in between.
static void Sleep(void) {
  double x[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  while (!Over()) {
    const double begin = Now();
    const struct timespec wait = {0, 3000000};
    if (nanosleep(&wait, NULL) != 0) Wrong("nanosleep");
    if (Now() - begin < 0.003) Wrong("too short a sleep");
    for (int k = 0; k < 100; k++) {
      for (int i = 0; i < 8; i++) x[i] = x[i] * 0.5 + (i + 1) * 0.5;
    }
    for (int i = 0; i < 8; i++) {
      if (x[i] != i + 1) Wrong("arithmetic");
    }
  }
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const char* const kind = argv[1];
  until = argv[2];
  plugin = argc > 3 ? argv[3] : NULL;
  puts("runs");
  fflush(stdout);
  if (strcmp(kind, "malloc") == 0) RunThreads(4, Allocate);
  if (strcmp(kind, "dlopen") == 0) RunThreads(3, Load);
  if (strcmp(kind, "threads") == 0) RunThreads(2, MakeThreads);
  if (strcmp(kind, "signals") == 0) Interrupt();
  if (strcmp(kind, "fork") == 0) Fork();
  if (strcmp(kind, "sleep") == 0) Sleep();
  printf("%s ok\n", kind);
  return 7;
}

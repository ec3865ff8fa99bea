// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Reaches cuBLAS in the ways that its arguments say, one after the other. Each `WAY=m` makes one
// product of m x 2 x 3; LINKED: the program itself is linked with the library.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cublas_calls.h"

int cuInit(unsigned flags);

int (*registered)(int);  // by a plugin's constructor
static const char* path;
static int mode = RTLD_NOW | RTLD_LOCAL;

static void fail(const char* what) {
  fprintf(stderr, "caller: %s: %s\n", what, dlerror());
  exit(3);
}

static void* opened(void) {
  void* library = dlopen(path, mode);
  if (library == NULL) fail(path);
  return library;
}

static void* found(void* handle, const char* name) {
  void* function = dlsym(handle, name);
  if (function == NULL) fail(name);
  return function;
}

static void init(const char* unused) { cuInit(0); }
static void set_path(const char* value) { path = value; }
static void set_deepbind(const char* on) {
  mode = (atoi(on) ? RTLD_DEEPBIND : 0) | RTLD_NOW | RTLD_LOCAL;
}
static void set_lazy(const char* unused) { mode = RTLD_LAZY | RTLD_LOCAL; }
static void set_global(const char* unused) { mode = RTLD_NOW | RTLD_GLOBAL; }

static void by_handle(void* handle, const char* m) {
  product_by((create_function)found(handle, "cublasCreate_v2"),
             (gemm_function)found(handle, "cublasSgemm_v2"), atoi(m));
}

static void by_dlsym(const char* m) { by_handle(opened(), m); }
static void by_default(const char* m) { by_handle(RTLD_DEFAULT, m); }
static void by_program(const char* m) { by_handle(dlopen(NULL, RTLD_LAZY), m); }

static void by_dlvsym(const char* m) {
  void* library = opened();
  void* create = dlvsym(library, "cublasCreate_v2", "libcublas.so.13");
  void* gemm = dlvsym(library, "cublasSgemm_v2", "libcublas.so.13");
  if (create == NULL || gemm == NULL) fail("dlvsym");
  product_by((create_function)create, (gemm_function)gemm, atoi(m));
}

static void by_plugin(const char* m) { ((int (*)(int))found(opened(), "run"))(atoi(m)); }

static void by_registered(const char* m) {
  registered = NULL;
  opened();
  registered(atoi(m));
}

// Opens it, and makes the product in a way of XLA's: a table that is filled once.
static struct {
  create_function create;
  gemm_function gemm;
} table;

static void fill(const char* unused) {
  void* library = opened();
  table.create = (create_function)found(library, "cublasCreate_v2");
  table.gemm = (gemm_function)found(library, "cublasSgemm_v2");
}

static void by_table(const char* m) { product_by(table.create, table.gemm, atoi(m)); }

static void in_namespace(const char* m) {
  void* library = dlmopen(LM_ID_NEWLM, path, RTLD_NOW);
  if (library == NULL) fail("dlmopen");
  ((int (*)(int))found(library, "run"))(atoi(m));
}

static void say(const void* result) { printf("%s\n", result == NULL ? dlerror() : "found"); }

// What dlsym, dlopen and dlerror say of what is not there.
static void missing(const char* name) {
  say(dlsym(opened(), name));
  printf("%d %d\n", dlsym(RTLD_NEXT, name) == NULL, dlsym(RTLD_DEFAULT, name) == NULL);
  printf("%d\n", dlsym(dlopen(NULL, RTLD_LAZY), name) == NULL);
  printf("%s\n", dlerror() == NULL ? "no error" : "error");
  say(dlopen("/nowhere/libcublas.so", RTLD_NOW));
}

// Is what dlsym gives for the same handle always the same, and that of two handles different?
static void same(const char* other) {
  void* first = found(opened(), "cublasSgemm_v2");
  void* again = found(opened(), "cublasSgemm_v2");
  path = other;
  printf("%d %d\n", first == again, first == found(opened(), "cublasSgemm_v2"));
}

// Threads that load, use and unload a plugin at the same time.
static void* load_and_unload(void* rounds) {
  for (int i = atoi((const char*)rounds); i > 0; --i) {
    void* library = opened();
    if (((int (*)(int))found(library, "run"))(5) != 0) abort();
    dlclose(library);
  }
  return NULL;
}

static void storm(const char* rounds) {
  pthread_t ids[4];
  for (int i = 0; i < 4; ++i) pthread_create(&ids[i], NULL, load_and_unload, (void*)rounds);
  for (int i = 0; i < 4; ++i) pthread_join(ids[i], NULL);
}

static double now_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

// Prints ns a call of dlsym for a name that no hook has, and the microseconds of a first dlopen.
static void speed(const char* rounds) {
  const int n = atoi(rounds);
  double begin = now_us();
  void* library = opened();
  const double open_us = now_us() - begin;
  begin = now_us();
  for (int i = 0; i < n; ++i) found(library, "run");
  printf("dlopen_us %.1f dlsym_ns %.1f\n", open_us, (now_us() - begin) * 1e3 / n);
}

#ifdef LINKED
static void by_link(const char* m) { product_by(cublasCreate_v2, cublasSgemm_v2, atoi(m)); }

// Prints the library that the program's own slot of cublasSgemm_v2 leads to, and the rights of
// the slot's page.
static void** own_slot(void) {
  void** slot;
  __asm__("lea cublasSgemm_v2@GOTPCREL(%%rip), %0" : "=r"(slot));
  return slot;
}

static const char* target(void) {
  Dl_info object;
  if (dladdr(*(void* volatile*)own_slot(), &object) == 0) return "nowhere";
  return strrchr(object.dli_fname, '/') + 1;
}

static void where(const char* unused) {
  char line[512], rights[8] = "";
  FILE* maps = fopen("/proc/self/maps", "r");
  while (fgets(line, sizeof line, maps) != NULL) {
    unsigned long begin, end;
    char these[8];
    sscanf(line, "%lx-%lx %7s", &begin, &end, these);
    const unsigned long slot = (unsigned long)own_slot();
    if (slot >= begin && slot < end) strcpy(rights, these);
  }
  fclose(maps);
  printf("%s %s\n", target(), rights);
}

// Until the slot leads there, five seconds at most.
static void await_target(const char* library) {
  for (int i = 0; i < 500 && strcmp(target(), library) != 0; ++i) usleep(10000);
}

static void nested(const char* m) {
  const float one = 1.0f;
  void* handle = NULL;
  cublasCreate_v2(&handle);
  cublasSgemmStridedBatched(handle, 0, 0, atoi(m), 2, 3, &one, NULL, 8, 0, NULL, 8, 0, &one, NULL,
                            8, 0, 5);
}
#endif

static const struct {
  const char* name;
  void (*run)(const char* argument);
} ways[] = {
    {"init", init},
    {"path", set_path},
    {"deepbind", set_deepbind},
    {"lazy", set_lazy},
    {"global", set_global},
    {"dlsym", by_dlsym},
    {"dlvsym", by_dlvsym},
    {"default", by_default},
    {"program", by_program},
    {"plugin", by_plugin},
    {"registered", by_registered},
    {"fill", fill},
    {"table", by_table},
    {"namespace", in_namespace},
    {"missing", missing},
    {"same", same},
    {"storm", storm},
    {"speed", speed},
#ifdef LINKED
    {"link", by_link},
    {"nested", nested},
    {"where", where},
    {"await", await_target},
#endif
};

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    char* argument = strchr(argv[i], '=');
    if (argument != NULL) *argument++ = '\0';
    size_t a = 0;
    while (a < sizeof ways / sizeof ways[0] && strcmp(ways[a].name, argv[i]) != 0) ++a;
    if (a == sizeof ways / sizeof ways[0]) return 99;
    ways[a].run(argument == NULL ? "" : argument);
  }
  return 0;
}

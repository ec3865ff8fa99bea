// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// A program that does what its arguments say, one after the other: see the table at the end.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int cublasSgemm_v2(void*, int, int, int, int, int, const float*, const float*, int, const float*,
                   int, const float*, float*, int);
int cublasSgemv_v2(void*, int, int, int, const float*, const float*, int, const float*, int,
                   const float*, float*, int);

static void gemm(const char* unused) {
  float alpha = 2.0f, beta = 3.0f;
  int status =
      cublasSgemm_v2((void*)1, 0, 1, 11, 12, 13, &alpha, NULL, 101, NULL, 102, &beta, NULL, 103);
  if (status != 0) printf("gemm: %d\n", status);
}

static void gemv(const char* transposed) {
  float one = 1.0f;
  cublasSgemv_v2((void*)1, atoi(transposed), 7, 9, &one, NULL, 7, NULL, 1, &one, NULL, 1);
}

int cudnnBackendExecute(void*, void*, void*);
int cudnnBackendPopulateCudaGraph(void*, void*, void*, void*);
int cudnnBackendDestroyDescriptor(void*);
int cudnnBackendSetAttribute(void*, int, int, int64_t, void*);
int cudnnBackendGetAttribute(void*, int, int, int64_t, int64_t*, void*);
long cudnn_json_asked(void);

// Executes a plan: its number is its address.
static void execute(const char* plan) {
  cudnnBackendExecute((void*)1, (void*)(atol(plan) * 16), (void*)1);
}

int cudnnRNNForwardTraining(void*, void*, int, void**, void*, void*, void*, void*, void*, void*,
                            void*, void**, void*, void*, void*, void*, void*, void*, size_t, void*,
                            size_t);
int cudnnRNNBackwardWeightsEx(void*, void*, void*, void*, void*, void*, void*, void*, void*, size_t,
                              void*, void*, void*, size_t);

// One time step for each digit, with so many sequences.
static void old_rnn(const char* digits) {
  void* steps[16];
  int count = 0;
  for (; digits[count] != 0 && count < 16; ++count)
    steps[count] = (void*)(long)(digits[count] - '0');
  void* one = (void*)1;
  int status = cudnnRNNForwardTraining(one, one, count, steps, 0, 0, 0, 0, 0, 0, 0, steps, 0, 0, 0,
                                       0, 0, 0, 77, 0, 88);
  if (status != 0) printf("old_rnn: %d\n", status);
}

static void old_rnn_ex(const char* unused) {
  void* one = (void*)1;
  int status = cudnnRNNBackwardWeightsEx(one, one, one, 0, 0, 0, one, 0, 0, 77, 0, 0, 0, 88);
  if (status != 0) printf("old_rnn_ex: %d\n", status);
}

// Builds a plan as programs do: operation, graph, heuristics, configuration, plan.
static void build(const char* plan) {
  enum { kOperation = 1, kGraph, kHeuristics, kConfiguration };
  static char made[5];
  void* parts[5];
  for (int i = 0; i < 5; ++i) parts[i] = &made[i];
  int64_t count = 0;
  const int descriptor = 15;  // CUDNN_TYPE_BACKEND_DESCRIPTOR
  cudnnBackendSetAttribute(parts[kGraph], 801, descriptor, 1, &parts[kOperation]);
  cudnnBackendSetAttribute(parts[kHeuristics], 201, descriptor, 1, &parts[kGraph]);
  cudnnBackendGetAttribute(parts[kHeuristics], 202, descriptor, 1, &count, &parts[kConfiguration]);
  cudnnBackendSetAttribute((void*)(atol(plan) * 16), 401, descriptor, 1, &parts[kConfiguration]);
  for (int i = 1; i < 5; ++i) cudnnBackendDestroyDescriptor(parts[i]);
}

// As PyTorch's cache does it: each of `count` plans is executed twice, then the oldest of more than
// 10,000 is destroyed; those that live are executed twice more.
static void many_plans(const char* text) {
  const long count = atol(text), alive = 10000;
  for (long plan = 1; plan <= count; ++plan) {
    for (int i = 0; i < 2; ++i) cudnnBackendExecute((void*)1, (void*)(plan * 16), (void*)1);
    if (plan > alive) cudnnBackendDestroyDescriptor((void*)((plan - alive) * 16));
  }
  const long asked = cudnn_json_asked();
  for (int i = 0; i < 2; ++i) {
    for (long plan = count - alive + 1; plan <= count; ++plan) {
      cudnnBackendExecute((void*)1, (void*)(plan * 16), (void*)1);
    }
  }
  printf("asked %ld, then %ld\n", asked, cudnn_json_asked() - asked);
}

static void asked(const char* unused) { printf("asked %ld\n", cudnn_json_asked()); }

// Sizes are given with `version`'s layout: "vectors", or "other": three words that lead nowhere.
static void override_sizes(const char* layout) {
  enum { kInt64 = 3, kPointer = 6, kIds = 1010, kShapes = 1011 };
  static int64_t ids[1] = {1}, sizes[2] = {5, 8};
  int64_t* shape[3] = {sizes, sizes + 2, sizes + 2};
  void* shapes[3] = {shape, shape + 3, shape + 3};
  const uintptr_t nowhere[3] = {4096, 4096 + 24, 4096 + 24};
  const int other = strcmp(layout, "other") == 0;
  void* const pack = (void*)1;
  cudnnBackendSetAttribute(pack, kIds, kInt64, 1, ids);
  cudnnBackendSetAttribute(pack, kShapes, kPointer, 1, other ? (void*)nowhere : (void*)shapes);
}

static void populate(const char* plan) {
  cudnnBackendPopulateCudaGraph((void*)1, (void*)(atol(plan) * 16), (void*)1, (void*)0x1230);
}

static void destroy(const char* plan) { cudnnBackendDestroyDescriptor((void*)(atol(plan) * 16)); }

static void gemms(const char* count) {
  for (int i = atoi(count); i > 0; --i) gemm(NULL);
}

static void sleep_ms(const char* ms) { usleep((useconds_t)atoi(ms) * 1000); }

static int sockets_made;

// In place of libc's: also what the injector asks for comes here.
__attribute__((visibility("default"))) int socket(int domain, int type, int protocol) {
  __atomic_fetch_add(&sockets_made, 1, __ATOMIC_RELAXED);
  return (int)syscall(SYS_socket, domain, type, protocol);
}

static void sockets(const char* unused) {
  printf("sockets: %d\n", __atomic_load_n(&sockets_made, __ATOMIC_RELAXED));
  fflush(stdout);
}

static void in_child(const char* what) {
  pid_t child = fork();
  if (child == 0) {
    gemm(NULL);
    if (strcmp(what, "exit") == 0) exit(0);
    _exit(0);
  }
  waitpid(child, NULL, 0);
}

static void in_vfork(const char* unused) {
  pid_t child = vfork();
  if (child == 0) _exit(0);
  waitpid(child, NULL, 0);
}

// A child that outlives its parent by half a second.
static void orphan(const char* unused) {
  if (fork() == 0) {
    usleep(500000);
    _exit(0);
  }
}

static pthread_barrier_t barrier;

static void* thread_of_many(void* unused) {
  gemm(NULL);
  pthread_barrier_wait(&barrier);
  return NULL;
}

static void threads(const char* count) {
  const int n = atoi(count);
  pthread_t ids[512];
  pthread_barrier_init(&barrier, NULL, (unsigned)n);
  for (int i = 0; i < n; ++i) pthread_create(&ids[i], NULL, thread_of_many, NULL);
  for (int i = 0; i < n; ++i) pthread_join(ids[i], NULL);
}

static pthread_key_t at_thread_end;

static void* thread_with_destructor(void* unused) {
  gemm(NULL);
  pthread_setspecific(at_thread_end, "");  // calls gemm again, after all other destructors
  return NULL;
}

static void call_gemm(void* unused) { gemm(NULL); }

// So many threads, one after the other, each with a call from the destructor of a pthread key.
static void destructors(const char* count) {
  pthread_key_create(&at_thread_end, call_gemm);
  gemm(NULL);
  for (int i = atoi(count); i > 0; --i) {
    pthread_t id;
    pthread_create(&id, NULL, thread_with_destructor, NULL);
    pthread_join(id, NULL);
    usleep(20000);
  }
}

// Prints "threads descriptors": as the kernel lists them.
static void look(const char* unused) {
  char command[128];
  fflush(stdout);
  snprintf(command, sizeof command, "ls /proc/%d/task | wc -l; ls /proc/%d/fd | wc -l", getpid(),
           getpid());
  unsetenv("LD_PRELOAD");
  if (system(command) != 0) abort();
}

// Prints milliseconds that so many calls took at most.
static void slowest(const char* count) {
  double worst = 0;
  for (int i = atoi(count); i > 0; --i) {
    struct timespec a, b;
    clock_gettime(CLOCK_MONOTONIC, &a);
    gemm(NULL);
    clock_gettime(CLOCK_MONOTONIC, &b);
    double ms = (double)(b.tv_sec - a.tv_sec) * 1e3 + (double)(b.tv_nsec - a.tv_nsec) / 1e6;
    if (ms > worst) worst = ms;
  }
  printf("slowest %.3f ms\n", worst);
}

// Prints how many calls into libcupti the rest of the exit saw, two seconds of it. Before the
// first call, so that the handler runs after the injector's.
extern int cupti_calls;

static void count_cupti_calls(void) {
  const int before = cupti_calls;
  usleep(2200000);
  printf("cupti calls at exit: %d\n", cupti_calls - before);
}

static void linger(const char* unused) { atexit(count_cupti_calls); }

int cudaGetDeviceCount(int*);

// A call that shows that CUDA is up.
static void cuda(const char* unused) {
  int count = 0;
  if (cudaGetDeviceCount(&count) != 0) abort();
}

extern volatile int cupti_flushes;

// Until one begins, and a little longer.
static void await_flush(const char* unused) {
  while (cupti_flushes != 0) usleep(1000);
  while (cupti_flushes == 0) usleep(1000);
  usleep(20000);
}

static void keep_errno(const char* unused) {
  errno = 77;
  gemm(NULL);
  printf("errno %d\n", errno);
}

// Prints what a plugin's call of its own libcublas returns.
static void plugin(const char* path) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  int (*call)(void) = library == NULL ? NULL : (int (*)(void))dlsym(library, "call");
  printf("%s: %d\n", path, call == NULL ? -1 : call());
}

// From here on a thread is inside of dlopen, for five seconds.
static void* load_slowly(void* unused) {
  if (dlopen("slow_plugin.so", RTLD_NOW) == NULL) abort();
  return NULL;  // no tail call: the loader looks where the caller's file says
}

static void hold_loader(const char* unused) {
  pthread_t id;
  pthread_create(&id, NULL, load_slowly, NULL);
  usleep(200000);
}

__attribute__((weak)) void flopsprof_push(const char* name);

// As a daemon does: closes every descriptor, then uses the numbers for pipes of its own. Prints
// how many of them somebody has read from, written to or closed before long.
static void reuse_descriptors(const char* ms) {
  enum { kPipes = 16 };
  int ends[kPipes][2];
  for (int fd = 3; fd < 256; ++fd) close(fd);
  for (int i = 0; i < kPipes; ++i) {
    if (pipe(ends[i]) != 0 || write(ends[i][1], "x", 1) != 1) abort();
  }
  usleep((useconds_t)atoi(ms) * 1000);
  int touched = 0;
  for (int i = 0; i < kPipes; ++i) {
    char bytes[32];
    if (read(ends[i][0], bytes, sizeof bytes) != 1 || bytes[0] != 'x') ++touched;
  }
  printf("touched: %d\n", touched);
  fflush(stdout);
}

static void push(const char* name) {
  if (flopsprof_push != NULL) flopsprof_push(name);
}

__attribute__((weak)) void flopsprof_pop(void);

// So many ranges that are entered and left.
static void scopes(const char* count) {
  char name[32];
  for (int i = 0; i < atoi(count); ++i) {
    snprintf(name, sizeof name, "scope %d", i);
    if (flopsprof_push != NULL) flopsprof_push(name);
    gemm(NULL);
    if (flopsprof_pop != NULL) flopsprof_pop();
  }
}

static void* push_new_names(void* unused) {
  char name[32];
  for (unsigned i = 0;; ++i) {
    snprintf(name, sizeof name, "name %u", i);
    flopsprof_push(name);
    flopsprof_pop();
  }
  return NULL;
}

// Prints how many of so many forked children get stuck in a range, while two threads of this
// process enter new ones.
static void fork_in_ranges(const char* count) {
  int stuck = 0;
  pthread_t id;
  pthread_create(&id, NULL, push_new_names, NULL);
  pthread_create(&id, NULL, push_new_names, NULL);
  for (int i = atoi(count); i > 0; --i) {
    pid_t child = fork();
    if (child == 0) {
      alarm(20);  // one that is stuck stays so; one may be slow beside other work
      flopsprof_push("name of the child");
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (status != 0) ++stuck;
  }
  printf("stuck children: %d\n", stuck);
}

// kB of memory and of address space, and descriptors, that this process has.
static void measure(long* rss, long* size, long* descriptors) {
  char line[256];
  FILE* status = fopen("/proc/self/status", "r");
  while (status != NULL && fgets(line, sizeof line, status) != NULL) {
    if (strncmp(line, "VmRSS:", 6) == 0) *rss = atol(line + 6);
    if (strncmp(line, "VmSize:", 7) == 0) *size = atol(line + 7);
  }
  if (status != NULL) fclose(status);
  *descriptors = 0;
  for (int fd = 0; fd < 1024; ++fd) *descriptors += fcntl(fd, F_GETFD) >= 0;
}

static void* few_gemms(void* unused) {
  for (int i = 0; i < 25; ++i) gemm(NULL);
  return NULL;
}

// For so many seconds: four threads at a time that call and end. Prints the calls, and what the
// process has grown by since the first second or so.
static void steady(const char* seconds) {
  const time_t end = time(NULL) + atoi(seconds);
  long calls = 0, before[3] = {0}, after[3] = {0};
  for (long turn = 0; time(NULL) < end; ++turn) {
    pthread_t ids[4];
    for (int i = 0; i < 4; ++i) pthread_create(&ids[i], NULL, few_gemms, NULL);
    for (int i = 0; i < 4; ++i) pthread_join(ids[i], NULL);
    calls += 100;
    usleep(20000);
    if (turn == 100) measure(&before[0], &before[1], &before[2]);
  }
  measure(&after[0], &after[1], &after[2]);
  printf("%ld calls; grown: %ld kB, %ld kB addresses, %ld descriptors\n", calls,
         after[0] - before[0], after[1] - before[1], after[2] - before[2]);
}

// This program once more, in the same process, with one action.
static void again(const char* action) {
  execl("/proc/self/exe", "again", action, (char*)NULL);
  perror("execl");
}

static void leave_exit(const char* status) { exit(atoi(status)); }
static void leave__exit(const char* status) { _exit(atoi(status)); }
static void leave__Exit(const char* status) { _Exit(atoi(status)); }
static void leave_quick_exit(const char* status) { quick_exit(atoi(status)); }
static void leave_abort(const char* unused) { abort(); }
static void leave_signal(const char* number) { raise(atoi(number)); }

static const struct {
  const char* name;
  void (*run)(const char* argument);
} actions[] = {
    {"gemm", gemm},
    {"gemv", gemv},
    {"gemms", gemms},
    {"execute", execute},
    {"many_plans", many_plans},
    {"asked", asked},
    {"override", override_sizes},
    {"build", build},
    {"old_rnn", old_rnn},
    {"old_rnn_ex", old_rnn_ex},
    {"populate", populate},
    {"destroy", destroy},
    {"sleep", sleep_ms},
    {"sockets", sockets},
    {"fork", in_child},
    {"vfork", in_vfork},
    {"orphan", orphan},
    {"threads", threads},
    {"look", look},
    {"slowest", slowest},
    {"linger", linger},
    {"cuda", cuda},
    {"await_flush", await_flush},
    {"errno", keep_errno},
    {"plugin", plugin},
    {"hold_loader", hold_loader},
    {"destructors", destructors},
    {"push", push},
    {"scopes", scopes},
    {"reuse_descriptors", reuse_descriptors},
    {"fork_in_ranges", fork_in_ranges},
    {"steady", steady},
    {"again", again},
    {"exit", leave_exit},
    {"_exit", leave__exit},
    {"_Exit", leave__Exit},
    {"quick_exit", leave_quick_exit},
    {"abort", leave_abort},
    {"signal", leave_signal},
};

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    char* argument = strchr(argv[i], '=');
    if (argument != NULL) *argument++ = '\0';
    size_t a = 0;
    while (a < sizeof actions / sizeof actions[0] && strcmp(actions[a].name, argv[i]) != 0) ++a;
    if (a == sizeof actions / sizeof actions[0]) return 99;
    actions[a].run(argument == NULL ? "" : argument);
  }
  return 0;
}

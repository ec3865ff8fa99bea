// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Preloaded before the injector: tells of each allocation, call of the loader and system call that
// the injector's code makes, itself or by what it calls, while launch_path_watch(1) is in force.
//
// The library that is watched is the one that ships. An event is the injector's if its code is on
// the stack; what is written down is the innermost place of it and the function that it called
// there, so that the reader can tell a hook's own work from the library's function behind the hook.
// System calls are caught as such (Syscall User Dispatch, Linux 5.11), whoever makes them and how.
//
//   gcc -shared -fPIC -O1 watch.c -o watch.so
//   LAUNCH_PATH_OUT=FILE: KIND, offset in the injector, object and function it called, count
//   LAUNCH_PATH_AGAIN=N: main() runs once, and N times more, watched
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#endif

extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);
extern void* __libc_memalign(size_t, size_t);
extern void __libc_free(void*);
extern void* __libc_stack_end;

// System calls from here are never caught.
long launch_path_raw(long number, long a, long b, long c, long d, long e, long f);
void launch_path_restorer(void);
extern char launch_path_free_begin[], launch_path_free_end[];
__asm__(
    ".text\n"
    ".globl launch_path_free_begin\nlaunch_path_free_begin:\n"
    ".globl launch_path_raw\n.type launch_path_raw, @function\nlaunch_path_raw:\n"
    "mov %rdi, %rax\nmov %rsi, %rdi\nmov %rdx, %rsi\nmov %rcx, %rdx\nmov %r8, %r10\n"
    "mov %r9, %r8\nmov 8(%rsp), %r9\nsyscall\nret\n"
    "nop\n"
    ".globl launch_path_restorer\n.type launch_path_restorer, @function\nlaunch_path_restorer:\n"
    "mov $15, %rax\nsyscall\n"
    ".globl launch_path_free_end\nlaunch_path_free_end:\nnop\n");

enum { kScanned = 16384, kEvents = 4096, kAllow = 0, kBlock = 1 };

struct event {
  const char* kind;
  long number;  // of the system call
  uintptr_t place;
  uintptr_t callee;  // an address in it
  unsigned count;
};

static volatile int watching;
static uintptr_t begin, end;  // of the injector
static struct event events[kEvents];
static int event_count;
static volatile int event_lock;
static unsigned long allocations, system_calls, watched_threads;

static __thread volatile char selector __attribute__((tls_model("initial-exec")));
static __thread char armed __attribute__((tls_model("initial-exec")));   // 1: yes, 2: never
static __thread char inside __attribute__((tls_model("initial-exec")));  // of this file

static int is_injectors(uintptr_t address) { return address >= begin && address < end; }

static int visit(struct dl_phdr_info* info, size_t bytes, void* data) {
  (void)bytes, (void)data;
  if (strstr(info->dlpi_name, "libflopsprof_inject.so") == NULL) return 0;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    if (info->dlpi_phdr[i].p_type != PT_LOAD || !(info->dlpi_phdr[i].p_flags & PF_X)) continue;
    begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
    end = begin + info->dlpi_phdr[i].p_memsz;
  }
  return 1;
}

struct walk {
  uintptr_t place, callee;
  uintptr_t before;
};

static _Unwind_Reason_Code step(struct _Unwind_Context* context, void* data) {
  struct walk* walk = data;
  const uintptr_t pc = _Unwind_GetIP(context);
  if (is_injectors(pc)) {
    walk->place = pc;
    walk->callee = walk->before;
    return _URC_END_OF_STACK;
  }
  walk->before = pc;
  return _URC_NO_REASON;
}

static void note(const char* kind, long number, uintptr_t place, uintptr_t callee) {
  while (__atomic_exchange_n(&event_lock, 1, __ATOMIC_ACQUIRE)) {
  }
  int i = 0;
  while (i < event_count &&
         !(events[i].kind == kind && events[i].number == number && events[i].place == place)) {
    i++;
  }
  if (i == event_count && event_count < kEvents) {
    events[event_count++] = (struct event){kind, number, place, callee, 0};
  }
  if (i < kEvents) events[i].count++;
  __atomic_store_n(&event_lock, 0, __ATOMIC_RELEASE);
}

// `stack`: from here outward return addresses lie. Most events are the program's: no word of the
// injector is near, and no frame is unwound.
static void see(const char* kind, long number, const uintptr_t* stack) {
  if (inside || begin == 0) return;
  // A thread's own block lies above its stack.
  const uintptr_t thread = (uintptr_t)__builtin_thread_pointer();
  uintptr_t top = (uintptr_t)__libc_stack_end;
  if ((uintptr_t)stack >= top || (thread > (uintptr_t)stack && thread < top)) top = thread;
  int near = 0;
  for (int i = 0; i < kScanned / 8 && !near && (uintptr_t)(stack + i + 1) <= top; i++) {
    near = is_injectors(stack[i]);
  }
  if (!near) return;
  inside = 1;
  struct walk walk = {0, 0, 0};
  _Unwind_Backtrace(step, &walk);
  if (walk.place != 0) note(kind, number, walk.place, walk.callee);
  inside = 0;
}

static void on_system_call(int signal, siginfo_t* info, void* context) {
  (void)signal;
  ucontext_t* at = context;
  greg_t* r = at->uc_mcontext.gregs;
  const long number = info->si_syscall;
  const int error = errno;
  selector = kAllow;
  if (watching) {
    system_calls++;
    see("system call", number, (const uintptr_t*)r[REG_RSP]);
  }
  errno = error;
  if (!watching) return (void)(r[REG_RIP] -= 2, r[REG_RAX] = number);
  if (number == SYS_clone || number == SYS_clone3 || number == SYS_vfork || number == SYS_fork ||
      number == SYS_rt_sigreturn || number == SYS_execve) {
    armed = 0;  // made again as it is; the next allocation arms the thread again
    r[REG_RIP] -= 2;
    r[REG_RAX] = number;
    return;
  }
  if (number == SYS_rt_sigprocmask) {
    // The mask is that of the frame we return to; SIGSYS stays open.
    uint64_t* mask = (uint64_t*)&at->uc_sigmask;
    const uint64_t before = *mask;
    if (r[REG_RSI] != 0) {
      const uint64_t set = *(const uint64_t*)r[REG_RSI] & ~(1ull << (SIGSYS - 1));
      *mask = r[REG_RDI] == SIG_BLOCK     ? before | set
              : r[REG_RDI] == SIG_UNBLOCK ? before & ~set
                                          : set;
    }
    if (r[REG_RDX] != 0) *(uint64_t*)r[REG_RDX] = before;
    r[REG_RAX] = 0;
  } else {
    r[REG_RAX] = launch_path_raw(number, r[REG_RDI], r[REG_RSI], r[REG_RDX], r[REG_R10], r[REG_R8],
                                 r[REG_R9]);
  }
  selector = kBlock;
}

// The calling thread's system calls are caught from now on.
static void arm(void) {
  uint64_t mask = 0;
  launch_path_raw(SYS_rt_sigprocmask, SIG_BLOCK, 0, (long)&mask, 8, 0, 0);
  if (mask & 1ull << (SIGSYS - 1)) {  // a thread that takes no signals: not the program's
    armed = 2;
    return;
  }
  armed = 1;
  const long refused =
      launch_path_raw(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, 1, (long)launch_path_free_begin,
                      launch_path_free_end - launch_path_free_begin, (long)&selector, 0);
  if (refused == 0) {
    __atomic_add_fetch(&watched_threads, 1, __ATOMIC_RELAXED);
    selector = kBlock;
  }
}

static inline void on_allocation(const char* kind) {
  if (!watching || inside) return;
  if (!armed) arm();
  if (armed == 2) return;
  allocations++;
  see(kind, 0, __builtin_frame_address(0));
}

void* malloc(size_t bytes) { return on_allocation("malloc"), __libc_malloc(bytes); }
void* calloc(size_t n, size_t bytes) { return on_allocation("calloc"), __libc_calloc(n, bytes); }
void* realloc(void* p, size_t bytes) { return on_allocation("realloc"), __libc_realloc(p, bytes); }
void* memalign(size_t a, size_t bytes) {
  return on_allocation("memalign"), __libc_memalign(a, bytes);
}
void* aligned_alloc(size_t a, size_t bytes) {
  return on_allocation("aligned_alloc"), __libc_memalign(a, bytes);
}
int posix_memalign(void** p, size_t a, size_t bytes) {
  on_allocation("posix_memalign");
  *p = __libc_memalign(a, bytes);
  return *p == NULL ? ENOMEM : 0;
}
void free(void* p) { on_allocation("free"), __libc_free(p); }

// These take the loader's lock.
int dl_iterate_phdr(int (*callback)(struct dl_phdr_info*, size_t, void*), void* data) {
  static int (*real)(int (*)(struct dl_phdr_info*, size_t, void*), void*);
  if (real == NULL) real = dlvsym(RTLD_NEXT, "dl_iterate_phdr", "GLIBC_2.2.5");
  on_allocation("dl_iterate_phdr");
  return real(callback, data);
}
int dladdr(const void* address, Dl_info* object) {
  static int (*real)(const void*, Dl_info*);
  if (real == NULL) real = dlvsym(RTLD_NEXT, "dladdr", "GLIBC_2.34");
  if (real == NULL) real = dlvsym(RTLD_NEXT, "dladdr", "GLIBC_2.2.5");
  on_allocation("dladdr");
  return real(address, object);
}

// What the kernel is told, with a way back that is never caught.
struct kernel_action {
  void (*handler)(int, siginfo_t*, void*);
  unsigned long flags;
  void (*restorer)(void);
  uint64_t mask;
};

static void report(void) {
  const char* path = getenv("LAUNCH_PATH_OUT");
  FILE* file = path == NULL ? stderr : fopen(path, "a");
  if (file == NULL) return;
  for (int i = 0; i < event_count; i++) {
    Dl_info callee = {0};
    if (events[i].callee != 0) dladdr((void*)events[i].callee, &callee);
    const char* slash = callee.dli_fname == NULL ? NULL : strrchr(callee.dli_fname, '/');
    char number[32] = "";
    if (events[i].kind[0] == 's') snprintf(number, sizeof number, " %ld", events[i].number);
    Dl_info ours = {0};
    dladdr((void*)events[i].place, &ours);
    fprintf(file, "%s%s\t%#lx\t%s\t%s\t%u\n", events[i].kind, number,
            events[i].place - (uintptr_t)ours.dli_fbase, slash == NULL ? "?" : slash + 1,
            callee.dli_sname == NULL ? "?" : callee.dli_sname, events[i].count);
  }
  fprintf(file, "seen\t%lu\t%lu\t%lu\t0\n", allocations, system_calls, watched_threads);
  if (file != stderr) fclose(file);
}

__attribute__((visibility("default"))) void launch_path_watch(int on) {
  if (on) {
    _Unwind_Backtrace(step, &(struct walk){0, 0, 0});  // loads what it needs
    dl_iterate_phdr(visit, NULL);
    const struct kernel_action action = {on_system_call, SA_SIGINFO | SA_NODEFER | 0x04000000,
                                         launch_path_restorer, 0};
    launch_path_raw(SYS_rt_sigaction, SIGSYS, (long)&action, 0, 8, 0, 0);
    watching = 1;
    free(malloc(1));
  } else if (watching) {
    watching = 0;
    selector = kAllow;
    report();
  }
}

static int (*real_main)(int, char**, char**);
static int main_again(int argc, char** argv, char** env) {
  const char* again = getenv("LAUNCH_PATH_AGAIN");
  if (again == NULL) return real_main(argc, argv, env);
  int status = real_main(argc, argv, env);
  launch_path_watch(1);
  for (int left = atoi(again); status == 0 && left > 0; left--) status = real_main(argc, argv, env);
  launch_path_watch(0);
  return status;
}

int __libc_start_main(int (*main)(int, char**, char**), int argc, char** argv, void (*init)(void),
                      void (*fini)(void), void (*ld)(void), void* stack) {
  int (*real)(int (*)(int, char**, char**), int, char**, void (*)(void), void (*)(void),
              void (*)(void), void*) = dlvsym(RTLD_NEXT, "__libc_start_main", "GLIBC_2.34");
  if (real == NULL) real = dlvsym(RTLD_NEXT, "__libc_start_main", "GLIBC_2.2.5");
  real_main = main;
  return real(main_again, argc, argv, init, fini, ld, stack);
}

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// What a hooked cublasSgemm_v2 and a range cost the program, record written and read included.
//
// hook_bench INJECTOR [blocks]      prints medians in ns, per operation
// hook_bench INJECTOR --calls N     makes N hooked calls with a range each and nothing else: for
//                                   callgrind, with --trace-children=yes. --paused-calls: while
//                                   nothing is recorded; --timed-calls: with the host's clock
//
// The program is its own agent: the parent serves the socket and reads the rings, the child runs
// with the injector preloaded and measures. Blocks of hooked and direct calls alternate, so that
// the difference is not the machine's mood.

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <vector>

#include "mini_agent.h"

#ifdef FLOPSPROF_BENCH_LTTNG
#include "lttng_event.h"
#endif

extern "C" int cublasSgemm_v2(void*, int, int, int, int, int, const float*, const float*, int,
                              const float*, int, const float*, float*, int);

extern "C" int cudnnBackendExecute(void*, void*, void*);

namespace {

using bench::Block;
using bench::Median;
using Execute = decltype(&cudnnBackendExecute);
using Gemm = decltype(&cublasSgemm_v2);
using Push = void (*)(const char*);
using Pop = void (*)();

void CallOnce(Gemm gemm) {
  static const float alpha = 2.0f;
  static const float beta = 3.0f;
  gemm(reinterpret_cast<void*>(1), 0, 1, 128, 64, 32, &alpha, nullptr, 101, nullptr, 102, &beta,
       nullptr, 103);
}

void ExecuteOnce(Execute execute) {
  execute(reinterpret_cast<void*>(1), reinterpret_cast<void*>(64), reinterpret_cast<void*>(1));
}

// What an execution of a plan costs once the plan is known.
void MeasureCudnn(int blocks) {
  void* library = dlopen("libcudnn.so.9", RTLD_NOLOAD | RTLD_LAZY);
  const Execute direct = *static_cast<Execute*>(dlsym(library, "cudnn_execute_unhooked"));
  std::vector<double> hook_ns;
  Block([] { ExecuteOnce(&cudnnBackendExecute); });
  for (int i = 0; i < blocks; ++i) {
    const double direct_ns = Block([&] { ExecuteOnce(direct); });
    hook_ns.push_back(Block([] { ExecuteOnce(&cudnnBackendExecute); }) - direct_ns);
    usleep(2000);  // as below
  }
  printf("cuDNN: hook and record       %7.1f ns\n", Median(hook_ns));
}

int Measure(int blocks) {
  const auto push = reinterpret_cast<Push>(dlsym(RTLD_DEFAULT, "flopsprof_push"));
  const auto pop = reinterpret_cast<Pop>(dlsym(RTLD_DEFAULT, "flopsprof_pop"));
  void* library = dlopen("libcublas.so.13", RTLD_NOLOAD | RTLD_LAZY);
  const auto* const unhooked = static_cast<Gemm*>(dlsym(library, "cublas_gemm_unhooked"));
  const Gemm direct = unhooked == nullptr ? nullptr : *unhooked;
  const Gemm hooked = &cublasSgemm_v2;
  if (direct == nullptr || direct == hooked || push == nullptr) {
    fprintf(stderr, "hook_bench: the injector is not loaded\n");
    return 1;
  }
  const auto with_range = [&] {
    push("attention.forward.layer_07");
    CallOnce(hooked);
    pop();
  };
  Block(with_range);  // the session begins, pages are touched
  std::vector<double> direct_ns, hooked_ns, range_ns, whole_ns, event_ns;
  for (int i = 0; i < blocks; ++i) {
    direct_ns.push_back(Block([&] { CallOnce(direct); }));
    hooked_ns.push_back(Block([&] { CallOnce(hooked); }) - direct_ns.back());
    range_ns.push_back(Block([&] {
      push("attention.forward.layer_07");
      pop();
    }));
    whole_ns.push_back(Block(with_range) - direct_ns.back());
#ifdef FLOPSPROF_BENCH_LTTNG
    if (LttngEventIsEnabled()) event_ns.push_back(Block([] { EmitLttngEvent(); }));
#endif
    usleep(2000);  // the reader catches up: a full ring would measure the wrong thing
  }
  printf("call without hook            %7.1f ns\n", Median(direct_ns));
  printf("hook and record              %7.1f ns\n", Median(hooked_ns));
  printf("range push, pop and record   %7.1f ns\n", Median(range_ns));
  printf("range, hook and records      %7.1f ns\n", Median(whole_ns));
  MeasureCudnn(blocks);
  if (!event_ns.empty()) {
    printf("one LTTng-UST event          %7.1f ns\n", Median(event_ns));
    printf("ratio to the event           %7.2f\n", Median(whole_ns) / Median(event_ns));
  }
  return 0;
}

int MakeCalls(long count) {
  const auto push = reinterpret_cast<Push>(dlsym(RTLD_DEFAULT, "flopsprof_push"));
  const auto pop = reinterpret_cast<Pop>(dlsym(RTLD_DEFAULT, "flopsprof_pop"));
  if (push == nullptr) return 1;
  for (long i = 0; i < count; ++i) {
    push("attention.forward.layer_07");
    CallOnce(&cublasSgemm_v2);
    pop();
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fprintf(
        stderr,
        "usage: hook_bench INJECTOR [BLOCKS | --calls N | --paused-calls N | --timed-calls N]\n");
    return 2;
  }
  const bool paused = argc == 4 && strcmp(argv[2], "--paused-calls") == 0;
  const bool timed = argc == 4 && strcmp(argv[2], "--timed-calls") == 0;
  if (getenv("HOOK_BENCH_CHILD") == nullptr) {
    const auto recording = paused  ? bench::shm::Recording::kPaused
                           : timed ? bench::shm::Recording::kTimedWork
                                   : bench::shm::Recording::kWork;
    return bench::ServeChild(argv, argv[1], recording);
  }
  if (paused || timed || (argc == 4 && strcmp(argv[2], "--calls") == 0))
    return MakeCalls(atol(argv[3]));
  return Measure(argc > 2 ? atoi(argv[2]) : 301);
}

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// SIMGPU_CALLS: what each thread called, in order and with arguments, the same text in
// every run of a deterministic program. One file per thread.
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cstdarg>

#include "simcore.h"
#include "switches.h"

extern "C" {
int sim_calls_logged = !simgpu::GetSwitches().calls_dir.empty();
}

namespace simgpu {
namespace {

std::atomic<int> g_threads{0};
std::atomic<int> g_generation{1};  // counts forks: a child's threads open files of their own

struct ThreadFile {
  int file = -1;
  int generation = 0;
  ~ThreadFile() {
    if (file >= 0) close(file);
  }
};
thread_local ThreadFile t_file;

struct Start {
  Start() {
    pthread_atfork(nullptr, nullptr, [] {
      g_threads = 0;
      ++g_generation;
    });
  }
} g_start;

int File() {
  if (t_file.generation == g_generation) return t_file.file;
  if (t_file.file >= 0) close(t_file.file);
  t_file.generation = g_generation;
  const std::string path = GetSwitches().calls_dir + "/calls." + std::to_string(getpid()) + "." +
                           std::to_string(g_threads++) + ".txt";
  t_file.file = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (t_file.file < 0) {
    fprintf(stderr, "simgpu: SIMGPU_CALLS: cannot write %s\n", path.c_str());
    _exit(99);
  }
  return t_file.file;
}

}  // namespace
}  // namespace simgpu

void sim_log_call(const char* format, ...) {
  if (!sim_calls_logged) return;
  char line[2048];
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(line, sizeof line - 1, format, arguments);
  va_end(arguments);
  if (length < 0) return;
  if (length > static_cast<int>(sizeof line) - 2) length = sizeof line - 2;
  line[length++] = '\n';
  if (write(simgpu::File(), line, static_cast<size_t>(length)) < 0) return;
}

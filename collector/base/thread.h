// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>
#include <functional>
#include <system_error>
#include <thread>
#include <utility>

namespace flopsprof::base {

// A thread that no signal is delivered to: signals are for the threads of whoever hosts us. Not
// joinable: the machine has no room for it (a limit on processes, memory).
inline std::thread StartThread(std::function<void()> work) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread;
  try {
    thread = std::thread(std::move(work));
  } catch (const std::system_error&) {
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

}  // namespace flopsprof::base

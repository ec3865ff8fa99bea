// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "communicator.h"

#include <thread>

namespace sim::nccl {
namespace {

void JoinOne(Communicator* communicator) {
  if (communicator->ranks < 2) return;
  communicator->rendezvous =
      Rendezvous::Join(communicator->key, communicator->ranks, communicator->rank);
}

}  // namespace

void Join(const std::vector<Communicator*>& communicators) {
  std::vector<std::thread> threads;
  for (size_t i = 1; i < communicators.size(); i++) {
    threads.emplace_back(JoinOne, communicators[i]);
  }
  if (!communicators.empty()) JoinOne(communicators[0]);
  for (std::thread& thread : threads) thread.join();
}

}  // namespace sim::nccl

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "rendezvous.h"

namespace sim::nccl {

// What an ncclComm_t points to.
struct Communicator {
  int ranks = 1;
  int rank = 0;
  int device = 0;
  // The same on all ranks, different for every communicator.
  std::string key;
  // How many communicators were split off; part of their keys.
  int splits = 0;
  // Null: alone, each collective sees only this rank's data.
  std::unique_ptr<Rendezvous> rendezvous;
};

// Joins the communicators' ranks. Several of one process join at the same time, each on a
// thread of its own, because each waits for the others.
void Join(const std::vector<Communicator*>& communicators);

}  // namespace sim::nccl

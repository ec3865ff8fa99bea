// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace flopsprof::agent {

// Numbers of sessions. One agent never gives a number twice: it counts, and what it counts is mixed
// by a function that has an inverse. Two agents begin to count at places that are hashes of the
// boot id, the agent's pid and start, and 64 bits from the kernel's random numbers. One thread.
class EpochNumbers {
 public:
  EpochNumbers();

  // Never 0.
  uint64_t Next();

  // The image of a process, by when it loaded the injector (shm::Hello): 0 stays 0. The same for
  // every agent of this boot of the node.
  uint64_t ImageOf(uint64_t loaded_mono_ns) const;

  // This boot of the node; 0: not known.
  uint64_t boot() const;

 private:
  std::string boot_id_;
  uint64_t next_ = 0;
};

}  // namespace flopsprof::agent

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "viewer/attach/borrowed_thread.h"
#include "viewer/attach/target.h"

namespace flopsprof::attach {

// What an attach needs of the target's C library, found in its file; nothing is assumed to be where
// our own has it.
struct LibcFunctions {
  std::string error;  // "" : all were found
  LibcPlaces places;
  uint64_t dlopen = 0;
  uint64_t dlsym = 0;
  uint64_t dlerror = 0;
  uint64_t errno_location = 0;
  uint64_t environ_variable = 0;  // 0: not found; nothing depends on it
};
LibcFunctions FindLibc(const Target& target);

}  // namespace flopsprof::attach

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// A library that takes five seconds to load, with the loader's lock held.
#include <unistd.h>

__attribute__((constructor)) static void load(void) { sleep(5); }

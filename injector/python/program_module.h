// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// `import flopsprof` in programs that run under the profiler, without any installation.

namespace flopsprof::injector {

// Adds the module to those that are built into Python, before Python begins: no entry of sys.path,
// no file, so that -I, -S, -E and virtual environments change nothing. A module of that name that
// the program would find itself is the one that it gets. Does nothing in a process without Python,
// with one of an unknown layout, or where libpython is loaded later.
void OfferProgramModule();

}  // namespace flopsprof::injector

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace flopsprof::injector {

// From now on a forked child is cut off before it can run anything else: it neither writes its
// parent's rings nor keeps the agent's socket open.
void InstallForkGuard();

// The same where a thread of ours walks the loader's list of objects while the program forks, as it
// does in a process that was attached late: a fork waits for the walk, because its child would have
// that lock for ever. `in_child` is called there too.
void GuardForksOfAttached(void (*in_child)());

}  // namespace flopsprof::injector

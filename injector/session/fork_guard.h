// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace flopsprof::injector {

// From now on a forked child is cut off before it can run anything else: it neither writes its
// parent's rings nor keeps the agent's socket open.
void InstallForkGuard();

}  // namespace flopsprof::injector

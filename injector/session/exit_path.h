// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace flopsprof::injector {

// From now on exit() and a return from main end the session first. The fast exits (_exit, _Exit,
// quick_exit) are hooks of their own in exit_hooks.cc.
void InstallExitPath();

}  // namespace flopsprof::injector

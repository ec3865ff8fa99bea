// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Scopes without injector/stacks.

#include "injector/stacks/stack_sampler.h"

namespace flopsprof::injector {

void LetStacksReadPython() {}

}  // namespace flopsprof::injector

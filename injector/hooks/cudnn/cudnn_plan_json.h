// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>

namespace flopsprof::injector {

struct TextSpan {
  const char* begin;  // nullptr: not found
  size_t bytes;
};

// The value of the first member "operationGraph" of a cuDNN plan's JSON, an object, braces
// included. The rest of the text, which holds the compiled kernel, is skipped unread. Not found
// when the text is cut off or is no JSON up to the end of that object.
TextSpan FindOperationGraph(const char* json, size_t bytes);

}  // namespace flopsprof::injector

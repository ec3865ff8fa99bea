// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Is a kernel, by its name, one of cuBLAS's products? Used only to say what is missing, never to
// count: such a kernel without a library call means that the call could not be seen.

#include <absl/strings/string_view.h>

namespace flopsprof::model {

// `name` as CUPTI gives it, mangled or not.
bool IsNameOfCublasProduct(absl::string_view name);

}  // namespace flopsprof::model

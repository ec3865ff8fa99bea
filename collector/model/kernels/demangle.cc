// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/kernels/demangle.h"

#define HAVE_DECL_BASENAME 1  // libiberty.h would declare it as C does
#include <libiberty/demangle.h>

#include <csetjmp>

namespace flopsprof::model {

namespace {

// What abi::__cxa_demangle asks for.
constexpr int kOptions = DMGL_PARAMS | DMGL_TYPES;
constexpr size_t kLongestMangledName = 1 << 16;

struct Output {
  std::string* text = nullptr;
  std::jmp_buf too_long;
};

// The demangler has no other way to be ended. Its own frames, which are C and own no memory, and
// this one, which destroys nothing, are all that is left behind.
void Append(const char* part, size_t size, void* opaque) {
  auto* const output = static_cast<Output*>(opaque);
  if (size > kLongestReadableName - output->text->size()) {
    std::longjmp(output->too_long, 1);  // NOLINT(cert-err52-cpp)
  }
  output->text->append(part, size);
}

}  // namespace

std::string Demangle(std::string_view mangled) {
  if (mangled.substr(0, 2) != "_Z" || mangled.size() > kLongestMangledName) return {};
  const std::string name(mangled);
  std::string text;
  Output output;
  output.text = &text;
  if (setjmp(output.too_long) != 0) return {};  // NOLINT(cert-err52-cpp)
  if (cplus_demangle_v3_callback(name.c_str(), kOptions, Append, &output) == 0) return {};
  return text;
}

}  // namespace flopsprof::model

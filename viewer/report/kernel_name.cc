// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include <string_view>

#include "collector/model/kernels/demangle.h"
#include "viewer/report/views.h"

namespace flopsprof::viewer {
namespace {

void RemoveAll(std::string_view part, std::string* text) {
  for (size_t at = text->find(part); at != std::string::npos; at = text->find(part, at)) {
    text->erase(at, part.size());
  }
}

// Removes the parenthesis that ends the name: the parameter list.
void RemoveParameters(std::string* text) {
  if (text->empty() || text->back() != ')') return;
  int depth = 0;
  for (size_t i = text->size(); i-- > 0;) {
    if ((*text)[i] == ')') ++depth;
    if ((*text)[i] == '(' && --depth == 0) {
      if (i > 0) text->erase(i);
      return;
    }
  }
}

}  // namespace

std::string ReadableKernelName(const std::string& name) {
  std::string readable = model::Demangle(name);
  if (readable.empty()) return name;
  if (readable.rfind("void ", 0) == 0) readable.erase(0, 5);
  RemoveParameters(&readable);
  RemoveAll("(anonymous namespace)::", &readable);
  RemoveAll("at::native::", &readable);
  return readable;
}

}  // namespace flopsprof::viewer

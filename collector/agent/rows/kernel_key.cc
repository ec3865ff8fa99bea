// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/rows/kernel_key.h"

namespace flopsprof::agent {

using shm::ActivityKind;

namespace {

const char* CopyName(uint8_t copy_kind) {
  switch (copy_kind) {
    case 1:
      return "[memcpy HtoD]";
    case 2:
      return "[memcpy DtoH]";
    case 8:
      return "[memcpy DtoD]";
    case 9:
      return "[memcpy HtoH]";
    case 10:
      return "[memcpy PtoP]";
    default:
      return "[memcpy]";
  }
}

}  // namespace

uint8_t CopyKey(uint8_t copy_kind) {
  const bool named = copy_kind == 1 || copy_kind == 2 || (copy_kind >= 8 && copy_kind <= 10);
  return named ? copy_kind : 0;
}

const char* KindText(uint8_t kind) {
  switch (static_cast<ActivityKind>(kind)) {
    case ActivityKind::kMemcpy:
      return "copy";
    case ActivityKind::kMemset:
      return "set";
    case ActivityKind::kGraph:
      return "graph";
    default:
      return "kernel";
  }
}

std::string KernelName(const NameTable& names, const KernelKey& key) {
  switch (static_cast<ActivityKind>(key.kind)) {
    case ActivityKind::kMemcpy:
      return CopyName(key.copy_kind);
    case ActivityKind::kMemset:
      return "[memset]";
    case ActivityKind::kGraph:
      return "[graph]";
    default:
      break;
  }
  const std::string* name = names.Find(key.name);
  return key.name == KernelKey::kLostName || name == nullptr ? "(name lost)" : *name;
}

}  // namespace flopsprof::agent

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/session/library_notes.h"

#include <stddef.h>
#include <stdint.h>

#include <initializer_list>

#include "injector/base/env_config.h"
#include "injector/base/loaded_objects.h"
#include "injector/base/text.h"
#include "injector/transport/record_sink.h"
#include "injector/transport/segment.h"

namespace flopsprof::injector {
namespace {

enum class VersionForm { kByPointer, kByValue };

struct Source {
  const char* key;
  const char* library;
  const char* function;
  VersionForm form;
  bool done;
};

Source sources[] = {
    {"cuda_runtime_version", "libcudart.so", "cudaRuntimeGetVersion", VersionForm::kByPointer,
     false},
    {"cuda_driver_version", "libcudart.so", "cudaDriverGetVersion", VersionForm::kByPointer, false},
    {"cublas_version", "libcublasLt.so", "cublasLtGetVersion", VersionForm::kByValue, false},
    {"cudnn_version", "libcudnn.so", "cudnnGetVersion", VersionForm::kByValue, false},
    {"nccl_version", "libnccl.so", "ncclGetVersion", VersionForm::kByPointer, false},
};

bool ReadVersion(const Source& source, uint64_t* version) {
  void* function = FindInLoadedLibrary(source.library, source.function);
  if (function == nullptr) return false;
  if (source.form == VersionForm::kByValue) {
    *version = reinterpret_cast<size_t (*)()>(function)();
    return true;
  }
  int value = 0;
  if (reinterpret_cast<int (*)(int*)>(function)(&value) != 0 || value < 0) return false;
  *version = static_cast<uint64_t>(value);
  return true;
}

bool MarkerIsMapped() {
  for (const char* library : {"libcudart.so", "libcuda.so", "libcublas.so"}) {
    if (FindInLoadedLibrary(library, "flopsprof_simulated_gpu") != nullptr) return true;
  }
  return false;
}

bool GpuWasUsed() {
  const shm::SegmentHeader* counts = Statistics();
  return counts->launches.load(std::memory_order_relaxed) != 0 ||
         counts->hook_calls.load(std::memory_order_relaxed) != 0;
}

}  // namespace

void EmitLibraryNotes() {
  if (!IsConnected() || !GpuWasUsed()) return;
  static bool marker_done = false;
  if (!marker_done) {
    marker_done = true;
    if (MarkerIsMapped()) EmitNote("simulated", "1");
    if (const char* tf32 = Tf32Override()) EmitNote("nvidia_tf32_override", tf32);
  }
  for (Source& source : sources) {
    uint64_t version = 0;
    if (source.done || !ReadVersion(source, &version)) continue;
    Text<32> text;
    EmitNote(source.key, text.AddNumber(version).get());
    source.done = true;
  }
}

}  // namespace flopsprof::injector

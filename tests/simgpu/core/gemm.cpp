// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "gemm.h"

#include <library_types.h>

#include <atomic>

#include "faults.h"
#include "simcore.h"

namespace simgpu {
namespace {

std::atomic<uint64_t> g_gemms{0};

}  // namespace

bool IsComplex(int data_type) {
  switch (data_type) {
    case CUDA_C_16F:
    case CUDA_C_16BF:
    case CUDA_C_32F:
    case CUDA_C_64F:
    case CUDA_C_8I:
    case CUDA_C_32I:
      return true;
    default:
      return false;
  }
}

int ElementBits(int data_type) {
  switch (data_type) {
    case CUDA_C_64F:
      return 128;
    case CUDA_R_64F:
    case CUDA_C_32F:
    case CUDA_C_32I:
    case CUDA_R_64I:
      return 64;
    case CUDA_R_32F:
    case CUDA_R_32I:
    case CUDA_R_32U:
    case CUDA_C_16F:
    case CUDA_C_16BF:
      return 32;
    case CUDA_R_16F:
    case CUDA_R_16BF:
    case CUDA_C_8I:
      return 16;
    case 33:  // CUDA_R_4F_E2M1, from CUDA 12.8 on
      return 4;
    default:
      return 8;
  }
}

double GemmFlops(const GemmShape& s) {
  const double macs = static_cast<double>(s.m) * static_cast<double>(s.n) *
                      static_cast<double>(s.k) * static_cast<double>(s.batch);
  return macs * (IsComplex(s.a_type) ? 8 : 2);
}

double GemmBytes(const GemmShape& s) {
  const auto elements = static_cast<double>(s.m * s.k + s.k * s.n + s.m * s.n);
  return elements * static_cast<double>(s.batch) * ElementBits(s.a_type) / 8;
}

void NoteGemm(const GemmShape& s, const void* a, const void* b, const void* c, void* stream) {
  const uint64_t number = ++g_gemms;
  const int64_t m = s.m + (GetFaults().falsify_shape.Hits(number) ? 1 : 0);
  char text[192];
  snprintf(text, sizeof text,
           "gemm %c%c m=%ld n=%ld k=%ld batch=%ld a=%d b=%d c=%d compute=%d math=%d", s.ta, s.tb, m,
           s.n, s.k, s.batch, s.a_type, s.b_type, s.c_type, s.compute_type, s.math_mode);
  sim_call_shape(text);
  if (!sim_calls_logged) return;
  sim_log_call("%s %s lda=%ld ldb=%ld ldc=%ld A=%s B=%s C=%s stream=%u", sim_call_name(), text,
               s.lda, s.ldb, s.ldc, sim_pointer(a).c_str(), sim_pointer(b).c_str(),
               sim_pointer(c).c_str(), sim_stream_id(stream));
}

}  // namespace simgpu

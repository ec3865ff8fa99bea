// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "gemm.h"

#include <library_types.h>

#include <atomic>
#include <cstring>
#include <string>
#include <thread>

#include "faults.h"
#include "simcore.h"
#include "thread_state.h"

namespace simgpu {
namespace {

std::atomic<uint64_t> g_gemms{0};

}  // namespace

bool RefusesNull(const void* a, const void* b, const void* c) {
  if (!GetFaults().strict_arguments || (a && b && c)) return false;
  NoteStruck("strict_arguments");
  return true;
}

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

uint64_t NoteGemm(const GemmShape& s, const void* a, const void* b, const void* c, void* stream) {
  const uint64_t number = ++g_gemms;
  const int64_t m = s.m + (GetFaults().falsify_shape.Hits(number) ? 1 : 0);
  char text[192];
  snprintf(text, sizeof text,
           "gemm %c%c m=%ld n=%ld k=%ld batch=%ld a=%d b=%d c=%d compute=%d math=%d", s.ta, s.tb, m,
           s.n, s.k, s.batch, s.a_type, s.b_type, s.c_type, s.compute_type, s.math_mode);
  sim_call_shape(text);
  if (!sim_calls_logged) return number;
  sim_log_call("%s %s lda=%ld ldb=%ld ldc=%ld A=%s B=%s C=%s stream=%u", sim_call_name(), text,
               s.lda, s.ldb, s.ldc, sim_pointer(a).c_str(), sim_pointer(b).c_str(),
               sim_pointer(c).c_str(), sim_stream_id(stream));
  return number;
}

void LaunchGemm(uint64_t number, const char* kernel, const GemmShape& s, void* stream) {
  const Faults& faults = GetFaults();
  constexpr int64_t kTile = 128;
  const auto tiles =
      static_cast<unsigned>(((s.m + kTile - 1) / kTile) * ((s.n + kTile - 1) / kTile));
  const auto batch = static_cast<unsigned>(s.batch);
  if (faults.product_memset.Hits(number)) {
    sim_memset_lib(stream, static_cast<unsigned long>(s.m * s.n * s.batch));
  }
  const auto launch = [&] {
    if (!faults.split_k.Hits(number)) {
      sim_launch_lib(kernel, stream, tiles, 1, batch, 256, GemmFlops(s), GemmBytes(s), 0);
      return;
    }
    constexpr unsigned kParts = 4;
    const std::string split = std::string(kernel) + "_splitK";
    sim_launch_lib(split.c_str(), stream, tiles, kParts, batch, 256, GemmFlops(s), GemmBytes(s), 0);
    sim_launch_lib("sim_splitKreduce", stream, tiles, 1, batch, 256, 0, 0, 0);
  };
  if (!faults.other_thread.Hits(number)) return launch();
  OnAnotherThread(launch);
}

void OnAnotherThread(const std::function<void()>& work) {
  const int device = sim_dev();
  const ThreadState& own = Thread();
  std::thread([&] {
    sim_set_dev(device);
    ThreadState& other = Thread();
    other.call = own.call;
    other.call_id = own.call_id;
    other.call_depth = own.call_depth;
    memcpy(other.shape, own.shape, sizeof other.shape);
    work();
  }).join();
}

}  // namespace simgpu

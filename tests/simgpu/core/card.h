// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a simulated card says about itself, and how fast its time model is.
#include <cuda_runtime_api.h>

#include <cstddef>

#pragma GCC visibility push(default)
namespace simgpu {

struct Card {
  const char* key;  // value of SIMGPU_CARD
  const char* name;
  int major, minor;  // compute capability
  int multiprocessors;
  size_t memory_bytes;
  int l2_bytes;
  int clock_khz, memory_clock_khz, bus_width_bits;
  int shared_per_multiprocessor, shared_per_block_optin;
  // Time model, not a specification: what kernels reach, all types alike.
  double flop_per_s, byte_per_s;
};

// The card that SIMGPU_CARD names (default h100).
const Card& GetCard();

// cudaDeviceAttr and CUdevice_attribute have the same numbers.
int CardAttribute(int attribute, int device);
void FillProperties(int device, cudaDeviceProp* properties);

}  // namespace simgpu
#pragma GCC visibility pop

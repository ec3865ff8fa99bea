// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "card.h"

#include <unistd.h>

#include "faults.h"
#include "simcore.h"
#include "switches.h"

namespace simgpu {
namespace {

// SM counts, memory, caches and clocks: NVIDIA's H100 (SXM5) and A100 (SXM4) data sheets
// and the tuning guides' tables of compute capability 9.0 and 8.0.
constexpr Card kCards[] = {
    {"h100", "NVIDIA H100 80GB HBM3 (simulated)", 9, 0, 132, 85520809984, 52428800, 1980000,
     2619000, 5120, 233472, 232448, 400e12, 3.0e12},
    {"a100", "NVIDIA A100-SXM4-80GB (simulated)", 8, 0, 108, 85095874560, 41943040, 1410000,
     1593000, 5120, 167936, 166912, 150e12, 1.8e12},
};

const Card& Find() {
  const std::string& key = GetSwitches().card;
  if (key.empty()) return kCards[0];
  for (const Card& card : kCards) {
    if (key == card.key) return card;
  }
  fprintf(stderr, "simgpu: SIMGPU_CARD: no card '%s' (h100, a100)\n", key.c_str());
  _exit(99);
}

// "mig": a seventh of the card, named and counted as the driver does.
Card SliceOf(Card card) {
  card.name = "NVIDIA H100 80GB HBM3 MIG 1g.10gb (simulated)";
  card.multiprocessors = 16;
  card.memory_bytes /= 8;
  return card;
}

}  // namespace

const Card& GetCard() {
  static const Card& card = *new Card(GetFaults().mig ? SliceOf(Find()) : Find());
  return card;
}

int CardAttribute(int attribute, int device) {
  const Card& card = GetCard();
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
      return 1024;
    case cudaDevAttrMaxBlockDimX:
    case cudaDevAttrMaxBlockDimY:
      return 1024;
    case cudaDevAttrMaxBlockDimZ:
      return 64;
    case cudaDevAttrMaxGridDimX:
      return 2147483647;
    case cudaDevAttrMaxGridDimY:
    case cudaDevAttrMaxGridDimZ:
      return 65535;
    case cudaDevAttrMaxSharedMemoryPerBlock:
      return 49152;
    case cudaDevAttrTotalConstantMemory:
      return 65536;
    case cudaDevAttrWarpSize:
      return 32;
    case cudaDevAttrMaxRegistersPerBlock:
    case cudaDevAttrMaxRegistersPerMultiprocessor:
      return 65536;
    case cudaDevAttrClockRate:
      return card.clock_khz;
    case cudaDevAttrTextureAlignment:
      return 512;
    case cudaDevAttrMultiProcessorCount:
      return card.multiprocessors;
    case cudaDevAttrConcurrentKernels:
      return 1;
    case cudaDevAttrPciBusId:
      return sim_device_number(device) + 1;
    case cudaDevAttrMemoryClockRate:
      return card.memory_clock_khz;
    case cudaDevAttrGlobalMemoryBusWidth:
      return card.bus_width_bits;
    case cudaDevAttrL2CacheSize:
      return card.l2_bytes;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      return 2048;
    case cudaDevAttrAsyncEngineCount:
      return 3;
    case cudaDevAttrUnifiedAddressing:
      return 1;
    case cudaDevAttrComputeCapabilityMajor:
      return card.major;
    case cudaDevAttrComputeCapabilityMinor:
      return card.minor;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      return card.shared_per_multiprocessor;
    case cudaDevAttrManagedMemory:
      return 1;
    case cudaDevAttrCooperativeLaunch:
      return 1;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      return card.shared_per_block_optin;
    case cudaDevAttrMaxBlocksPerMultiprocessor:
      return 32;
    case 102:  // CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED
    case cudaDevAttrMemoryPoolsSupported:
      return 1;
    default:
      return 0;
  }
}

void FillProperties(int device, cudaDeviceProp* p) {
  const Card& card = GetCard();
  memset(p, 0, sizeof *p);
  snprintf(p->name, sizeof p->name, "%s", card.name);
  p->totalGlobalMem = card.memory_bytes;
  p->sharedMemPerBlock = 49152;
  p->regsPerBlock = 65536;
  p->warpSize = 32;
  p->maxThreadsPerBlock = 1024;
  p->maxThreadsDim[0] = p->maxThreadsDim[1] = 1024;
  p->maxThreadsDim[2] = 64;
  p->maxGridSize[0] = 2147483647;
  p->maxGridSize[1] = p->maxGridSize[2] = 65535;
  p->totalConstMem = 65536;
  p->major = card.major;
  p->minor = card.minor;
  p->textureAlignment = 512;
  p->multiProcessorCount = card.multiprocessors;
  p->concurrentKernels = 1;
  p->unifiedAddressing = 1;
  p->memoryBusWidth = card.bus_width_bits;
  p->l2CacheSize = card.l2_bytes;
  p->maxThreadsPerMultiProcessor = 2048;
  p->managedMemory = 1;
  p->sharedMemPerMultiprocessor = card.shared_per_multiprocessor;
  p->regsPerMultiprocessor = 65536;
  p->cooperativeLaunch = 1;
  p->sharedMemPerBlockOptin = card.shared_per_block_optin;
  p->maxBlocksPerMultiProcessor = 32;
  p->memoryPoolsSupported = 1;
  p->asyncEngineCount = 3;
  p->pciBusID = sim_device_number(device) + 1;
  p->uuid.bytes[0] = static_cast<char>(sim_device_number(device) + 1);
}

}  // namespace simgpu

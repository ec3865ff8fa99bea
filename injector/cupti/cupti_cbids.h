// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Callback ids of the calls that put work on a GPU, as ranges of consecutive numbers of
// cupti_runtime_cbid.h and cupti_driver_cbid.h (CUPTI 12.0 to 13.5, where no number ever changed
// its meaning). Older libraries refuse the ids that they do not know, which is harmless.

#include <stddef.h>
#include <stdint.h>

namespace flopsprof::injector {

struct CbidRange {
  uint16_t first, last;
};

constexpr CbidRange kRuntimeCbids[] = {
    {13, 13},    // cudaLaunch: what nvcc made of <<<...>>> before CUDA 9.1
    {31, 52},    // cudaMemcpy* and cudaMemset*, classic
    {142, 145},  // cudaMemset3D*, cudaMemcpy3D*
    {160, 163},  // cudaMemcpyPeer*, cudaMemcpy3DPeer*
    {211, 211},  // cudaLaunchKernel
    {213, 236},  // cudaLaunch_ptsz, cudaLaunchKernel_ptsz; copies and sets, _ptds and _ptsz
    {243, 246},  // cudaMemset3D*, cudaMemcpy3D*, _ptds and _ptsz
    {249, 250},  // cudaMemcpy3DPeer*, _ptds and _ptsz
    {269, 270},  // cudaLaunchCooperativeKernel
    {272, 272},  // cudaLaunchCooperativeKernelMultiDevice
    {311, 312},  // cudaGraphLaunch
    {430, 431},  // cudaLaunchKernelExC
    {482, 485},  // cudaMemcpyBatchAsync, cudaMemcpy3DBatchAsync
    {505, 506},  // __cudaLaunchKernel: what nvcc 13 makes of <<<...>>>
    {509, 512},  // cudaMemcpyBatchAsync, cudaMemcpy3DBatchAsync of CUDA 13
    {554, 557},  // cudaMemcpyWithAttributesAsync, cudaMemcpy3DWithAttributesAsync of CUDA 13.2
};

constexpr CbidRange kDriverCbids[] = {
    {43, 82},    // cuMemcpy*, cuMemset*, first forms
    {115, 117},  // cuLaunch, cuLaunchGrid, cuLaunchGridAsync
    {216, 227},  // cuMemsetD*Async
    {232, 234},  // cu64Memcpy2D*
    {248, 254},  // cuMemcpy_v2, cuMemsetD*_v2
    {276, 293},  // cuMemcpy*_v2
    {305, 307},  // cuMemcpy, cuMemcpyAsync, cuLaunchKernel
    {318, 321},  // cuMemcpyPeer*, cuMemcpy3DPeer*
    {397, 416},  // copies and sets, _ptds
    {418, 433},  // copies and sets, _ptsz
    {442, 442},  // cuLaunchKernel_ptsz
    {477, 478},  // cuLaunchCooperativeKernel
    {480, 480},  // cuLaunchCooperativeKernelMultiDevice
    {514, 515},  // cuGraphLaunch
    {652, 653},  // cuLaunchKernelEx
    {776, 779},  // cuMemcpyBatchAsync, cuMemcpy3DBatchAsync
    {796, 799},  // the same, _v2
    {819, 819},  // cuGraphLaunchWithArguments of CUDA 13.1 and 13.2, which no header declares
    {828, 829},  // cuSubgridScheduleLaunch of CUDA 13.1 and 13.2, which no header declares
    {837, 840},  // cuMemcpyWithAttributesAsync, cuMemcpy3DWithAttributesAsync of CUDA 13.2
};

// Those of the runtime that launch one kernel each: their callbacks can be spared
// (spared_callbacks.h).
constexpr uint16_t kSparableCbids[] = {
    211, 214,  // cudaLaunchKernel
    269, 270,  // cudaLaunchCooperativeKernel
    430, 431,  // cudaLaunchKernelExC
    505, 506,  // __cudaLaunchKernel
};

// Driver calls that launch one kernel.
constexpr CbidRange kDriverKernelCbids[] = {{307, 307}, {442, 442}, {477, 478}, {652, 653}};

// Calls that end contexts: cudaDeviceReset, cudaThreadExit; cuCtxDestroy, cuDevicePrimaryCtxRelease
// and cuDevicePrimaryCtxReset, each with _v2.
constexpr CbidRange kRuntimeContextEnds[] = {{123, 123}, {164, 164}};
constexpr CbidRange kDriverContextEnds[] = {
    {11, 11}, {322, 322}, {387, 387}, {389, 389}, {544, 545}};

template <size_t n>
constexpr bool HoldsCbid(const CbidRange (&ranges)[n], uint32_t cbid) {
  for (const CbidRange& range : ranges) {
    if (cbid >= range.first && cbid <= range.last) return true;
  }
  return false;
}

constexpr bool EndsContext(int domain, uint32_t cbid) {
  return domain == 2 ? HoldsCbid(kRuntimeContextEnds, cbid) : HoldsCbid(kDriverContextEnds, cbid);
}

// No header declares its parameters, so what it launches is not known.
constexpr bool IsUndeclaredGraphLaunch(int domain, uint32_t cbid) {
  return domain == 1 && cbid == 819;
}

// The executable graph is the first parameter.
constexpr bool IsGraphLaunch(int domain, uint32_t cbid) {
  return domain == 2 ? cbid == 311 || cbid == 312 : cbid == 514 || cbid == 515;
}

}  // namespace flopsprof::injector

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The functions of CUPTI that we call; nothing else of the injector calls CUPTI. They come from the
// first of these: the libcupti that the process has mapped; FLOPSPROF_CUPTI; the toolkit's beside a
// mapped library of CUDA; one that the loader finds; that of /usr/local/cuda. It must have cudart's
// major version. Where no cudart is mapped (it is linked statically), the newest version up to the
// driver's is taken.
//
// Where Python runs, the loader and /usr/local/cuda are not asked. A module that is imported later
// (torch) brings its own libcupti, and the loader would give it ours, because the two have the same
// name.

#include <stdint.h>

#include "injector/cupti/cupti_types.h"

namespace flopsprof::injector {

struct CuptiApi {
  CuptiResult (*GetVersion)(uint32_t*);
  CuptiResult (*GetTimestamp)(uint64_t*);
  CuptiResult (*GetResultString)(CuptiResult, const char**);  // may be nullptr
  CuptiResult (*Subscribe)(CuptiSubscriber*, CuptiCallback, void*);
  CuptiResult (*Unsubscribe)(CuptiSubscriber);
  CuptiResult (*EnableCallback)(uint32_t enable, CuptiSubscriber, int domain, uint32_t cbid);
  CuptiResult (*ActivityRegisterCallbacks)(CuptiBufferRequested, CuptiBufferCompleted);
  CuptiResult (*ActivityEnable)(uint32_t kind);
  CuptiResult (*ActivityDisable)(uint32_t kind);
  CuptiResult (*ActivityFlushAll)(uint32_t flags);
  CuptiResult (*ActivityGetNextRecord)(uint8_t* buffer, size_t valid_bytes, uint8_t** record);
  CuptiResult (*ActivityGetNumDroppedRecords)(void* context, uint32_t stream, size_t* dropped);
  // May be nullptr.
  CuptiResult (*ActivitySetAttribute)(int attribute, size_t* value_bytes, void* value);
  CuptiResult (*ActivityGetAttribute)(int attribute, size_t* value_bytes, void* value);

  CuptiResult (*Finalize)();

  // CUPTI's ids of graphs and their nodes. May be nullptr (before CUDA 11).
  CuptiResult (*GetGraphId)(const void* graph, uint32_t* id);
  CuptiResult (*GetGraphExecId)(const void* executable, uint32_t* id);
  CuptiResult (*GetGraphNodeId)(const void* node, uint64_t* id);

  uint32_t version;  // as cuptiGetVersion gives it
};

// What LoadCupti says where a libcupti may come later: the same text, the same pointer.
extern const char kNoCuptiYet[];

// Fills in the table. On failure returns what is wrong, a constant text; else nullptr.
const char* LoadCupti(CuptiApi* api);

// Whether a CUPTI version number (18, 24, 130001) is one of CUDA's major version.
bool CuptiIsOfCuda(int cuda_major, uint32_t version);

}  // namespace flopsprof::injector

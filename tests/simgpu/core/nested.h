// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// Calls that a library makes inside of its own: frames without an entry point.
#include <cuda.h>

#include "simcore.h"

// A frame that is opened only if it is wanted.
class SimOptionalFrame {
 public:
  SimOptionalFrame(bool open, int domain, uint32_t id, const char* name, const void* params,
                   void* result, const char* symbol)
      : open_(open) {
    if (!open_) return;
    frame_.dom = domain;
    frame_.cbid = id;
    frame_.fname = name;
    frame_.params = params;
    frame_.ret = result;
    frame_.sym = symbol;
    sim_enter(&frame_);
  }
  ~SimOptionalFrame() {
    if (open_) sim_exit(&frame_);
  }
  SimOptionalFrame(const SimOptionalFrame&) = delete;
  SimOptionalFrame& operator=(const SimOptionalFrame&) = delete;

 private:
  bool open_;
  SimFrame frame_;
};

// The runtime works through the driver: the driver's callback fires inside of the runtime's.
inline bool SimNestedDriverCallback(uint32_t id) { return sim_on[SIM_DRIVER][id] & SIM_CB; }

// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Is a stream being captured into a CUDA graph, and into which? The question costs a CUDA call, so
// it is put only while a capture that we have seen begin has not ended.

#include <stdint.h>

namespace flopsprof::injector {

struct Capture {
  uint64_t id = 0;        // CUDA's number of the capture sequence; 0: not known
  void* graph = nullptr;  // being captured; nullptr: not known
};

bool AnyCaptureIsActive();

// Asks CUDA. False also when it cannot be asked. True for a capture that has become invalid, too.
bool FindCapture(void* stream, const void* caller, Capture* capture);
// The same for a caller of the driver's functions.
bool FindCaptureOfDriver(void* stream, const void* caller, Capture* capture);

// Recording of work begins or ends, so a part of each active capture is not seen.
void CutCaptures();
// Is the recording of active captures incomplete? True if one of them, or one that was active
// together with them, was cut, or began while work was not recorded.
bool CapturesAreCut();

// A capture has begun; has ended, with or without a graph. On the thread that did it.
void OnCaptureBegan();
void OnCaptureEnded();

}  // namespace flopsprof::injector

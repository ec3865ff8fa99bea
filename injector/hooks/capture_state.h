// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Is a stream being captured into a CUDA graph? The question costs a CUDA call, so it is put
// only while a capture that we have seen begin has not ended.

namespace flopsprof::injector {

bool AnyCaptureIsActive();

// Asks the CUDA runtime. False also when it cannot be asked.
bool StreamIsCapturing(void* stream, const void* caller);

// A capture has begun; has ended, also when ending it reports an error (it had been invalidated).
void OnCaptureBegan();
void OnCaptureEnded();

}  // namespace flopsprof::injector

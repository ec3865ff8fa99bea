// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// kDevice records: what the driver says about the GPUs that this process uses.

#include <stdint.h>

#include "injector/base/platform.h"

namespace flopsprof::injector {

// These devices (bit i: ordinal i) have been used. Any thread.
void NoteDevices(uint64_t ordinals);

// The current device of the calling thread has been used. Needs a live CUDA.
FLOPSPROF_APART void NoteCurrentDevice();

// Describes the devices that have not been described yet. Helper thread.
void EmitNewDevices();

// A new epoch has begun: all devices are new to its reader. Helper thread.
void DescribeDevicesAgain();

}  // namespace flopsprof::injector

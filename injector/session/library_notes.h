// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace flopsprof::injector {

// Notes about the GPU libraries of the process, each once: versions, the stand-in's marker,
// NVIDIA_TF32_OVERRIDE. Libraries that come later are found at a later call. Does nothing before
// the process has used a GPU. Helper thread.
void EmitLibraryNotes();

}  // namespace flopsprof::injector

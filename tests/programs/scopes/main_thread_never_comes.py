# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""One product of 64 x 64 matrices in a thread that keeps Python's lock from before CUDA begins
until the process ends, while the main thread waits: no Python code of anybody else runs.
"""

import ctypes
import sys
import threading

import torch

cuda = torch.version.cuda.split(".")[0]
# PyDLL: calls do not give the lock up. Nor does the interpreter, however long another waits.
runtime, blas, libc = (
    ctypes.PyDLL(name) for name in (f"libcudart.so.{cuda}", f"libcublas.so.{cuda}", None)
)
sys.setswitchinterval(3600)


def multiply():
    memory, handle = ctypes.c_void_p(), ctypes.c_void_p()
    number = ctypes.byref(ctypes.c_float(1))
    assert runtime.cudaMalloc(ctypes.byref(memory), ctypes.c_size_t(3 * 64 * 64 * 4)) == 0
    assert blas.cublasCreate_v2(ctypes.byref(handle)) == 0
    assert blas.cublasSgemm_v2(
        handle, 0, 0, 64, 64, 64, number, memory, 64, memory, 64, number, memory, 64
    ) == 0
    libc.exit(0)


thread = threading.Thread(target=multiply)
thread.start()
thread.join()

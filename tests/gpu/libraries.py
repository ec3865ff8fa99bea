# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""CUDA's libraries through ctypes, those that this Python's torch uses, without importing it."""

import ctypes
import glob
import importlib.util
import os
import re
import sys


def mapped(part: str) -> list:
    with open("/proc/self/maps", encoding="utf-8") as file:
        return sorted({line.split()[-1] for line in file if part in line})


def cuda_major() -> str:
    """Of torch's build, from its version file."""
    found = importlib.util.find_spec("torch")
    try:
        with open(os.path.join(os.path.dirname(found.origin), "version.py")) as file:
            return re.search(r"^cuda\b.*?'(\d+)", file.read(), re.MULTILINE)[1]
    except (OSError, TypeError, AttributeError):
        return ""


def find(name: str) -> str:
    """Path of a library such as "libcudart.so": mapped, of NVIDIA's wheels, or the loader's."""
    if mapped(name):
        return mapped(name)[0]
    folders = [os.path.join(path, "nvidia", "*", "lib") for path in sys.path if path]
    files = [path for folder in folders for path in glob.glob(os.path.join(folder, name + ".*"))
             if not path.endswith(".real")]  # fmt: skip
    major = cuda_major()
    if files:
        return min(files, key=lambda path: (not path.endswith(f".so.{major}"), path))
    try:
        ctypes.CDLL(f"{name}.{major}")
    except OSError:
        import torch

        torch.cuda.init()
    if not mapped(name):
        raise RuntimeError(f"no {name} of CUDA {major} found")
    return mapped(name)[0]


def library(name: str) -> ctypes.CDLL:
    return ctypes.CDLL(find(name))


class Library:
    """Calls that raise when the status is not 0."""

    def __init__(self, name: str) -> None:
        self.name, self.functions = name, library(name)

    def __getattr__(self, function: str):
        real = getattr(self.functions, function)

        def call(*arguments) -> None:
            status = real(*arguments)
            if status:
                raise RuntimeError(f"{function}: status {status}")

        return call


RELAXED = 2  # cudaStreamCaptureModeRelaxed


class Card:
    """A GPU with memory, a stream and a cuBLAS handle."""

    BYTES = 64 << 20

    def __init__(self) -> None:
        self.cudart, self.cublas = Library("libcudart.so"), Library("libcublas.so")
        self.memory, self.stream, self.handle = (ctypes.c_void_p() for _ in range(3))
        self.cudart.cudaMalloc(ctypes.byref(self.memory), ctypes.c_size_t(self.BYTES))
        self.cudart.cudaStreamCreate(ctypes.byref(self.stream))
        self.cublas.cublasCreate_v2(ctypes.byref(self.handle))
        self.cublas.cublasSetStream_v2(self.handle, self.stream)
        # Else cuBLAS allocates while it is captured, and such graphs cannot be children.
        workspace, size = ctypes.c_void_p(), ctypes.c_size_t(32 << 20)
        self.cudart.cudaMalloc(ctypes.byref(workspace), size)
        self.cublas.cublasSetWorkspace_v2(self.handle, workspace, size)
        self.one = ctypes.c_float(1)
        self.product(64)  # loads its kernels
        self.wait()

    def product(self, m: int, n: int = 64, k: int = 64, leading: int = 0) -> None:
        """`leading`: of A, in the place of m."""
        self.cublas.cublasSgemm_v2(
            self.handle, 0, 0, m, n, k, ctypes.byref(self.one), self.memory, leading or m,
            self.memory, k, ctypes.byref(self.one), self.memory, m,
        )  # fmt: skip

    def fill(self, count: int) -> None:
        self.cudart.cudaMemsetAsync(self.memory, 0, ctypes.c_size_t(count), self.stream)

    def wait(self) -> None:
        self.cudart.cudaDeviceSynchronize()

    def used_bytes(self) -> int:
        free, total = ctypes.c_size_t(), ctypes.c_size_t()
        self.cudart.cudaMemGetInfo(ctypes.byref(free), ctypes.byref(total))
        return total.value - free.value

    def captured(self, work) -> ctypes.c_void_p:
        graph = ctypes.c_void_p()
        self.cudart.cudaStreamBeginCapture(self.stream, RELAXED)
        work()
        self.cudart.cudaStreamEndCapture(self.stream, ctypes.byref(graph))
        return graph

    def executable(self, graph) -> ctypes.c_void_p:
        made = ctypes.c_void_p()
        self.cudart.cudaGraphInstantiate(ctypes.byref(made), graph, ctypes.c_ulonglong(0))
        return made

    def replay(self, executable, times: int = 1) -> None:
        for _ in range(times):
            self.cudart.cudaGraphLaunch(executable, self.stream)

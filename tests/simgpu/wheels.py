#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Where NVIDIA's wheels have their libraries and headers: CUDA 13 in one folder, CUDA 12 in one
folder for each wheel.

    wheels.py NVIDIA    prints the files to stand in for, relative to .../site-packages/nvidia
"""

import sys
from pathlib import Path

# library: (folder in CUDA 12, name, SONAME's number in CUDA 12 and in CUDA 13)
TOOLKIT = {
    "cudart": ("cuda_runtime", "libcudart.so", 12, 13),
    "cuda": ("cuda_runtime", "libcuda.so", 1, 1),
    "cublas": ("cublas", "libcublas.so", 12, 13),
    "cublasLt": ("cublas", "libcublasLt.so", 12, 13),
    "cupti": ("cuda_cupti", "libcupti.so", 12, 13),
    "cusolver": ("cusolver", "libcusolver.so", 11, 12),
    "cusparse": ("cusparse", "libcusparse.so", 12, 12),
    "cufft": ("cufft", "libcufft.so", 11, 12),
}
OTHERS = {"cudnn": "cudnn/lib/libcudnn.so.9", "nccl": "nccl/lib/libnccl.so.2"}
HERE = Path(__file__).resolve().parent


class Wheels:
    """The wheels below a folder `nvidia`."""

    def __init__(self, nvidia: Path):
        self.nvidia = nvidia
        self.one_folder = (nvidia / "cu13").is_dir()
        # Where libcuda and libsimcore are put, which have no original.
        self.runtime = "cu13" if self.one_folder else "cuda_runtime"

    def libraries(self) -> dict:
        """library -> file, relative to `nvidia`."""
        found = {}
        for library, (folder, name, number12, number13) in TOOLKIT.items():
            number = number13 if self.one_folder else number12
            found[library] = f"{'cu13' if self.one_folder else folder}/lib/{name}.{number}"
        return {**found, **OTHERS}

    def include(self) -> list:
        """Folders of headers, that of the CUDA runtime first."""
        folders = list(self.nvidia.glob("*/include"))
        folders.sort(key=lambda f: f.parent.name not in ("cu13", "cuda_runtime"))
        return folders if self.one_folder else [*folders, HERE / "compat"]

    def header(self, name: str) -> Path:
        """The first of that name."""
        return next(f / name for f in self.include() if (f / name).exists())


if __name__ == "__main__":
    wheels = Wheels(Path(sys.argv[1]))
    print(*wheels.libraries().values(), f"{wheels.runtime}/lib/libsimcore.so", sep="\n")

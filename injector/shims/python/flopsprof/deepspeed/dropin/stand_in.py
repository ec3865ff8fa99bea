# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""What scripts use of DeepSpeed beside its profiler, where DeepSpeed is not installed."""

import contextlib

import torch


class _Accelerator:
    """The GPU that torch sees, or the CPU."""

    @staticmethod
    def _cuda() -> bool:
        return torch.cuda.is_available()

    def device(self, index=None):
        return torch.cuda.device(index) if self._cuda() else contextlib.nullcontext()

    def device_name(self, index=None) -> str:
        kind = "cuda" if self._cuda() else "cpu"
        return kind if index is None or kind == "cpu" else f"{kind}:{index}"

    current_device_name = device_name

    def is_available(self) -> bool:
        return True

    def synchronize(self, index=None) -> None:
        if self._cuda():
            torch.cuda.synchronize(index)


_accelerator = _Accelerator()


def get_accelerator():
    return _accelerator


def refuse(module: str):
    """For __getattr__ of a module that is not really there."""

    def missing(name):
        if name.startswith("__"):
            raise AttributeError(name)
        raise AttributeError(
            f"{module}.{name}: DeepSpeed is not installed (or --without-deepspeed was given);"
            " flopsprof.deepspeed only takes the place of its flops profiler"
        )

    return missing

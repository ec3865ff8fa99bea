# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""DeepSpeed's flops profiler, without DeepSpeed: the same calls, the same report, right numbers.

    from flopsprof.deepspeed import FlopsProfiler, get_model_profile

docs/deepspeed.md says what differs from DeepSpeed, and why.
"""

_WHERE = {
    "get_model_profile": ".api.one_call",
    "FlopsProfiler": ".api.profiler",
    "get_module_duration": ".api.profiler",
    "get_module_flops": ".api.profiler",
    "get_module_gpu_time": ".api.profiler",
    "get_module_macs": ".api.profiler",
    "DEFAULT_PRECISION": ".units.newest",
    "bytes_to_string": ".units.newest",
    "duration_to_string": ".units.newest",
    "flops_to_string": ".units.newest",
    "macs_to_string": ".units.newest",
    "number_to_string": ".units.newest",
    "params_to_string": ".units.newest",
}
__all__ = sorted(_WHERE)


def __getattr__(name):
    """torch is loaded with the first name that is used, not with the package."""
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    value = getattr(importlib.import_module(_WHERE[name], __name__), name)
    globals()[name] = value
    return value

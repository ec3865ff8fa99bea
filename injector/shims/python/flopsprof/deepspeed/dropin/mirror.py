# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""The stand-alone package flops-profiler: its defaults, and its layout unless another style is asked for."""

from ..api import settings
from ..api.one_call import get_model_profile as _get_model_profile
from ..api.profiler import FlopsProfiler as _FlopsProfiler


def _style(style):
    return style or settings.given("style") or "flops-profiler"


class FlopsProfiler(_FlopsProfiler):
    def __init__(self, model, ds_engine=None, *, compat=None, style=None):
        super().__init__(model, ds_engine, compat=compat, style=_style(style))


def get_model_profile(model, input_shape=None, args=[], kwargs={}, print_profile=True, detailed=True,
                      module_depth=-1, top_modules=10, warm_up=3, as_string=False, output_file=None,
                      ignore_modules=None, func_name="forward", *, mode=None, compat=None,
                      style=None):  # fmt: skip  # noqa: B006
    return _get_model_profile(
        model, input_shape, args, kwargs, print_profile, detailed, module_depth, top_modules, warm_up,
        as_string, output_file, ignore_modules, func_name=mode or func_name, compat=compat,
        style=_style(style))  # fmt: skip


__all__ = ["FlopsProfiler", "get_model_profile"]

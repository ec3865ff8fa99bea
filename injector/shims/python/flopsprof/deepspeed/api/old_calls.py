# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""get_model_profile as it was called in 2021.

0.3.11: (model, input_res, input_constructor, print_profile, print_aggregated_profile, ..., num_steps,
as_strings) -> (macs, params, steps). From 0.3.16: without the aggregated flag -> (macs, params).
"""

import torch

from ..units import old
from . import settings
from .profiler import FlopsProfiler
from .roots import as_module

_OF_0_3_11 = {"print_aggregated_profile": True, "num_steps": 10, "as_strings": True}
_NAMES = {"input_res": None, "input_constructor": None, **_OF_0_3_11}


def _runner(model, input_res, constructor):
    assert type(input_res) is tuple, "input_res must be a tuple"
    assert len(input_res) >= 1, "input_res must have at least one element"

    def run():
        if constructor:
            return model(**constructor(input_res))
        first = next(model.parameters(), None)
        kind = {} if first is None else {"dtype": first.dtype, "device": first.device}
        return model(torch.zeros(input_res, **kind))

    return run


def get_model_profile_of_2021(profile, model, input_shape, print_profile, detailed, module_depth,
                              top_modules, warm_up, as_string, output_file, ignore_modules, compat,
                              style, names):  # fmt: skip
    unknown = sorted(set(names) - set(_NAMES))
    if unknown:
        raise TypeError(f"get_model_profile() got an unexpected keyword argument {unknown[0]!r}")
    first_version = style == "deepspeed-2021" or any(name in names for name in _OF_0_3_11)
    given = {**_NAMES, **names}
    style = style or settings.style_of("deepspeed-2021" if first_version else "deepspeed-2021-05")
    model, _ = as_module(model)
    run = _runner(model, given["input_res"] or input_shape, given["input_constructor"])
    prof = FlopsProfiler(model, compat=compat, style=style)

    def report():
        if print_profile:
            prof.print_model_profile(warm_up, module_depth, top_modules, detailed, output_file)
        if first_version and given["print_aggregated_profile"]:
            prof.print_model_aggregated_profile(module_depth, top_modules)
        return prof.get_total_flops(), prof.get_total_params(), prof.get_total_steps()

    steps = given["num_steps"] if first_version else 1
    macs, params, steps = profile(prof, run, warm_up, steps, ignore_modules, report)
    if given["as_strings"] if first_version else as_string:
        macs, params = old.macs_to_string(macs), old.params_to_string(params)
    return (macs, params, steps) if first_version else (macs, params)

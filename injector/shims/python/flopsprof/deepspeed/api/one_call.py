# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""get_model_profile: a whole profile in one call."""

import torch

from ..units import newest, old
from . import old_calls, settings
from .messages import logger
from .profiler import FlopsProfiler
from .roots import as_module


def _input_of(model, input_shape):
    """Zeros where the model is, in the type of its first parameter."""
    assert type(input_shape) is tuple, "input_shape must be a tuple"
    assert len(input_shape) >= 1, "input_shape must have at least one element"
    first = next(model.parameters(), None)
    if first is None:
        return torch.zeros(input_shape)
    return torch.zeros(input_shape, dtype=first.dtype, device=first.device)


class _evaluated:
    """The model in eval mode; afterwards each module is as it was."""

    def __init__(self, model):
        self._model = model

    def __enter__(self):
        # A frozen module of TorchScript has no mode and is as in eval().
        self._modes = [(module, module.training) for module in self._model.modules()
                       if hasattr(module, "training")]  # fmt: skip
        self._model.eval()

    def __exit__(self, *exception):
        for module, training in self._modes:
            module.training = training
        return False


def _method(model, mode, func_name):
    """What to call: the module itself for its forward, so that all of its hooks run."""
    if func_name is None:
        if mode not in ("forward", "generate"):
            raise ValueError(
                f"mode={mode!r}: expected 'forward' or 'generate'; for another method use func_name"
            )
        func_name = mode
    return model if func_name == "forward" else getattr(model, func_name)


def get_model_profile(model, input_shape=None, args=[], kwargs={}, print_profile=True, detailed=True,
                      module_depth=-1, top_modules=1, warm_up=1, as_string=True, output_file=None,
                      ignore_modules=None, mode='forward', *, func_name=None, compat=None,
                      style=None, gpu_time=False, **old_names):  # fmt: skip  # noqa: B006
    """Flops, MACs and parameters of one forward (or of another method), as texts or numbers.

    The arguments are DeepSpeed's. func_name is that of the stand-alone package; input_res,
    input_constructor, as_strings, num_steps and print_aggregated_profile are those of DeepSpeed in 2021,
    with its results: (macs, params, steps), or (macs, params) (docs/deepspeed.md). gpu_time adds a table of the
    GPU's time below the report.
    """
    if old_names or style in ("deepspeed-2021", "deepspeed-2021-05"):
        return old_calls.get_model_profile_of_2021(
            _profile, model, input_shape, print_profile, detailed, module_depth, top_modules, warm_up,
            as_string, output_file, ignore_modules, compat, style, old_names)  # fmt: skip
    style = settings.style_of(style)
    model, method = as_module(model)
    if method != "forward" and func_name is None:
        func_name = method
    if input_shape is not None:
        args = [_input_of(model, input_shape)]
    args, kwargs = [] if args is None else args, {} if kwargs is None else kwargs
    assert len(args) > 0 or len(kwargs) > 0, (
        "args and/or kwargs must be specified if input_shape is None"
    )
    prof = FlopsProfiler(model, compat=compat, style=style, gpu_time=gpu_time)

    def report():
        if print_profile:
            prof.print_model_profile(warm_up, module_depth, top_modules, detailed, output_file)
        return prof.get_total_flops(), prof.get_total_macs(), prof.get_total_params()

    def run():
        return _method(model, mode, func_name)(*args, **kwargs)

    flops, macs, params = _profile(prof, run, warm_up, 1, ignore_modules, report)
    if not as_string:
        return flops, macs, params
    units = newest if style == "deepspeed" else old
    return (units.number_to_string(flops), units.macs_to_string(macs),
            units.params_to_string(params))  # fmt: skip


def _profile(prof, run, warm_up, steps, ignore_modules, report):
    """What `report()` returns after `steps` runs under `prof`. Nothing of ours outlives an exception."""
    prof._state["started"] = True  # an exception below is no forgotten start
    with _evaluated(prof.model):
        logger.info("Flops profiler warming-up...")
        for _ in range(warm_up):
            run()
        prof.start_profile(ignore_list=ignore_modules)
        try:
            for _ in range(steps):
                run()
            return report()
        finally:
            prof.end_profile()

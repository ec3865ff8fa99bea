# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Calls of other counters and ours that say the same; each pair is run, and has to be equal.

A row: tool, its call, ours. Parts of a call that stand before ";; " are statements.
"""

import torch
from torch import nn

CALLS = [
    ("fvcore", "FlopCountAnalysis(model, x).total()", "count(model, x).macs"),
    ("fvcore", "FlopCountAnalysis(model, x).by_module()['fc']", "count(model, x).module('fc').macs"),
    ("fvcore", "FlopCountAnalysis(model, x).by_operator()['conv']", "count(model, x).operators['nn.Conv2d'][1]"),
    ("fvcore", "analysis = FlopCountAnalysis(model, x); analysis.total();; dict(analysis.unsupported_ops())",
     "count(model, x).uncounted"),
    ("fvcore", "parameter_count(model)['']", "count(model, x).params"),
    ("ptflops", "get_model_complexity_info(model, (3, 8, 8), as_strings=False, print_per_layer_stat=False)",
     "(count(model, x[:1]).macs, count(model, x).params)"),
    ("thop", "profile(model, inputs=(x,), verbose=False)", "(count(model, x).macs, count(model, x).params)"),
    ("calflops", "calculate_flops(model, args=[x], output_as_string=False, print_results=False)",
     "(count(model, x).flops, count(model, x).macs, count(model, x).params)"),
    ("torchinfo", "summary(model, input_data=x, verbose=0).total_mult_adds", "count(model, x).macs"),
    ("torchinfo", "summary(model, input_size=(2, 3, 8, 8), verbose=0).total_params", "count(model, x).params"),
    ("FlopCounterMode", "with FlopCounterMode(display=False) as counter: model(x);; counter.get_total_flops()",
     "2 * count(model, x).macs"),
    ("DeepSpeed", "get_model_profile(model, args=[x], print_profile=False, as_string=False)",
     "flopsprof.deepspeed.get_model_profile(model, args=[x], print_profile=False, as_string=False)"),
]  # fmt: skip


class Plain(nn.Module):
    """No bias, no norm, no activation: here every counter means the same."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, bias=False)
        self.fc = nn.Linear(8 * 36, 10, bias=False)

    def forward(self, x):
        return self.fc(self.conv(x).flatten(1))


def names_of(tool) -> dict:
    """What a user of the tool imports."""
    import flopsprof.deepspeed
    from flopsprof.count import count

    names = {"flopsprof": flopsprof, "count": count}
    if tool == "fvcore":
        from fvcore.nn import FlopCountAnalysis, parameter_count

        return {**names, "FlopCountAnalysis": FlopCountAnalysis, "parameter_count": parameter_count}
    if tool == "ptflops":
        from ptflops import get_model_complexity_info

        return {**names, "get_model_complexity_info": get_model_complexity_info}
    if tool == "thop":
        from thop import profile

        return {**names, "profile": profile}
    if tool == "calflops":
        from calflops import calculate_flops

        return {**names, "calculate_flops": calculate_flops}
    if tool == "torchinfo":
        from torchinfo import summary

        return {**names, "summary": summary}
    if tool == "FlopCounterMode":
        from torch.utils.flop_counter import FlopCounterMode

        return {**names, "FlopCounterMode": FlopCounterMode}
    from deepspeed.profiling.flops_profiler import get_model_profile

    return {**names, "get_model_profile": get_model_profile}


def value_of(code, tool):
    names = {**names_of(tool), "model": Plain().eval(), "x": torch.zeros(2, 3, 8, 8)}
    *statements, last = code.split(";; ")
    for statement in statements:
        exec(statement, names)
    value = eval(last, names)
    return [int(part) for part in value] if isinstance(value, tuple) else value


def text_of(code) -> str:
    return ", ".join(f"`{part}`" for part in code.split(";; "))

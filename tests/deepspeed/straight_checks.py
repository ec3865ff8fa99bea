# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Layers whose forward is a straight line (counting/straight.py); api_checks.py runs them."""

import math

import torch
from count_checks import FlopsProfiler, profiled, said
from torch import nn

from flopsprof.deepspeed.counting.mode import OperatorMode


class Scale(nn.Module):
    """One product of each row with `width` weights, one addition and one product for each element."""

    def __init__(self, width=3):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(8, width))
        self.width = width
        self.function = torch.tanh

    def forward(self, x, factor=2.0):
        sizes = x.size()[:-1] + (self.width,)
        x = torch.matmul(x.view(-1, x.size(-1)), self.weight).view(sizes)
        return self.function(x * factor + math.sqrt(2.0))


def scaled(rows, width) -> tuple:
    return 2 * rows * 8 * width + 3 * rows * width, rows * 8 * width


class Branches(nn.Module):
    def forward(self, x):
        return x * 2 if x.sum() > 0 else x


class Picks(nn.Module):
    """As many elements go on as are greater than nothing."""

    def forward(self, x):
        return x[x > 0] * 2


class Calls(nn.Module):
    def forward(self, x):
        return twice(x)


def twice(x):
    return x * 2 if x[0, 0] > 0 else x


class Root(nn.Module):
    def __init__(self, *parts):
        super().__init__()
        self.parts = nn.ModuleList(parts)

    def forward(self, *inputs):
        for part, x in zip(self.parts, inputs):
            part(x)


def run(model, *inputs) -> tuple:
    """(flops, MACs, operators that our mode has seen) of one forward."""
    seen, own = [], OperatorMode.__torch_dispatch__

    def watched(self, func, types, args=(), kwargs=None):
        seen.append(func)
        return own(self, func, types, args, kwargs)

    OperatorMode.__torch_dispatch__ = watched
    try:
        profiler = profiled(model, *inputs)
    finally:
        OperatorMode.__torch_dispatch__ = own
    found = profiler.get_total_flops(), profiler.get_total_macs(), len(seen)
    profiler.end_profile()
    return found


def added(*counted) -> tuple:
    return tuple(map(sum, zip(*counted)))


def test_a_straight_layer_is_counted_once_for_all_of_its_kind():
    x = torch.zeros(4, 8)
    one, four = run(Root(Scale()), x), run(Root(*(Scale() for _ in range(4))), x, x, x, x)
    assert one[:2] == scaled(4, 3) and four[:2] == added(*[scaled(4, 3)] * 4)
    assert one[2] == four[2] > 0  # the other three met no mode


def test_a_straight_layer_is_counted_anew_where_anything_differs():
    double = torch.zeros(4, 8, dtype=torch.float64)
    wide, other = Scale(5), Scale()
    other.function = torch.Tensor.double  # no function of the lists, and no work
    model = Root(Scale(), Scale(), wide, other, Scale().double())
    inputs = (torch.zeros(4, 8), torch.zeros(2, 3, 8), torch.zeros(4, 8), torch.zeros(4, 8), double)
    expected = added(scaled(4, 3), scaled(6, 3), scaled(4, 5), scaled(4, 3), scaled(4, 3))
    assert run(model, *inputs)[:2] == (expected[0] - 4 * 3, expected[1])


def test_what_values_decide_is_never_taken_from_another_call():
    ones, zeros = torch.ones(4, 8), torch.zeros(4, 8)
    half = torch.cat([ones, zeros])
    # A sum has as many additions as elements go in.
    branches = run(Root(Branches(), Branches()), ones, zeros)
    assert branches[0] == 2 * 32 + 32, branches
    assert run(Root(Picks(), Picks()), torch.ones(8, 8), half)[0] == 64 + 32
    assert run(Root(Calls(), Calls()), ones, zeros)[0] == 32


def test_a_forward_put_in_later_is_the_one_that_counts():
    changed = Scale()
    changed.forward = lambda x: x * 2
    x = torch.zeros(4, 8)
    assert run(Root(Scale(), changed), x, x)[:2] == added(scaled(4, 3), (32, 0))


def test_a_compiled_layer_tells_nothing_of_others():
    compiled, x = Scale(), torch.zeros(4, 8)
    compiled._compiled_call_impl = lambda x: x  # as Module.compile() leaves it, of a compiler that drops all
    found, log, _ = said(lambda: run(Root(compiled, Scale()), x, x))
    assert found[:2] == scaled(4, 3) and "compiled code" in log


def test_a_straight_layer_that_raises_leaves_nothing_behind():
    x = torch.zeros(4, 8)
    model = Root(Scale(), Scale())
    model.parts[1].weight.data = torch.ones(9, 3)
    profiler = FlopsProfiler(model)
    profiler.start_profile()
    for _ in range(2):
        try:
            model(x, x)
        except RuntimeError as error:
            assert "mat1 and mat2" in str(error)
    model.parts[1].weight.data = torch.ones(8, 3)
    model(x, x)
    assert profiler.get_total_macs() == 4 * scaled(4, 3)[1]
    assert torch._C._len_torch_dispatch_stack() == 0
    said(profiler.end_profile)


def test_work_by_operator_has_straight_layers_too():
    x = torch.zeros(4, 8)
    profiler = profiled(Root(Scale(), Scale()), x, x, operators=True)
    found = profiler.work_by_operator()
    assert found == {"aten::mm": (2 * 2 * 96, 2 * 96), "aten::mul": (24, 0), "aten::add": (24, 0),
                     "aten::tanh": (24, 0)}, found  # fmt: skip
    profiler.end_profile()

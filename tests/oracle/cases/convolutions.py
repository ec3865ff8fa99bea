# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Convolutions of one to three dimensions, plain, grouped, depthwise and transposed.

Right numbers: 2 N Cout (product of the output sizes) (Cin / g) (product of the kernel sizes), with
output size floor((in + before + after - d (k - 1) - 1) / s) + 1; taps that fall on zero padding
count. A transposed one: 2 N Cin (product of the input sizes) (Cout / g) (product of the kernel
sizes). Each gradient has as many; padding "same" with an even kernel pads one more behind.
"""

import torch
from case import T, layer, product
from torch import nn
from torch.nn import functional as F


def output_size(size, kernel, stride, padding, dilation) -> int:
    padded = size + (dilation * (kernel - 1) if padding == "same" else 2 * padding)
    return (padded - dilation * (kernel - 1) - 1) // stride + 1


def convolution(
    rank, cin, cout, kernel, size, batch=2, stride=1, padding=0, dilation=1, groups=1, bias=True,
    dtype="fp32", input_grad=True, layout="", name="", family="conv", unbatched=False,
):  # fmt: skip
    outputs = [output_size(s, kernel, stride, padding, dilation) for s in size]
    flops = 2 * batch * cout * product(*outputs) * (cin // groups) * kernel**rank
    kind = (nn.Conv1d, nn.Conv2d, nn.Conv3d)[rank - 1]
    shape = (cin, *size) if unbatched else (batch, cin, *size)
    # What a tool gets wrong that takes half of the padding of "same" on each side.
    short = [
        (s + 2 * (dilation * (kernel - 1) // 2) - dilation * (kernel - 1) - 1) // stride + 1
        for s in size
    ]
    return layer(
        family,
        name
        or f"{rank}d {cin} to {cout} k{kernel} {'x'.join(map(str, size))} s{stride} p{padding}"
        f" d{dilation} g{groups}{' bias' if bias else ''}{'' if dtype == 'fp32' else ' ' + dtype}"
        f"{' first layer' if not input_grad else ''}",
        lambda: kind(
            cin, cout, kernel, stride=stride, padding=padding, dilation=dilation, groups=groups,
            bias=bias,
        ),  # fmt: skip
        (T(shape, dtype, grad=input_grad, layout=layout),),
        flops,
        flops * (2 if input_grad else 1),
        dtype,
        out=batch * cout * product(*outputs),
        bias=bias,
        groups=groups,
        depthwise=groups == cin and groups > 1,
        rank=rank,
        cin=cin,
        cout=cout,
        same=padding == "same",
        unbatched=unbatched,
        input_grad=input_grad,
        short_same=batch * cout * product(*short) * (cin // groups) * kernel**rank,
        short_out=batch * cout * product(*short),
    )


def transposed(
    rank, cin, cout, kernel, size, batch=2, stride=1, padding=0, output_padding=0, groups=1,
    bias=True, dilation=1, input_grad=True,
):  # fmt: skip
    flops = 2 * batch * cin * product(*size) * (cout // groups) * kernel**rank
    outputs = [
        (s - 1) * stride - 2 * padding + dilation * (kernel - 1) + output_padding + 1
        for s in size
    ]
    kind = (nn.ConvTranspose1d, nn.ConvTranspose2d, nn.ConvTranspose3d)[rank - 1]
    return layer(
        "conv transposed",
        f"{rank}d {cin} to {cout} k{kernel} {'x'.join(map(str, size))} s{stride} p{padding}"
        f" op{output_padding} d{dilation} g{groups}{' bias' if bias else ''}"
        f"{' first layer' if not input_grad else ''}",
        lambda: kind(
            cin, cout, kernel, stride=stride, padding=padding, output_padding=output_padding,
            groups=groups, bias=bias, dilation=dilation,
        ),  # fmt: skip
        (T((batch, cin, *size), grad=input_grad),),
        flops,
        flops * (2 if input_grad else 1),
        out=batch * cout * product(*outputs),
        bias=bias,
        groups=groups,
        depthwise=groups == cin and groups > 1,
        rank=rank,
        cin=cin,
        cout=cout,
        input_grad=input_grad,
    )


def plain():
    for kernel, stride, padding, dilation in (
        (1, 1, 0, 1), (3, 1, 0, 1), (3, 1, 1, 1), (3, 2, 1, 1), (3, 1, 2, 2), (5, 1, 2, 1),
        (5, 2, 0, 1), (7, 2, 3, 1), (4, 3, 1, 1), (2, 2, 0, 1),
    ):  # fmt: skip
        yield convolution(
            2, 8, 16, kernel, (14, 17), stride=stride, padding=padding, dilation=dilation
        )
    for dtype in ("fp64", "fp16", "bf16"):
        yield convolution(2, 8, 16, 3, (12, 12), padding=1, dtype=dtype)
        yield convolution(2, 8, 16, 1, (12, 12), dtype=dtype, bias=False)
    for groups in (2, 4):
        yield convolution(2, 8, 16, 3, (12, 12), padding=1, groups=groups)
        yield convolution(2, 16, 8, 3, (12, 12), stride=2, groups=groups, bias=False)
    for batch in (1, 5):
        yield convolution(
            2, 3, 6, 5, (32, 32), batch=batch, input_grad=False,
            name=f"2d 3 to 6 k5 first layer, batch {batch}",
        )  # fmt: skip
    yield convolution(2, 8, 16, 3, (12, 12), padding=1, layout="cl", name="2d channels last")
    yield convolution(2, 64, 32, 1, (7, 7), bias=False)
    for kernel, stride, padding, groups in (
        (3, 1, 1, 1), (5, 2, 0, 1), (5, 1, 4, 2), (9, 4, 4, 1), (1, 1, 0, 1), (2, 2, 0, 1),
    ):  # fmt: skip
        yield convolution(1, 8, 12, kernel, (50,), stride=stride, padding=padding, groups=groups)
    yield convolution(1, 8, 12, 3, (50,), dilation=4, padding=4)
    yield convolution(1, 8, 12, 3, (50,), dtype="fp16")
    yield convolution(1, 8, 12, 3, (50,), input_grad=False)
    for kernel, stride, padding, groups in (
        (3, 1, 1, 1), (3, 2, 1, 1), (1, 1, 0, 1), (2, 2, 0, 1), (3, 1, 1, 2),
    ):  # fmt: skip
        yield convolution(
            3, 4, 8, kernel, (6, 8, 10), stride=stride, padding=padding, groups=groups
        )
    yield convolution(3, 4, 8, 3, (6, 8, 10), dilation=2, padding=2)
    yield convolution(3, 1, 1, 3, (5, 5, 5), batch=1, bias=False)


def same():
    for kernel in (2, 3, 4, 6):
        yield convolution(2, 4, 6, kernel, (9, 10), padding="same")
    yield convolution(1, 4, 6, 4, (21,), padding="same")
    yield convolution(1, 4, 6, 2, (21,), padding="same", dilation=3)
    yield convolution(2, 4, 6, 3, (9, 9), batch=1, unbatched=True, name="2d without a batch")
    yield convolution(1, 4, 6, 3, (9,), batch=1, unbatched=True, name="1d without a batch")

    class Lists(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(torch.zeros(6, 4, 3, 3))

        def forward(self, x):
            return F.conv2d(x, self.weight, stride=[1, 1], padding=[1, 1])

    flops = 2 * 2 * 6 * 64 * 4 * 9
    yield layer(
        "conv", "2d with lists as sizes", Lists, (T((2, 4, 8, 8)),), flops, 2 * flops,
        out=768, bias=False, groups=1, depthwise=False, rank=2, lists=True,
    )  # fmt: skip

    class Rectangle(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv2d(4, 6, (3, 5), stride=(2, 1), padding=(1, 0), bias=False)

        def forward(self, x):
            return self.conv(x)

    flops = 2 * 2 * 6 * (5 * 8) * 4 * 15
    yield layer(
        "conv", "2d of a rectangle", Rectangle, (T((2, 4, 9, 12)),), flops, 2 * flops,
        out=480, bias=False, groups=1, depthwise=False, rank=2,
    )  # fmt: skip


def depthwise():
    for kernel, stride, channels, multiplier in (
        (3, 1, 8, 1), (3, 2, 8, 1), (5, 1, 16, 1), (3, 1, 8, 2), (7, 1, 8, 1), (1, 1, 8, 1),
    ):  # fmt: skip
        yield convolution(
            2, channels, channels * multiplier, kernel, (12, 12), stride=stride,
            padding=kernel // 2, groups=channels, family="conv depthwise",
        )  # fmt: skip
    yield convolution(1, 8, 8, 3, (30,), padding=1, groups=8, family="conv depthwise")
    yield convolution(3, 4, 4, 3, (6, 6, 6), padding=1, groups=4, family="conv depthwise")
    yield convolution(
        2, 8, 8, 3, (12, 12), padding=1, groups=8, dtype="fp16", family="conv depthwise"
    )
    yield convolution(
        2, 8, 8, 3, (12, 12), padding=1, groups=8, dtype="bf16", family="conv depthwise"
    )


def upwards():
    for kernel, stride, padding, output_padding, groups in (
        (4, 2, 1, 0, 1), (3, 1, 1, 0, 1), (3, 2, 1, 1, 1), (2, 2, 0, 0, 1), (4, 2, 1, 0, 2),
        (3, 2, 0, 1, 4), (1, 1, 0, 0, 1), (5, 3, 0, 0, 1),
    ):  # fmt: skip
        for bias in (True, False):
            yield transposed(
                2, 4, 8, kernel, (8, 7), stride=stride, padding=padding,
                output_padding=output_padding, groups=groups, bias=bias,
            )  # fmt: skip
    yield transposed(2, 4, 8, 3, (8, 7), dilation=2)
    yield transposed(2, 3, 1, 2, (2, 2), batch=1, stride=2)
    yield transposed(2, 12, 24, 2, (8, 16), stride=2, input_grad=False)
    yield transposed(2, 4, 4, 3, (8, 8), stride=2, padding=1, output_padding=1, groups=4)
    for kernel, stride, groups in ((4, 4, 1), (5, 2, 1), (4, 2, 2)):
        yield transposed(1, 8, 4, kernel, (25,), stride=stride, groups=groups)
    for kernel, stride in ((2, 2), (3, 1)):
        yield transposed(3, 4, 2, kernel, (3, 4, 5), stride=stride)


def cases():
    for family in (plain, same, depthwise, upwards):
        yield from family()

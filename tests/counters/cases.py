# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Small models: the right numbers by hand, and by hand what each tool says instead.

A tool that is not named in `others` says the right number in its own unit (`expected`). Reasons are
keys of `REASONS`.
"""

from dataclasses import dataclass, field

import torch
import torch.nn.functional as F
from torch import nn

# What a tool's number means: of a case with (flops, MACs), what it says where it is right.
UNITS = {
    "fvcore": lambda flops, macs: {"flops": macs},
    "ptflops": lambda flops, macs: {"macs": macs},
    "thop": lambda flops, macs: {"macs": macs},
    "calflops": lambda flops, macs: {"flops": flops, "macs": macs},
    "torchinfo": lambda flops, macs: {"mult_adds": macs},
    "FlopCounterMode": lambda flops, macs: {"flops": 2 * macs},
    "DeepSpeed": lambda flops, macs: {"flops": flops, "macs": macs},
}

REASONS = {
    "bias": "the addition of a bias is a MAC; here it is one flop for each element of the result, and no MAC",
    "no-bias": "no flops for the bias of a linear layer; here one for each element of the result",
    "first-size": "parameters times the first size of the result; its other sizes are lost",
    "parameters": "each parameter is a MAC for each image or text, also where it is only added or looked up",
    "transposed": "a transposed convolution is counted by the size of its result; the products go over its input",
    "transposed-bias": "size of the result by the formula of another convolution, so the bias counts too little",
    "layers-only": "only some layers of torch.nn are counted; this is a function, or another layer",
    "operator": "the operator @ is not replaced and not seen; torch.matmul is",
    "attention": "scaled_dot_product_attention has no formula, at least for the kernel of the CPU",
    "other-functions": "operators and functions that are not replaced (+, torch.softmax) count nothing",
    "broadcast": "a left operand that is broadcast is counted as it was given; here the products that run",
    "shared": "a layer under several parents is counted once more for each of them",
    "recurrent": "a recurrent layer is unknown and counts nothing",
    "recurrent-elements": "arithmetic on elements (gates, biases) is among the MACs; here it is flops",
    "recurrent-products": "products of a recurrent layer are flops of 2k - 1 for k products, without MACs",
    "elements": "norms, activations and pools are among the MACs, at other rates; here they are flops without MACs",
    "twice": "an activation or pool is counted as a layer, and again as the function that the layer calls",
    "norms": "a norm is among the MACs; activations count nothing",
    "heads": "scaling, softmax and biases of attention are among the MACs",
}


@dataclass
class Case:
    name: str
    make: object
    inputs: object
    flops: int
    macs: int
    others: dict = field(default_factory=dict)  # tool -> (numbers, reason)

    def expected(self, tool) -> tuple:
        """(numbers by their name, reason or None) of a tool."""
        right = UNITS[tool](self.flops, self.macs)
        if tool not in self.others:
            return right, None
        numbers, reason = self.others[tool]
        return dict(zip(right, numbers if isinstance(numbers, tuple) else (numbers,))), reason


class Calls(nn.Module):
    """A function in a model with a parameter."""

    def __init__(self, function):
        super().__init__()
        self.unused = nn.Parameter(torch.zeros(1))
        self._function = function


class CallsOne(Calls):
    def forward(self, q):
        return self._function(q)


class CallsTwo(Calls):
    def forward(self, a, b):
        return self._function(a, b)


class Parent(nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def forward(self, x):
        return self.layer(x)


class Shared(nn.Module):
    def __init__(self):
        super().__init__()
        layer = nn.Linear(100, 100, bias=False)
        self.a, self.b, self.c = Parent(layer), Parent(layer), Parent(layer)

    def forward(self, x):
        return self.a(x) + self.b(x) + self.c(x)


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(16, 4, batch_first=True)

    def forward(self, x):
        return self.attention(x, x, x, need_weights=False)[0]


def of_layers(*layers):
    return lambda: nn.Sequential(*(layer() for layer in layers))


def zeros(*sizes, dtype=torch.float32):
    return lambda: torch.zeros(sizes, dtype=dtype)


def by_matmul(q):
    return torch.matmul(torch.softmax(torch.matmul(q, q.transpose(-1, -2)), -1), q)


ATTENTION = 2 * (2 * 4 * 16 * 16 * 8)  # two products of (2, 4, 16, 8), for each of 2 x 4 heads 16 x 16 x 8
GATES = 4 * 20 * (10 + 20)  # products of one LSTM(10, 20) for one token
# Theirs: rows of k products are 2k - 1 flops, for input and state; 2 biases of 4 gates; 10 pointwise operations.
LSTM_FLOPS = 15 * (4 * 20 * ((2 * 10 - 1) + (2 * 20 - 1)) + (2 * 4 + 10) * 20)
IMAGE = 2 * 8 * 4 * 4  # elements

CASES = [
    Case("nn.Linear(8, 16), four rows", of_layers(lambda: nn.Linear(8, 16)), [zeros(4, 8)],
         2 * 4 * 8 * 16 + 4 * 16, 4 * 8 * 16, {
             "ptflops": (4 * (8 * 16 + 16), "bias"),
             "torchinfo": (4 * (8 * 16 + 16), "bias"),
             "calflops": ((2 * 4 * 8 * 16, 4 * 8 * 16), "no-bias"),
             "DeepSpeed": ((2 * 4 * 8 * 16, 4 * 8 * 16), "no-bias"),
         }),
    Case("the same without bias, 2 x 5 rows", of_layers(lambda: nn.Linear(8, 16, bias=False)), [zeros(2, 5, 8)],
         2 * 10 * 8 * 16, 10 * 8 * 16, {"torchinfo": (2 * 8 * 16, "first-size")}),
    Case("nn.Conv2d(3, 8, 3, padding=1), 2 x 16 x 16", of_layers(lambda: nn.Conv2d(3, 8, 3, padding=1)),
         [zeros(2, 3, 16, 16)], (2 * 27 + 1) * 2 * 8 * 256, 27 * 2 * 8 * 256, {
             "ptflops": ((27 + 1) * 2 * 8 * 256, "bias"),
             "torchinfo": ((27 + 1) * 2 * 8 * 256, "bias"),
         }),
    Case("a depthwise one, 8 channels, without bias",
         of_layers(lambda: nn.Conv2d(8, 8, 3, padding=1, groups=8, bias=False)), [zeros(2, 8, 16, 16)],
         2 * 9 * 2 * 8 * 256, 9 * 2 * 8 * 256),
    Case("nn.ConvTranspose2d(4, 6, 4, stride=2, padding=1), 2 x 8 x 8",
         of_layers(lambda: nn.ConvTranspose2d(4, 6, 4, stride=2, padding=1)), [zeros(2, 4, 8, 8)],
         2 * (2 * 64 * 4 * 6 * 16) + 2 * 6 * 256, 2 * 64 * 4 * 6 * 16, {
             "ptflops": (2 * 64 * 4 * 6 * 16 + 2 * 6 * 256, "bias"),
             "thop": (2 * 256 * 4 * 6 * 16, "transposed"),
             "torchinfo": (2 * 256 * (4 * 6 * 16 + 6), "transposed"),
             # (8 + 2 - (4 - 1) - 1) // 2 + 1 = 4 rows and columns
             "calflops": ((2 * (2 * 64 * 4 * 6 * 16) + 2 * 6 * 4 * 4, 2 * 64 * 4 * 6 * 16), "transposed-bias"),
         }),
    Case("nn.BatchNorm2d(8), nn.ReLU(), 2 x 4 x 4, in eval", of_layers(lambda: nn.BatchNorm2d(8), nn.ReLU),
         [zeros(2, 8, 4, 4)], 2 * IMAGE + IMAGE, 0, {
             "fvcore": (2 * IMAGE, "norms"),
             "ptflops": (2 * IMAGE + 2 * IMAGE, "twice"),
             "thop": (4 * IMAGE, "norms"),
             "torchinfo": (2 * (8 + 8), "parameters"),
         }),
    Case("nn.Conv2d(8, 8, 1), nn.MaxPool2d(2), 2 x 4 x 4, without bias",
         of_layers(lambda: nn.Conv2d(8, 8, 1, bias=False), lambda: nn.MaxPool2d(2)), [zeros(2, 8, 4, 4)],
         2 * IMAGE * 8 + IMAGE, IMAGE * 8, {"ptflops": (IMAGE * 8 + 2 * IMAGE, "twice")}),
    Case("nn.LayerNorm(16), 2 x 5", of_layers(lambda: nn.LayerNorm(16)), [zeros(2, 5, 16)],
         5 * 160, 0, {
             "fvcore": (5 * 160, "norms"),
             "ptflops": (160, "elements"),
             "thop": (4 * 160, "norms"),
             "torchinfo": (2 * (16 + 16), "parameters"),
         }),
    Case("nn.Embedding(100, 16), 2 x 5", of_layers(lambda: nn.Embedding(100, 16)),
         [zeros(2, 5, dtype=torch.int64)], 0, 0, {"torchinfo": (2 * 1600, "parameters")}),
    Case("torch.matmul, torch.softmax, torch.matmul, 2 x 4 heads of 16 x 8", lambda: CallsOne(by_matmul),
         [zeros(2, 4, 16, 8)], 2 * ATTENTION + 2 * 4 * 16 * 16, ATTENTION, {
             "thop": (0, "layers-only"), "torchinfo": (0, "layers-only"),
             "calflops": ((2 * ATTENTION, ATTENTION), "other-functions"),
             "DeepSpeed": ((2 * ATTENTION, ATTENTION), "other-functions"),
         }),
    Case("both products by @", lambda: CallsOne(lambda q: (q @ q.transpose(-1, -2)) @ q),
         [zeros(2, 4, 16, 8)], 2 * ATTENTION, ATTENTION, {
             "thop": (0, "layers-only"), "torchinfo": (0, "layers-only"),
             "ptflops": (0, "operator"), "calflops": ((0, 0), "operator"),
         }),
    Case("F.scaled_dot_product_attention of the same",
         lambda: CallsOne(lambda q: F.scaled_dot_product_attention(q, q, q)), [zeros(2, 4, 16, 8)],
         2 * ATTENTION, ATTENTION, {
             "fvcore": (0, "attention"), "ptflops": (0, "attention"), "calflops": ((0, 0), "attention"),
             "FlopCounterMode": (0, "attention"), "thop": (0, "layers-only"), "torchinfo": (0, "layers-only"),
         }),
    Case("torch.matmul of (2, 1, 4, 8) and (3, 8, 5)", lambda: CallsTwo(lambda a, b: torch.matmul(a, b)),
         [zeros(2, 1, 4, 8), zeros(3, 8, 5)], 2 * 2 * 3 * 4 * 8 * 5, 2 * 3 * 4 * 8 * 5, {
             "fvcore": (2 * 4 * 8 * 5, "broadcast"), "ptflops": (2 * 4 * 8 * 5, "broadcast"),
             "calflops": ((2 * 2 * 4 * 8 * 5, 2 * 4 * 8 * 5), "broadcast"),
             "DeepSpeed": ((2 * 2 * 4 * 8 * 5, 2 * 4 * 8 * 5), "broadcast"),
             "thop": (0, "layers-only"), "torchinfo": (0, "layers-only"),
         }),
    Case("one nn.Linear(100, 100) without bias under three parents, the results added", Shared, [zeros(1, 100)],
         3 * 2 * 10000 + 2 * 100, 3 * 10000, {
             "ptflops": (3 * 3 * 10000, "shared"), "thop": (9 * 3 * 10000, "shared"),
             "calflops": ((3 * 3 * 2 * 10000, 3 * 3 * 10000), "shared"),
             "DeepSpeed": ((3 * 2 * 10000, 3 * 10000), "other-functions"),
         }),
    Case("nn.LSTM(10, 20), 5 steps of 3", of_layers(lambda: nn.LSTM(10, 20)), [zeros(5, 3, 10)],
         # two biases of 4 gates, and DeepSpeed's convention of 10 pointwise operations, for each of 20 units
         15 * (2 * GATES + (2 * 4 + 10) * 20), 15 * GATES, {
             "fvcore": (0, "recurrent"), "FlopCounterMode": (0, "recurrent"),
             "ptflops": (15 * (GATES + 4 * 20 + 6 * 20 + 8 * 20), "recurrent-elements"),
             "thop": (15 * (GATES + 4 * 20 + 8 * 20 + 4 * 20), "recurrent-elements"),
             "torchinfo": (15 * (GATES + 8 * 20), "bias"),
             "calflops": ((LSTM_FLOPS, 0), "recurrent-products"), "DeepSpeed": ((LSTM_FLOPS, 0), "recurrent-products"),
         }),
    Case("nn.MultiheadAttention(16, 4), 2 x 5", Attention, [zeros(2, 5, 16)],
         2 * (4 * 10 * 256 + 2 * 2 * 25 * 16) + 4 * 10 * 16, 4 * 10 * 256 + 2 * 2 * 25 * 16, {
             "fvcore": (4 * 10 * 256, "attention"), "FlopCounterMode": (2 * 4 * 10 * 256, "attention"),
             "calflops": ((2 * 4 * 10 * 256, 4 * 10 * 256), "attention"),
             "ptflops": (2 * (5 * 16 + 3 * 5 * 256 + 15 * 16 + 4 * (100 + 25 + 100) + 5 * 16 * 17), "heads"),
             "thop": (0, "layers-only"), "torchinfo": (0, "layers-only"),
             "DeepSpeed": ((2 * (4 * 10 * 256 + 2 * 2 * 25 * 16), 4 * 10 * 256 + 2 * 2 * 25 * 16), "no-bias"),
         }),
]  # fmt: skip

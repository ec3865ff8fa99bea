# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""The formulas: (flops, MACs) of one operation from shapes. Whole numbers only.

A multiply-add is two flops and one MAC. MACs are those of products (linear, matrix products,
convolutions, attention, recurrent layers); everything else has flops and no MACs.
"""


def prod(sizes) -> int:
    number = 1
    for size in sizes:
        number *= int(size)
    return number


def product(macs: int, additions: int = 0, is_complex: bool = False) -> tuple:
    """A complex multiply-add is four real ones, a complex addition two real ones."""
    if is_complex:
        macs, additions = 4 * macs, 2 * additions
    return 2 * macs + additions, macs


def convolution_macs(x, weight, out, transposed: bool) -> int:
    """Each weight meets each pixel: of the output, or of the input of a transposed one.

    `weight` is (Cout, Cin / groups, kernel ...), transposed (Cin, Cout / groups, kernel ...);
    so the number of pixels with their first channel, times what one of them meets.
    """
    return prod(x if transposed else out) * prod(weight[1:])


def attention_macs(query, key, value) -> int:
    """(..., heads, sequence, width): all pairs of query and key, by the query's heads."""
    pairs = prod(query[:-1]) * int(key[-2])
    return pairs * (int(query[-1]) + int(value[-1]))


# Pointwise operations of a cell for each of its hidden units, DeepSpeed's convention, activations
# not counted: sums of the two products, of the gates with the state.
POINTWISE = {"RNN": 1, "GRU": 7, "LSTM": 10}
GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}


def recurrent(kind, tokens, hidden, state, inputs, layers, directions, bias) -> tuple:
    """All layers and directions. `state` is the size of what is fed back: a projection's, or hidden."""
    macs = flops = 0
    for layer in range(layers):
        width = inputs if layer == 0 else state * directions
        gates = GATES[kind] * hidden
        own = gates * (width + state) + (state * hidden if state != hidden else 0)
        macs += directions * tokens * own
        flops += directions * tokens * (POINTWISE[kind] * hidden + (2 * gates if bias else 0))
    return 2 * macs + flops, macs


def normalisation(elements: int, affine: bool) -> tuple:
    """Mean, variance, and the two steps with them: DeepSpeed's convention for every norm."""
    return elements * (5 if affine else 4), 0


def batch_norm(elements: int, affine: bool, batch_statistics: bool) -> tuple:
    if batch_statistics:
        return normalisation(elements, affine)
    return elements * (2 if affine else 1), 0


def rms_norm(elements: int, affine: bool) -> tuple:
    """Square, sum, scale, and the weight."""
    return elements * (4 if affine else 3), 0


DROPOUT = 2  # operations of an element that may be dropped: the mask is scaled, then applied

# Operations of one output element: as many products as there are neighbours, as DeepSpeed's table
# is read by its own review (bilinear 4).
INTERPOLATION = {
    "nearest": 1,
    "nearest-exact": 1,
    "area": 1,
    "linear": 2,
    "bilinear": 4,
    "bicubic": 16,
    "trilinear": 8,
}

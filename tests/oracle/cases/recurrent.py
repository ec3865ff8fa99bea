# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""RNN, LSTM and GRU: products of the gates, per token, layer and direction.

Right numbers, for G gates (LSTM 4, GRU 3, RNN 1), input I, state H, projection R:
2 tokens (G H I + G H R' + R H if projected), R' = R if projected, else H. Each gradient has as
many. A packed batch has the tokens of its sequences, not of the longest one.
"""

from case import T, layer
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence

GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}
# Elementwise operations of the gates, by hidden unit, as DeepSpeed counts them.
POINTWISE = {"LSTM": 10, "GRU": 7, "RNN": 1}


def flops_of(kind, tokens, size, hidden, layers=1, directions=1, projection=0) -> int:
    gates, total = GATES[kind], 0
    state = projection or hidden
    for number in range(layers):
        inputs = size if number == 0 else state * directions
        one = gates * hidden * (inputs + state) + projection * hidden
        total += 2 * tokens * one * directions
    return total


class First(nn.Module):
    """The output sequence of a recurrent layer."""

    def __init__(self, inner, lengths=None):
        super().__init__()
        self.inner = inner
        self.lengths = lengths

    def forward(self, x):
        if self.lengths is not None:
            x = pack_padded_sequence(x, self.lengths)
        out = self.inner(x)[0]
        return out.data if self.lengths is not None else out


def recurrent(kind, steps=5, batch=3, size=10, hidden=20, unbatched=False, lengths=None, **options):
    layers = options.get("num_layers", 1)
    directions = 2 if options.get("bidirectional") else 1
    tokens = sum(lengths) if lengths else steps * (1 if unbatched else batch)
    flops = flops_of(
        kind, tokens, size, hidden, layers, directions, options.get("proj_size", 0)
    )
    shape = (steps, size) if unbatched else (steps, batch, size)
    name = ", ".join(f"{k}={v}" for k, v in options.items())
    projection = options.get("proj_size", 0)
    stacks = layers * directions
    return layer(
        "recurrent",
        f"{kind}({size}, {hidden}{', ' + name if name else ''})"
        f"{' without a batch' if unbatched else ''}{f' packed {lengths}' if lengths else ''}",
        lambda: First(getattr(nn, kind)(size, hidden, **options), lengths),
        (T(shape),),
        flops,
        2 * flops,
        kind=kind,
        cell=False,
        lengths=bool(lengths),
        unbatched=unbatched,
        features=size,
        projection=2 * tokens * projection * hidden * stacks,
        pointwise=POINTWISE[kind] * hidden * tokens * stacks,
        # Products with the recurrent weights for the gradient of the state before step one.
        first_state=2 * (1 if unbatched else batch) * stacks * GATES[kind] * hidden
        * (projection or hidden),
    )  # fmt: skip


def cell(kind, batch=3, size=10, hidden=20):
    flops = flops_of(kind.removesuffix("Cell"), batch, size, hidden)

    class Cell(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = getattr(nn, kind)(size, hidden)

        def forward(self, x, h):
            if kind == "LSTMCell":
                return self.inner(x, (h, h))[0]
            return self.inner(x, h)

    return layer(
        "recurrent", f"{kind}({size}, {hidden})", Cell, (T((batch, size)), T((batch, hidden))),
        flops, 2 * flops, kind=kind, cell=True, projection=0,
        pointwise=POINTWISE[kind.removesuffix("Cell")] * hidden * batch,
    )  # fmt: skip


def cases():
    for kind in GATES:
        yield recurrent(kind)
        yield recurrent(kind, num_layers=2)
        yield recurrent(kind, bidirectional=True, num_layers=2)
        yield recurrent(kind, unbatched=True)
        yield recurrent(kind, batch=3, steps=4, lengths=[4, 3, 2])
        yield cell(kind + "Cell")
    yield recurrent("LSTM", proj_size=8)
    yield recurrent("LSTM", batch_first=True, steps=3, batch=5)

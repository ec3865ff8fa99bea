# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Matrix products: mm, addmm, bmm, baddbmm, matmul, einsum, vectors, linear layers.

C = A B with sizes m x k and k x n: 2 m n k. Its backward has two products of the same size, one
for each operand that wants a gradient. A bias, beta and alpha are no products.
"""

import torch
from case import T, function, layer, multiply_adds, product
from torch import nn
from torch.nn import functional as F

FLOATS = ("fp32", "fp64", "fp16", "bf16", "c64", "c128")


def mm():
    sizes = [(4, 8, 16), (3, 5, 7), (64, 32, 16), (1, 9, 11), (17, 1, 13)]
    layouts = [("", ""), ("t", ""), ("", "t"), ("t", "t"), ("gap", "")]
    for i, dtype in enumerate(FLOATS):
        for j, (a, b) in enumerate(layouts):
            m, n, k = sizes[(i + j) % len(sizes)]
            flops = multiply_adds(m, n, k, dtype=dtype)
            yield function(
                "mm",
                f"{m}x{k} {k}x{n} {dtype} {a or 'n'}{b or 'n'}",
                lambda x, y: torch.mm(x, y),
                (T((m, k), dtype, layout=a), T((k, n), dtype, layout=b)),
                flops,
                2 * flops,
            )
    yield function(
        "mm", "only the left operand wants a gradient", lambda x, y: torch.mm(x, y),
        (T((6, 10)), T((10, 4), grad=False)), 480, 480,
    )  # fmt: skip
    yield function(
        "mm", "only the right operand wants a gradient", lambda x, y: torch.mm(x, y),
        (T((6, 10), grad=False), T((10, 4))), 480, 480,
    )  # fmt: skip
    yield function(
        "mm", "a matrix by itself", lambda x: torch.mm(x, x), (T((12, 12)),),
        2 * 12**3, 4 * 12**3,
    )  # fmt: skip
    yield function(
        "mm", "chain of three", lambda x, y, z: torch.linalg.multi_dot([x, y, z]),
        (T((4, 8)), T((8, 6)), T((6, 3))),
        # (4x8 8x6) 6x3: 192 + 72 multiply-adds; the other order needs 144 + 96.
        2 * (8 * 6 * 3 + 4 * 8 * 3), 4 * (8 * 6 * 3 + 4 * 8 * 3), op="multi_dot",
    )  # fmt: skip


def addmm():
    for dtype in FLOATS:
        for bias in ("row", "matrix"):
            m, n, k = 6, 10, 14
            shape = (n,) if bias == "row" else (m, n)
            flops = multiply_adds(m, n, k, dtype=dtype)
            yield function(
                "addmm",
                f"{m}x{k} {k}x{n} {dtype} bias {bias}",
                lambda c, x, y: torch.addmm(c, x, y),
                (T(shape, dtype), T((m, k), dtype), T((k, n), dtype)),
                flops,
                2 * flops,
                out=m * n,
                bias_numel=product(*shape),
            )
    flops = multiply_adds(6, 10, 14)
    for beta, alpha in ((0, 1), (2, 1), (1, 0.5), (0, 3)):
        yield function(
            "addmm",
            f"beta={beta} alpha={alpha}",
            lambda c, x, y, beta=beta, alpha=alpha: torch.addmm(c, x, y, beta=beta, alpha=alpha),
            (T((10,)), T((6, 14)), T((14, 10))),
            flops,
            2 * flops,
            out=60,
            bias_numel=10,
        )


def bmm():
    for dtype in FLOATS:
        for a, b in (("", ""), ("t", ""), ("", "t")):
            batch, m, n, k = 5, 4, 6, 8
            flops = multiply_adds(batch, m, n, k, dtype=dtype)
            yield function(
                "bmm",
                f"{batch}x{m}x{k} {k}x{n} {dtype} {a or 'n'}{b or 'n'}",
                lambda x, y: torch.bmm(x, y),
                (T((batch, m, k), dtype, layout=a), T((batch, k, n), dtype, layout=b)),
                flops,
                2 * flops,
            )
    yield function(
        "bmm", "one batch", lambda x, y: torch.bmm(x, y), (T((1, 4, 8)), T((1, 8, 6))),
        384, 768,
    )  # fmt: skip
    for dtype in ("fp32", "fp16", "bf16", "fp64"):
        flops = multiply_adds(3, 4, 6, 8)
        yield function(
            "baddbmm",
            f"3x4x8 8x6 {dtype}",
            lambda c, x, y: torch.baddbmm(c, x, y),
            (T((3, 4, 6), dtype), T((3, 4, 8), dtype), T((3, 8, 6), dtype)),
            flops,
            2 * flops,
            out=72,
            bias_numel=72,
        )
    yield function(
        "baddbmm", "beta=0", lambda c, x, y: torch.baddbmm(c, x, y, beta=0),
        (T((3, 4, 6)), T((3, 4, 8)), T((3, 8, 6))),
        multiply_adds(3, 4, 6, 8), 2 * multiply_adds(3, 4, 6, 8), out=72, bias_numel=72,
    )  # fmt: skip
    yield function(
        "baddbmm", "addbmm sums over the batch", lambda c, x, y: torch.addbmm(c, x, y),
        (T((4, 6)), T((3, 4, 8)), T((3, 8, 6))),
        multiply_adds(3, 4, 6, 8), 2 * multiply_adds(3, 4, 6, 8), op="addbmm",
    )  # fmt: skip


def matmul():
    # name, left, right, multiply-adds
    rows = [
        ("matrix, matrix", (4, 8), (8, 5), 4 * 8 * 5),
        ("batch, matrix", (3, 4, 8), (8, 5), 3 * 4 * 8 * 5),
        ("matrix, batch", (4, 8), (3, 8, 5), 3 * 4 * 8 * 5),
        ("batch, batch", (3, 4, 8), (3, 8, 5), 3 * 4 * 8 * 5),
        ("right broadcast", (2, 3, 4, 8), (3, 8, 5), 2 * 3 * 4 * 8 * 5),
        ("left broadcast", (2, 1, 4, 8), (3, 8, 5), 2 * 3 * 4 * 8 * 5),
        ("both broadcast", (2, 1, 4, 8), (1, 3, 8, 5), 2 * 3 * 4 * 8 * 5),
        ("left of batch 1", (1, 4, 8), (3, 8, 5), 3 * 4 * 8 * 5),
        ("right of batch 1", (3, 4, 8), (1, 8, 5), 3 * 4 * 8 * 5),
        ("five dimensions", (2, 2, 2, 4, 8), (2, 8, 5), 8 * 4 * 8 * 5),
    ]
    for name, left, right, adds in rows:
        yield function(
            "matmul",
            name,
            lambda x, y: torch.matmul(x, y),
            (T(left), T(right)),
            2 * adds,
            4 * adds,
            left=product(*left),
            n=right[-1],
        )
        yield function(
            "matmul",
            name + ", by @, bf16",
            lambda x, y: x @ y,
            (T(left, "bf16"), T(right, "bf16")),
            2 * adds,
            4 * adds,
            left=product(*left),
            n=right[-1],
            at=True,
        )


def einsum():
    rows = [
        ("ij,jk->ik", (4, 8), (8, 5), 160),
        ("ij,kj->ik", (4, 8), (5, 8), 160),
        ("ji,jk->ik", (8, 4), (8, 5), 160),
        ("bij,bjk->bik", (3, 4, 8), (3, 8, 5), 480),
        ("bij,bkj->bik", (3, 4, 8), (3, 5, 8), 480),
        ("bij,jk->bik", (3, 4, 8), (8, 5), 480),
        ("bhid,bhjd->bhij", (2, 3, 4, 8), (2, 3, 6, 8), 2 * 3 * 4 * 6 * 8),
        ("bihd,bjhd->bhij", (2, 4, 3, 8), (2, 6, 3, 8), 2 * 3 * 4 * 6 * 8),
        ("nchw,kc->nkhw", (2, 3, 4, 5), (7, 3), 2 * 3 * 4 * 5 * 7),
        ("abc,cd->abd", (2, 3, 4), (4, 5), 120),
        ("abc,bcd->ad", (2, 3, 4), (3, 4, 5), 120),
    ]
    for equation, left, right, adds in rows:
        for dtype in ("fp32", "fp16"):
            yield function(
                "einsum",
                f"{equation} {dtype}",
                lambda x, y, equation=equation: torch.einsum(equation, x, y),
                (T(left, dtype), T(right, dtype)),
                2 * adds,
                4 * adds,
            )
    yield function(
        "einsum", "three operands", lambda x, y, z: torch.einsum("ij,jk,kl->il", x, y, z),
        (T((4, 8)), T((8, 6)), T((6, 3))),
        # From left to right, as torch without opt_einsum: 4x8x6 and 4x6x3.
        2 * (192 + 72), 4 * (192 + 72), op="three",
    )  # fmt: skip


def vectors():
    yield function(
        "vector", "dot", lambda x, y: torch.dot(x, y), (T((40,)), T((40,))), 80, 0, op="dot"
    )
    yield function(
        "vector", "dot fp64", lambda x, y: torch.dot(x, y),
        (T((33,), "fp64"), T((33,), "fp64")), 66, 0, op="dot",
    )  # fmt: skip
    yield function(
        "vector", "matmul of two vectors", lambda x, y: torch.matmul(x, y),
        (T((8,)), T((8,))), 16, 0, op="dot", left=8, n=8, matmul=True,
    )  # fmt: skip
    # The gradient of the matrix is an outer product without a sum: elementwise, no product.
    for dtype in ("fp32", "fp64", "fp16", "bf16", "c64"):
        flops = multiply_adds(6, 10, dtype=dtype)
        yield function(
            "vector", f"mv 6x10 {dtype}", lambda x, y: torch.mv(x, y),
            (T((6, 10), dtype), T((10,), dtype)), flops, flops, op="mv",
        )  # fmt: skip
    yield function(
        "vector", "mv of a transposed matrix", lambda x, y: torch.mv(x, y),
        (T((6, 10), layout="t"), T((10,))), 120, 120, op="mv",
    )  # fmt: skip
    yield function(
        "vector", "addmv", lambda c, x, y: torch.addmv(c, x, y),
        (T((6,)), T((6, 10)), T((10,))), 120, 120, op="mv",
    )  # fmt: skip
    yield function(
        "vector", "matmul matrix, vector", lambda x, y: torch.matmul(x, y),
        (T((4, 8)), T((8,))), 64, 64, op="mv", left=32, n=8, matmul=True,
    )  # fmt: skip
    yield function(
        "vector", "matmul vector, matrix", lambda x, y: torch.matmul(x, y),
        (T((8,)), T((8, 5))), 80, 160, op="vm", left=8, n=5, matmul=True,
    )  # fmt: skip
    yield function(
        "vector", "matmul batch, vector", lambda x, y: torch.matmul(x, y),
        (T((3, 4, 8)), T((8,))), 192, 192, op="mv", left=96, n=8, matmul=True,
    )  # fmt: skip
    yield function(
        "vector", "outer", lambda x, y: torch.outer(x, y), (T((6,)), T((10,))), 0,
        0, op="outer",
    )  # fmt: skip
    yield function(
        "vector", "inner of two matrices", lambda x, y: torch.inner(x, y),
        (T((4, 8)), T((5, 8))), 320, 640, op="inner",
    )  # fmt: skip
    yield function(
        "vector", "tensordot", lambda x, y: torch.tensordot(x, y, dims=2),
        (T((3, 4, 5)), T((4, 5, 6))), 2 * 3 * 20 * 6, 4 * 3 * 20 * 6, op="tensordot",
    )  # fmt: skip


def linear():
    shapes = [(7, 12), (2, 7, 12), (2, 3, 5, 12), (1, 12)]
    for shape in shapes:
        for bias in (True, False):
            for dtype in ("fp32", "bf16", "fp16"):
                tokens = product(*shape[:-1])
                flops = multiply_adds(tokens, 12, 20)
                yield layer(
                    "linear",
                    f"{'x'.join(map(str, shape))} to 20 {dtype}{' bias' if bias else ''}",
                    lambda bias=bias: nn.Linear(12, 20, bias=bias),
                    (T(shape, dtype),),
                    flops,
                    2 * flops,
                    dtype,
                    out=tokens * 20,
                    bias=bias,
                )
    flops = multiply_adds(7, 12, 20)
    yield layer(
        "linear", "the first layer: its input wants no gradient", lambda: nn.Linear(12, 20),
        (T((7, 12), grad=False),), flops, flops, out=140, bias=True,
    )  # fmt: skip

    def frozen():
        made = nn.Linear(12, 20)
        made.weight.requires_grad_(False)
        return made

    yield layer(
        "linear", "frozen weight", frozen, (T((7, 12)),), flops, flops, out=140, bias=True
    )
    yield layer(
        "linear", "one vector", lambda: nn.Linear(12, 20), (T((12,)),), 480, None,
        out=20, bias=True, op="vector",
    )  # fmt: skip
    yield layer(
        "linear", "bilinear 4 by 5 to 6", lambda: nn.Bilinear(4, 5, 6, bias=False),
        (T((3, 4)), T((3, 5))),
        # Two contractions: over the 4 of the first input, then over the 5 of the second.
        2 * 3 * 6 * 4 * 5 + 2 * 3 * 6 * 5, None, op="bilinear",
    )  # fmt: skip

    class Shared(nn.Module):
        def __init__(self):
            super().__init__()
            self.one = nn.Linear(10, 10, bias=False)
            self.other = self.one

        def forward(self, x):
            return self.other(self.one(x)) + self.one(x)

    yield layer(
        "linear", "one layer called three times", Shared, (T((4, 10)),),
        3 * 800, 6 * 800, out=0, bias=False, op="shared",
    )  # fmt: skip
    yield layer(
        "linear", "functional", lambda: Weights((20, 12)), (T((7, 12)),), flops, 2 * flops,
        out=0, bias=False,
    )  # fmt: skip


class Weights(nn.Module):
    """A bare weight, used by F.linear."""

    def __init__(self, shape):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(shape))

    def forward(self, x):
        return F.linear(x, self.weight)


def empty():
    """A size of 0: no operation, and no call that would count one."""
    for name, left, right in (
        ("m = 0", (0, 8), (8, 5)),
        ("n = 0", (4, 8), (8, 0)),
        ("k = 0", (4, 0), (0, 5)),
    ):
        yield function(
            "empty", "mm " + name, lambda x, y: torch.mm(x, y), (T(left), T(right)), 0, 0
        )
    yield function(
        "empty", "addmm k = 0", lambda c, x, y: torch.addmm(c, x, y),
        (T((5,)), T((4, 0)), T((0, 5))), 0, 0, out=20, bias_numel=5,
    )  # fmt: skip
    yield function(
        "empty", "bmm batch 0", lambda x, y: torch.bmm(x, y),
        (T((0, 4, 8)), T((0, 8, 5))), 0, 0,
    )  # fmt: skip
    yield function(
        "empty", "bmm k = 0", lambda x, y: torch.bmm(x, y),
        (T((3, 4, 0)), T((3, 0, 5))), 0, 0,
    )  # fmt: skip
    yield function(
        "empty", "mv n = 0", lambda x, y: torch.mv(x, y), (T((4, 0)), T((0,))), 0, 0,
    )  # fmt: skip
    yield function(
        "empty", "dot of nothing", lambda x, y: torch.dot(x, y), (T((0,)), T((0,))), 0, 0,
    )  # fmt: skip
    yield layer(
        "empty", "linear of batch 0", lambda: nn.Linear(12, 20), (T((0, 12)),), 0, 0,
        out=0, bias=True,
    )  # fmt: skip
    yield layer(
        "empty", "linear of batch 0, three dimensions", lambda: nn.Linear(12, 20),
        (T((2, 0, 12)),), 0, 0, out=0, bias=True,
    )  # fmt: skip
    yield layer(
        "empty", "conv2d of batch 0", lambda: nn.Conv2d(3, 4, 3), (T((0, 3, 8, 8)),), 0, 0,
        out=0, bias=True,
    )  # fmt: skip


def narrow():
    """Eight-bit numbers: forward only."""
    for m, n, k in ((32, 16, 48), (64, 64, 64), (48, 112, 80)):
        yield function(
            "narrow", f"int8 {m}x{k} {k}x{n}", lambda x, y: torch._int_mm(x, y),
            (T((m, k), "int8", grad=False), T((k, n), "int8", grad=False)),
            multiply_adds(m, n, k), op="int_mm",
        )  # fmt: skip
        yield function(
            "narrow", f"fp8 {m}x{k} {k}x{n}",
            lambda x, y, s, t: torch._scaled_mm(x, y, s, t, out_dtype=torch.bfloat16),
            (T((m, k), "e4m3", grad=False), T((k, n), "e4m3", grad=False, layout="t"),
             T((), grad=False), T((), grad=False)),
            multiply_adds(m, n, k), op="scaled_mm",
        )  # fmt: skip


def cases():
    for family in (mm, addmm, bmm, matmul, einsum, vectors, linear, empty, narrow):
        yield from family()

# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Factorisations and solvers, transforms, sparse products: what PyTorch asks of cuSOLVER, cuBLAS,
cuFFT and cuSPARSE.

Right numbers are the operation counts of LAPACK (LAPACK Working Note 41, appendix C) of the
routines that the operation consists of; 5 n log2 n for a complex transform; 2 n for each stored
element of a sparse matrix times a matrix of n columns. The forms without a check of the result
(`_ex`): the stand-in computes none.
"""

import torch
from case import T, function


def potrf(n) -> int:
    return (2 * n**3 + 3 * n**2 + n) // 6


def getrf(n) -> int:
    return (4 * n**3 - 3 * n**2 + 5 * n) // 6


def solve(n, columns) -> int:
    """Two triangular systems."""
    return 2 * n * n * columns


def geqrf(m, n) -> int:
    return (6 * m * n * n - 2 * n**3 + 3 * m * n + 3 * n * n + 14 * n) // 3


def orgqr(m, n, k) -> int:
    whole = 12 * m * n * k - 6 * (m + n) * k**2 + 4 * k**3 + 9 * n * k - 3 * m * k - 3 * k**2
    return (whole - 4 * k) // 3


def ormqr(m, n, k) -> int:
    """Q' of m x m times m x n, from the left."""
    return 4 * m * n * k - 2 * n * k * k + 3 * n * k


def sparse_product(values, right):
    """2 x 4 with three stored elements."""
    device = values.device
    rows = torch.tensor([0, 2, 3], device=device)
    columns = torch.tensor([0, 1, 1], device=device)
    return torch.sparse.mm(torch.sparse_csr_tensor(rows, columns, values, size=(2, 4)), right)


def square(n, batch=()):
    return T((*batch, n, n), grad=False, layout="eye")


def matrix(*shape, dtype="fp32"):
    return T(shape, dtype, grad=False)


def cases():
    linalg = torch.linalg
    rows = [
        ("triangular system 6, 4 columns", (square(6), matrix(6, 4)), 6 * 6 * 4,
         lambda a, b: linalg.solve_triangular(a, b, upper=True)),
        ("triangular systems 3 of 6, 4 columns", (square(6, (3,)), matrix(3, 6, 4)),
         3 * 6 * 6 * 4, lambda a, b: linalg.solve_triangular(a, b, upper=True)),
        ("triangular system from the right", (square(6), matrix(4, 6)), 6 * 6 * 4,
         lambda a, b: linalg.solve_triangular(a, b, upper=False, left=False)),
        ("cholesky 8", (square(8),), potrf(8), lambda a: linalg.cholesky_ex(a)[0]),
        ("cholesky 3 of 8", (square(8, (3,)),), 3 * potrf(8), lambda a: linalg.cholesky_ex(a)[0]),
        ("cholesky_solve 8, 2 columns", (matrix(8, 2), square(8)), solve(8, 2),
         lambda b, a: torch.cholesky_solve(b, a)),
        ("solve 8, 3 columns", (square(8), matrix(8, 3)), getrf(8) + solve(8, 3),
         lambda a, b: linalg.solve_ex(a, b)[0]),
        # As a system with the unit matrix.
        ("inverse 8", (square(8),), getrf(8) + solve(8, 8), lambda a: linalg.inv_ex(a)[0]),
        ("qr 8x6", (matrix(8, 6),), geqrf(8, 6) + orgqr(8, 6, 6), lambda a: linalg.qr(a)[0]),
        ("geqrf 8x6", (matrix(8, 6),), geqrf(8, 6), lambda a: torch.geqrf(a)[0]),
        ("ormqr 8x8 of 6, 2 columns", (matrix(8, 6), matrix(6), matrix(8, 2)), ormqr(8, 2, 6),
         lambda a, tau, c: torch.ormqr(a, tau, c)),
    ]  # fmt: skip
    for name, inputs, flops, call in rows:
        yield function("solvers", name, call, inputs, flops, op="solver")
    yield function(
        "solvers", "covariance of 6 rows", lambda a: torch.cov(a), (matrix(6, 10),),
        2 * 6 * 6 * 10, op="cov",
    )  # fmt: skip
    yield function(
        "solvers", "fft of 4 times 64", lambda a: torch.fft.fft(a), (matrix(4, 64, dtype="c64"),),
        4 * 5 * 64 * 6, op="fft",
    )  # fmt: skip
    yield function(
        "solvers", "sparse 2x4 of 3 elements, 5 columns", sparse_product,
        (matrix(3), matrix(4, 5)), 2 * 3 * 5, op="sparse",
    )  # fmt: skip

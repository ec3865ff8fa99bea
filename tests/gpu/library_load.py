# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Products by cuBLAS and cublasLt and a factorization by cuSOLVER: python library_load.py"""

import torch

SIZE, CALLS = 96, 5


def flops() -> int:
    """Of all calls, by hand: 2 n^3 of a product, n^3/3 + n^2/2 + n/6 of a factorization."""
    factorization = (2 * SIZE**3 + 3 * SIZE**2 + SIZE) // 6
    return CALLS * (2 * 2 * SIZE**3 + factorization)


if __name__ == "__main__":
    torch.backends.cuda.preferred_linalg_library("cusolver")
    square = torch.eye(SIZE, device="cuda")
    bias = torch.ones(SIZE, device="cuda")
    for _ in range(CALLS):
        torch.mm(square, square)  # cuBLAS
        torch.nn.functional.linear(square, square, bias)  # cublasLt
        torch.linalg.cholesky_ex(square)
    torch.cuda.synchronize()

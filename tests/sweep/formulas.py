# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""The yardstick's closed formulas: flops of one operation of PyTorch, from its shapes.

Written by hand after docs/conventions.md: a multiply-add is two operations, complex ones eight;
factorisations after LAPACK Working Note 41. `flops_of(name, args, kwargs, out)` gives
{"work": n} or {"work": n, "recompute": m}, None for an operation without products. An operation
that may hold products and has no formula here raises `NoFormula`: its model is not judged.
"""

import re
from math import prod

# Operations whose names sound like products. What is here and has no formula is an error.
SUSPICIOUS = re.compile(
    r"mm|matmul|gemm|conv|attention|rnn|lstm|gru|linalg|linear|cholesky|svd"
    r"|\blu_|_lu_|triangular|\bqr|_qr|geqrf"
    r"|inverse|dist|bilinear|^dot$|^vdot$|^mv$|fft|kron|einsum|tensordot|sparse|ormqr"
    r"|householder|lstsq|eig|solve|matrix|encoder"
)
# Sound like products, and hold none: copies, shapes, norms, elementwise work, random numbers.
NO_PRODUCTS = re.compile(
    r"upsample|interpolat|grid_sampler|nll_loss|norm|im2col|col2im|_to_sparse|diagonal|comment"
    r"|command|_philox|gumbel|mse|index_reduce|convert|distribution|_local_scalar|searchsorted"
    r"|_linalg_check|_coo|indices|values|nnz|coalesce|compressed|_cdist_backward|bilinear2d"
    r"|trilinear3d|linear1d|linalg_cross|linalg_diagonal|binary_cross|_pdist|roi_|logit|dim_I"
    r"|dim_V|fill|_cudnn_init_dropout|_thnn_fused|lu_unpack"
)


class NoFormula(Exception):
    """An operation that may hold products, without a formula."""


def factor(tensor) -> int:
    return 8 if tensor.is_complex() else 2


def mm(a, b) -> int:
    return factor(a) * a.shape[-2] * a.shape[-1] * b.shape[-1]


def bmm(a, b) -> int:
    return factor(a) * prod(a.shape[:-1]) * a.shape[-1] * b.shape[-1]


def convolution(x, weight, out, transposed) -> int:
    """Each weight meets each pixel: of the output, or of the input of a transposed one. x and
    out lead with batch and channels; `out` is given as a shape."""
    if transposed:
        return factor(x) * x.shape[0] * x.shape[1] * prod(x.shape[2:]) * prod(weight.shape[1:])
    return factor(x) * out[0] * prod(out[2:]) * prod(weight.shape)


def attention(query, key, value) -> tuple:
    """Flops of Q K' and of P V, over all pairs; heads are those of the query."""
    pairs = prod(query.shape[:-1]) * key.shape[-2]
    return 2 * pairs * query.shape[-1], 2 * pairs * value.shape[-1]


def attention_backward(query, key, value) -> dict:
    """dV, dP by the value's width, dQ, dK by the query's; Q K' is computed again."""
    scores, sums = attention(query, key, value)
    return {"work": 2 * scores + 2 * sums, "recompute": scores}


def transposed_heads(*tensors):
    """Batch, sequence, heads, width -> batch, heads, sequence, width."""
    return [tensor.transpose(1, 2) for tensor in tensors]


GATES = {0: 1, 1: 1, 2: 4, 3: 3}  # cuDNN's modes: RNN with ReLU, with tanh, LSTM, GRU


def recurrent(x, mode, hidden, projection, layers, batch_first, bidirectional, lengths) -> int:
    tokens = x.shape[0] if lengths else x.shape[0] * x.shape[1]
    state, directions, total = projection or hidden, 2 if bidirectional else 1, 0
    for layer in range(layers):
        inputs = x.shape[-1] if layer == 0 else state * directions
        gates = GATES[mode] * hidden * (inputs + state)
        total += 2 * tokens * directions * (gates + projection * hidden)
    return total


def cudnn_rnn(args) -> int:
    x, _, _, _, _, _, mode, hidden, projection, layers, batch_first, _, _, both, lengths, _ = args
    return recurrent(x, mode, hidden, projection, layers, batch_first, both, lengths)


def cudnn_rnn_backward(args) -> int:
    x, mode, hidden, projection, layers, batch_first = args[0], *args[10:15]
    both, lengths, wanted = args[17], args[18], args[21]
    forward = recurrent(x, mode, hidden, projection, layers, batch_first, both, lengths)
    # cuDNN's gradient of the data is always run; the weights' only where wanted.
    return forward * (2 if wanted[3] else 1)


def getrf(n) -> int:
    return (4 * n**3 - 3 * n**2 + 5 * n) // 6


def getrf_of(a) -> int:
    m, n = a.shape[-2:]
    if m != n:
        raise NoFormula("LU of a matrix that is not square")
    return prod(a.shape[:-2]) * getrf(n)


def geqrf(m, n) -> int:
    if m >= n:
        return (6 * m * n * n - 2 * n**3 + 3 * m * n + 3 * n * n + 14 * n) // 3
    return (6 * n * m * m - 2 * m**3 + 9 * m * n - m * m + 14 * m) // 3


def orgqr(m, n, k) -> int:
    whole = 12 * m * n * k - 6 * (m + n) * k**2 + 4 * k**3 + 9 * n * k - 3 * m * k - 3 * k**2
    return (whole - 4 * k) // 3


def qr(a, mode="reduced") -> int:
    m, n = a.shape[-2:]
    k, batch = min(m, n), prod(a.shape[:-2])
    columns = m if mode == "complete" else k
    return batch * (geqrf(m, n) + (0 if mode == "r" else orgqr(m, columns, k)))


def potrf(a) -> int:
    n = a.shape[-1]
    return prod(a.shape[:-2]) * ((2 * n**3 + 3 * n**2 + n) // 6)


def triangular(a, b) -> int:
    """A triangle of a row each: n^2 for every column on the other side."""
    n = a.shape[-1]
    return prod(b.shape) // n * n * n if n else 0


def euclidean_distance(a, b) -> int:
    """|a|^2 - 2 a b + |b|^2 as one product of matrices with two more columns."""
    return 2 * prod(a.shape[:-1]) * (a.shape[-1] + 2) * b.shape[-2]


def cdist(a, b, p, mode) -> int:
    """By a product where the norm is Euclidean and one side has more than 25 points."""
    by_product = mode == 1 or (mode in (None, 0) and (a.shape[-2] > 25 or b.shape[-2] > 25))
    if p != 2 or not by_product or 0 in a.shape or 0 in b.shape:
        return 0
    batch = prod(max(x, y) for x, y in zip(a.shape[:-2], b.shape[:-2], strict=False))
    return 2 * batch * a.shape[-2] * (a.shape[-1] + 2) * b.shape[-2]


def grouped_mm(a, b, offsets) -> int:
    """Rows of the left matrix (or a sum over them) in groups, a matrix for each."""
    if a.dim() == 2 and b.dim() == 3:
        return 2 * a.shape[0] * a.shape[1] * b.shape[-1]
    if a.dim() == 2 and b.dim() == 2:
        return 2 * a.shape[0] * a.shape[1] * b.shape[1]
    if a.dim() == 3 and b.dim() == 2:
        return 2 * a.shape[1] * a.shape[2] * b.shape[1]
    return bmm(a, b)


def deformable(x, weight, out_shape) -> int:
    return 2 * out_shape[0] * prod(out_shape[2:]) * prod(weight.shape)


def simple(function):
    return lambda args, kwargs, out: {"work": function(*args)}


def conv_backward(args, kwargs, out):
    gradient, x, weight, wanted = args[0], args[1], args[2], args[-1]
    one = convolution(x, weight, gradient.shape, args[7])
    return {"work": one * (bool(wanted[0]) + bool(wanted[1]))}


def deform_backward(args, kwargs, out):
    # Gradients of columns (input, offset, mask) and of the weight: a product each.
    gradient, _, weight = args[:3]
    return {"work": 2 * deformable(None, weight, gradient.shape)}


def both_products(args, kwargs, out):
    return {"work": sum(attention(*args[:3]))}


def backward_of(first):
    return lambda args, kwargs, out: attention_backward(*args[first : first + 3])


def efficient_forward(args, kwargs, out):
    return {"work": sum(attention(*transposed_heads(*args[:3])))}


def efficient_backward(args, kwargs, out):
    return attention_backward(*transposed_heads(*args[1:4]))


FORMULAS = {
    "mm": simple(mm),
    "addmm": simple(lambda c, a, b, *_: mm(a, b)),
    "_addmm_activation": simple(lambda c, a, b, *_: mm(a, b)),
    "bmm": simple(bmm),
    "baddbmm": simple(lambda c, a, b, *_: bmm(a, b)),
    "addbmm": simple(lambda c, a, b, *_: bmm(a, b)),
    "mv": simple(lambda a, x: factor(a) * prod(a.shape)),
    "addmv": simple(lambda c, a, x, *_: factor(a) * prod(a.shape)),
    "dot": simple(lambda a, b: factor(a) * prod(a.shape)),
    "vdot": simple(lambda a, b: factor(a) * prod(a.shape)),
    "_int_mm": simple(mm),
    "_scaled_mm": simple(lambda a, b, *_: mm(a, b)),
    "_grouped_mm": lambda args, kwargs, out: {
        "work": grouped_mm(args[0], args[1], args[2] if len(args) > 2 else None)
    },
    "convolution": lambda args, kwargs, out: {
        "work": convolution(args[0], args[1], out.shape, args[6])
    },
    "convolution_backward": conv_backward,
    "_scaled_dot_product_flash_attention": both_products,
    "_scaled_dot_product_efficient_attention": both_products,
    "_scaled_dot_product_cudnn_attention": both_products,
    "_scaled_dot_product_flash_attention_backward": backward_of(1),
    "_scaled_dot_product_efficient_attention_backward": backward_of(1),
    "_scaled_dot_product_cudnn_attention_backward": backward_of(1),
    "_efficient_attention_forward": efficient_forward,
    "_efficient_attention_backward": efficient_backward,
    "_cudnn_rnn": lambda args, kwargs, out: {"work": cudnn_rnn(args)},
    "_cudnn_rnn_backward": lambda args, kwargs, out: {"work": cudnn_rnn_backward(args)},
    "linalg_lu_factor_ex": simple(lambda a, *_: getrf_of(a)),
    "linalg_lu_solve": simple(lambda lu, pivots, b: 2 * triangular(lu, b)),
    "_linalg_solve_ex": lambda args, kwargs, out: {
        "work": getrf_of(args[0]) + 2 * triangular(args[0], out[0])
    },
    "linalg_inv_ex": simple(lambda a, *_: getrf_of(a) + 2 * triangular(a, a)),
    "linalg_cholesky_ex": simple(lambda a, *_: potrf(a)),
    "cholesky_solve": simple(lambda b, a, *_: 2 * triangular(a, b)),
    "cholesky_inverse": simple(lambda a, *_: 2 * triangular(a, a)),
    "linalg_solve_triangular": lambda args, kwargs, out: {"work": triangular(args[0], out)},
    "triangular_solve": simple(lambda b, a, *_: triangular(a, b)),
    "linalg_qr": simple(qr),
    "linalg_householder_product": simple(
        lambda a, tau: prod(a.shape[:-2]) * orgqr(a.shape[-2], a.shape[-1], tau.shape[-1])
    ),
    "geqrf": simple(lambda a: prod(a.shape[:-2]) * geqrf(*a.shape[-2:])),
    "_euclidean_dist": simple(euclidean_distance),
    "_cdist_forward": simple(cdist),
    "torchvision.deform_conv2d": lambda args, kwargs, out: {
        "work": deformable(args[0], args[1], out.shape)
    },
    "torchvision._deform_conv2d_backward": deform_backward,
}


def flops_of(namespace: str, name: str, args, kwargs, out):
    full = name if namespace == "aten" else f"{namespace}.{name}"
    formula = FORMULAS.get(full) or FORMULAS.get(full.rstrip("_"))
    if formula:
        return formula(args, kwargs, out)
    if SUSPICIOUS.search(full) and not NO_PRODUCTS.search(full):
        raise NoFormula(full)
    return None

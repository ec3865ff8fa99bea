# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Attention: scaled_dot_product_attention by each way, multi-head attention, encoder layers.

Right numbers: Q K^T and P V are 2 B H Sq Sk D and 2 B H Sq Sk Dv; the backward has four products,
two of each. A causal mask is counted as dense here, as the products of the mathematical way are;
`pairs` is the number with the mask taken exactly. Flash-type backward passes run Q K^T again:
`recompute`.
"""

import torch
from case import T, layer
from torch import nn
from torch.nn import functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

BACKENDS = {
    "math": SDPBackend.MATH,
    "flash": SDPBackend.FLASH_ATTENTION,
    "efficient": SDPBackend.EFFICIENT_ATTENTION,
}


class Attention(nn.Module):
    def __init__(self, backend, causal, gqa, keywords):
        super().__init__()
        self.backend, self.causal, self.gqa, self.keywords = backend, causal, gqa, keywords

    def forward(self, q, k, v):
        options = {"is_causal": self.causal}
        if self.gqa:
            options["enable_gqa"] = True
        with sdpa_kernel(BACKENDS[self.backend]):
            if self.keywords:
                return F.scaled_dot_product_attention(query=q, key=k, value=v, **options)
            return F.scaled_dot_product_attention(q, k, v, **options)


def attention(
    backend, b=2, h=4, hk=None, sq=16, sk=16, d=8, dv=None, causal=False, dtype="fp16",
    keywords=False,
):  # fmt: skip
    dv, hk = dv or d, hk or h
    qk, pv = 2 * b * h * sq * sk * d, 2 * b * h * sq * sk * dv
    pairs = sq * (sq + 1) // 2 if causal else sq * sk
    case = layer(
        "attention",
        f"{backend} {b}x{h}{f'/{hk}' if hk != h else ''}x{sq}/{sk}x{d}"
        f"{f'/{dv}' if dv != d else ''} {dtype}{' causal' if causal else ''}"
        f"{' keywords' if keywords else ''}",
        lambda: Attention(backend, causal, hk != h, keywords),
        (T((b, h, sq, d), dtype), T((b, hk, sk, d), dtype), T((b, hk, sk, dv), dtype)),
        qk + pv,
        2 * (qk + pv),
        dtype,
        backend=backend,
        causal=causal,
        qk=qk,
        pv=pv,
        pairs=pairs,
        dense_pairs=sq * sk,
        gqa=hk != h,
        keywords=keywords,
        head=d,
        group=h // hk,
    )
    case.recompute = 0 if backend == "math" else qk
    return case


def sdpa():
    for backend in ("math", "flash", "efficient"):
        for dtype in ("fp16", "bf16"):
            yield attention(backend, dtype=dtype)
            yield attention(backend, dtype=dtype, causal=True)
        yield attention(backend, sq=8, sk=24)
        yield attention(backend, d=64, sq=32, sk=32, b=1)
        yield attention(backend, h=1, b=3, d=16)
    yield attention("math", dtype="fp32")
    yield attention("efficient", dtype="fp32")
    yield attention("math", d=16, dv=8)
    yield attention("efficient", d=16, dv=8)
    yield attention("math", h=8, hk=2)
    yield attention("flash", h=8, hk=2)
    yield attention("math", keywords=True)
    yield attention("flash", h=5, sq=9, sk=9, d=4)


class SelfAttention(nn.Module):
    def __init__(self, need_weights):
        super().__init__()
        self.attention = nn.MultiheadAttention(16, 4, batch_first=True)
        self.need_weights = need_weights

    def forward(self, x):
        return self.attention(x, x, x, need_weights=self.need_weights)[0]


def modules():
    # Three projections in one product, Q K^T, P V, the output projection.
    # Seven positions: with five, scores would by chance be as many as operations of the norms.
    tokens = 2 * 7
    projections = 2 * tokens * 16 * 16 * 4
    scores = 2 * (2 * 4 * 7 * 7 * 4) * 2
    for need_weights in (True, False):
        case = layer(
            "attention modules",
            f"MultiheadAttention(16, 4), {'with' if need_weights else 'without'} weights",
            lambda need_weights=need_weights: SelfAttention(need_weights),
            (T((2, 7, 16)),),
            projections + scores,
            2 * (projections + scores),
            scores=scores,
            fused=not need_weights,
            projections=projections,
            softmax=2 * 4 * 7 * 7,
            eval=False,
        )
        case.recompute = 0 if need_weights else scores // 2
        yield case
    yield layer(
        "attention modules", "MultiheadAttention(16, 4) in eval, no gradients",
        lambda: SelfAttention(True).eval(), (T((2, 7, 16), grad=False),),
        projections + scores, scores=scores, fused=False, projections=projections,
        eval=True,
    )  # fmt: skip
    feed = 2 * tokens * 16 * 32 * 2
    for training in (True, False):
        case = layer(
            "attention modules",
            f"TransformerEncoderLayer(16, 4, 32) {'in training' if training else 'in eval'}",
            lambda training=training: nn.TransformerEncoderLayer(
                16, 4, 32, dropout=0.0, batch_first=True
            ).train(training),
            (T((2, 7, 16), grad=training),),
            projections + scores + feed,
            2 * (projections + scores + feed) if training else None,
            scores=scores,
            fused=training,
            projections=projections,
            feed=feed,
            norms=2 * 5 * tokens * 16,
            eval=not training,
        )
        case.recompute = scores // 2 if training else 0
        yield case


def cases():
    yield from sdpa()
    yield from modules()

# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Stands in for the extension module of flash-attn 2.7: its functions' arguments, and a kernel."""

import torch


def fwd(
    q, k, v, out, alibi_slopes, p_dropout, softmax_scale, is_causal, window_size_left,
    window_size_right, softcap, return_softmax, gen,
):  # fmt: skip
    return torch.zeros_like(q), torch.zeros_like(q)


def bwd(
    dout, q, k, v, out, softmax_lse, dq, dk, dv, alibi_slopes, p_dropout, softmax_scale, is_causal,
    window_size_left, window_size_right, softcap, deterministic, gen, rng_state,
):  # fmt: skip
    return torch.zeros_like(q), torch.zeros_like(k), torch.zeros_like(v)


def varlen_fwd(
    q, k, v, out, cu_seqlens_q, cu_seqlens_k, seqused_k, leftpad_k, block_table, alibi_slopes,
    max_seqlen_q, max_seqlen_k, p_dropout, softmax_scale, zero_tensors, is_causal,
    window_size_left, window_size_right, softcap, return_softmax, gen,
):  # fmt: skip
    if q.shape[1] % k.shape[1]:
        raise RuntimeError("query heads must be a multiple of key heads")
    return torch.zeros_like(q), torch.zeros_like(q)

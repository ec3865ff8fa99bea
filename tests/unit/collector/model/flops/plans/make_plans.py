#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Writes operation graphs of real cuDNN plans as files NAME.json beside itself.

The graphs are built by NVIDIA's cudnn-frontend with the real cuDNN 9.24, which the environment
of scripts/simgpu_env.sh has behind its stand-in; of each plan's JSON the member
"operationGraph" is kept.

    python -m pip install --no-deps --target FE nvidia-cudnn-frontend==1.32.0
    LD_LIBRARY_PATH=ENV/lib/python3.11/site-packages/nvidia/cu13/lib PYTHONPATH=FE \\
        ENV/bin/python make_plans.py [NAME ...]
"""

import json
import os
import sys

import cudnn

BF16 = cudnn.data_type.BFLOAT16
FP8 = cudnn.data_type.FP8_E4M3
HALF = cudnn.data_type.HALF
FLOAT = cudnn.data_type.FLOAT
INT32 = cudnn.data_type.INT32
HANDLE = cudnn.create_handle()


def packed(sizes):
    strides = [1] * len(sizes)
    for i in range(len(sizes) - 2, -1, -1):
        strides[i] = strides[i + 1] * sizes[i + 1]
    return strides


def make_graph(io=BF16, **options):
    return cudnn.pygraph(
        io_data_type=io,
        intermediate_data_type=FLOAT,
        compute_data_type=FLOAT,
        handle=HANDLE,
        **options,
    )


def tensor(graph, name, sizes, data_type=BF16, strides=None):
    return graph.tensor(
        name=name, dim=sizes, stride=strides or packed(sizes), data_type=data_type
    )


def output(result, sizes, data_type=None):
    result.set_output(True).set_dim(sizes).set_stride(packed(sizes))
    if data_type is not None:
        result.set_data_type(data_type)


def lengths(graph, batch):
    """Sequence lengths that only the device knows."""
    return {
        "use_padding_mask": True,
        "seq_len_q": tensor(graph, "seq_len_q", [batch, 1, 1, 1], INT32),
        "seq_len_kv": tensor(graph, "seq_len_kv", [batch, 1, 1, 1], INT32),
    }


def attention(q, k, v, padded=False, **options):
    graph = make_graph()
    if padded:
        options.update(lengths(graph, q[0]))
    o, stats = graph.sdpa(
        q=tensor(graph, "q", q),
        k=tensor(graph, "k", k),
        v=tensor(graph, "v", v),
        attn_scale=0.125,
        **{"is_inference": True, **options},
    )
    output(o, q[:3] + v[3:])
    if stats is not None:
        stats.set_output(True).set_data_type(FLOAT)
    return graph


def attention_backward(q, k, v, padded=False, **options):
    graph = make_graph()
    if padded:
        options.update(lengths(graph, q[0]))
    o = q[:3] + v[3:]
    gradients = graph.sdpa_backward(
        q=tensor(graph, "q", q),
        k=tensor(graph, "k", k),
        v=tensor(graph, "v", v),
        o=tensor(graph, "o", o),
        dO=tensor(graph, "dO", o),
        stats=tensor(graph, "stats", q[:3] + [1], FLOAT),
        attn_scale=0.125,
        **options,
    )
    for gradient, sizes in zip(gradients, (q, k, v)):
        output(gradient, sizes)
    return graph


def sdpa_causal_gqa():
    return attention([2, 8, 256, 64], [2, 2, 512, 64], [2, 2, 512, 128], use_causal_mask=True)


def sdpa_causal_bottom_right():
    return attention(
        [2, 8, 256, 64], [2, 8, 512, 64], [2, 8, 512, 64], use_causal_mask_bottom_right=True
    )


def sdpa_sliding_window():
    sizes = [2, 8, 512, 64]
    return attention(sizes, sizes, sizes, use_causal_mask=True, sliding_window_length=128)


def sdpa_padded():
    sizes = [2, 8, 512, 64]
    return attention(sizes, sizes, sizes, padded=True)


def sdpa_composite():
    """Forward as single operations, for training."""
    sizes = [2, 8, 512, 64]
    return attention(
        sizes,
        sizes,
        sizes,
        is_inference=False,
        use_causal_mask=True,
        implementation=cudnn.attention_implementation.COMPOSITE,
    )


def sdpa_paged():
    graph = make_graph()
    o, _ = graph.sdpa(
        q=tensor(graph, "q", [2, 8, 1, 64]),
        k=tensor(graph, "k", [16, 8, 32, 64]),
        v=tensor(graph, "v", [16, 8, 32, 64]),
        attn_scale=0.125,
        is_inference=True,
        **lengths(graph, 2),
        paged_attention_k_table=tensor(graph, "pages_k", [2, 1, 8, 1], INT32),
        paged_attention_v_table=tensor(graph, "pages_v", [2, 1, 8, 1], INT32),
        paged_attention_max_seq_len_kv=256,
    )
    output(o, [2, 8, 1, 64])
    return graph


def sdpa_ragged():
    graph = make_graph()
    sizes = [2, 8, 512, 64]
    strides = [512 * 8 * 64, 64, 512, 1]
    offsets = tensor(graph, "offsets", [3, 1, 1, 1], INT32)
    q, k, v = (tensor(graph, name, sizes, strides=strides) for name in "qkv")
    for operand in (q, k, v):
        operand.set_ragged_offset(offsets)
    o, _ = graph.sdpa(q=q, k=k, v=v, attn_scale=0.125, is_inference=True, **lengths(graph, 2))
    o.set_output(True).set_dim(sizes).set_stride(strides).set_ragged_offset(offsets)
    return graph


def sdpa_fp8():
    graph = make_graph(FP8)
    sizes = [2, 8, 512, 64]

    def scalar(name):
        return tensor(graph, name, [1, 1, 1, 1], FLOAT)

    scales = ("descale_q", "descale_k", "descale_v", "descale_s", "scale_s", "scale_o")
    o, _, *amax = graph.sdpa_fp8(
        q=tensor(graph, "q", sizes, FP8),
        k=tensor(graph, "k", sizes, FP8),
        v=tensor(graph, "v", sizes, FP8),
        **{name: scalar(name) for name in scales},
        attn_scale=0.125,
        is_inference=True,
        use_causal_mask=True,
    )
    output(o, sizes)
    for result in amax:
        output(result, [1, 1, 1, 1], FLOAT)
    return graph


def sdpa_backward_causal():
    sizes = [2, 8, 512, 64]
    return attention_backward(sizes, sizes, sizes, use_causal_mask=True)


def sdpa_backward_gqa():
    return attention_backward([2, 8, 256, 64], [2, 2, 512, 64], [2, 2, 512, 128])


def sdpa_backward_padded():
    sizes = [2, 8, 512, 64]
    return attention_backward(sizes, sizes, sizes, padded=True)


def grouped_matmul(output_tokens, **options):
    graph = make_graph()
    result = graph.moe_grouped_matmul(
        tensor(graph, "token", [1, 512, 256]),
        tensor(graph, "weight", [8, 256, 128], strides=[256 * 128, 1, 256]),
        tensor(graph, "first_token", [8, 1, 1], INT32),
        **{
            name: tensor(graph, name, [1, output_tokens, 1], INT32) if value is None else value
            for name, value in options.items()
        },
    )
    result.set_output(True).set_data_type(BF16)
    return graph


def moe():
    return grouped_matmul(512, mode=cudnn.moe_grouped_matmul_mode.NONE)


def moe_gather():
    """Each of 512 tokens goes to two experts."""
    mode = cudnn.moe_grouped_matmul_mode.GATHER
    return grouped_matmul(1024, token_index=None, mode=mode, top_k=2)


def matmul_relu():
    graph = make_graph(HALF)
    product = graph.matmul(
        tensor(graph, "a", [4, 64, 32], HALF), tensor(graph, "b", [4, 32, 48], HALF)
    )
    graph.relu(product).set_output(True).set_data_type(HALF)
    return graph


def matmul_with_overrides():
    """A graph whose shapes may be overridden at execution."""
    graph = make_graph(HALF, is_override_shape_enabled=True)
    product = graph.matmul(
        tensor(graph, "a", [4, 64, 32], HALF), tensor(graph, "b", [4, 32, 48], HALF)
    )
    product.set_output(True).set_data_type(HALF)
    return graph


def conv1d_dgrad():
    """The forward of a transposed convolution: one dimension as two, the last of size 1."""
    graph = make_graph(HALF)
    result = graph.conv_dgrad(
        tensor(graph, "dy", [4, 32, 50, 1], HALF, [32 * 50, 1, 32, 32]),
        tensor(graph, "w", [32, 16, 5, 1], HALF, [80, 1, 16, 16]),
        padding=[2, 0],
        stride=[2, 1],
        dilation=[1, 1],
    )
    result.set_output(True).set_dim([4, 16, 100, 1]).set_stride([1600, 1, 16, 16])
    return graph


PLANS = (
    sdpa_causal_gqa,
    sdpa_causal_bottom_right,
    sdpa_sliding_window,
    sdpa_padded,
    sdpa_composite,
    sdpa_paged,
    sdpa_ragged,
    sdpa_fp8,
    sdpa_backward_causal,
    sdpa_backward_gqa,
    sdpa_backward_padded,
    moe,
    moe_gather,
    matmul_relu,
    matmul_with_overrides,
    conv1d_dgrad,
)


def main() -> None:
    folder = os.path.dirname(os.path.abspath(__file__))
    for make in PLANS:
        if sys.argv[1:] and make.__name__ not in sys.argv[1:]:
            continue
        graph = make()
        graph.build([cudnn.heur_mode.A])
        # The frontend wraps the library's JSON in data of its own.
        data = bytes(graph.serialize())
        text = data[data.index(b'{"cudnnVersion"') :].decode("latin1")
        plan, _ = json.JSONDecoder().raw_decode(text)
        with open(os.path.join(folder, make.__name__ + ".json"), "w", encoding="utf-8") as file:
            json.dump(plan["operationGraph"], file, separators=(",", ":"))
            file.write("\n")
        print(make.__name__)


main()

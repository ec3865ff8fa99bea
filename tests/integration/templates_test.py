# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Inductor's Triton templates: sizes read from their source, calls modelled where they are made."""

import json
import os
import subprocess
import sys

import pytest
from flopsprof_run import PROGRAMS, ROOT, run_profiled

EMBEDDED = os.path.join(ROOT, "injector", "shims", "python", "embedded")
RECORDED = os.path.join(ROOT, "tests", "golden", "inductor")
# The embedded files import nothing but these and each other.
READ = """
import json, sys, types
for name in ("torch", "torch.nn.modules.module", "_flopsprof_native"):
    sys.modules[name] = types.ModuleType(name)
sys.modules["torch.nn.modules.module"].Module = object
sys.path.insert(0, sys.argv[1])
import _flopsprof_templates as templates
work = templates.work_of(sys.argv[2], sys.stdin.read(), 6, json.loads(sys.argv[3]))
print(json.dumps([work.name, work.flops, work.recompute, work.reason]))
"""
PRODUCT = """def triton_tem_fused_bmm_0(arg_A, arg_B, out_ptr0, ks0):
    M = 2*ks0
    N = 16
    K = 8
    BATCH = 3
"""
CONVOLUTION = """def triton_tem_fused_convolution_0(arg_X, arg_W, out_ptr0):
    KERNEL_H : tl.constexpr = 3
    KERNEL_W : tl.constexpr = 5
    GROUPS : tl.constexpr = 2
    BATCH = 4
    IN_C = 6
    IN_H = 9
    IN_W = 9
    OUT_C = 8
    OUT_H = 7
    OUT_W = 5
    GROUP_IN_C = IN_C // GROUPS
"""
VOLUME = """def triton_tem_fused_convolution_1(arg_X, arg_W, out_ptr0):
    KERNEL_D : tl.constexpr = 2
    KERNEL_H : tl.constexpr = 3
    KERNEL_W : tl.constexpr = 5
    GROUPS : tl.constexpr = 1
    BATCH = 4
    IN_C = 6
    IN_D = 12
    IN_H = 9
    IN_W = 9
    OUT_C = 8
    OUT_D = 11
    OUT_H = 7
    OUT_W = 5
    GROUP_IN_C = IN_C
"""
# The gradient for the input: one group's channels come from the weight.
INPUT_GRADIENT = """def triton_tem_fused_convolution_backward_2(arg_dY, arg_W, out_ptr0):
    KERNEL_H : tl.constexpr = 3
    KERNEL_W : tl.constexpr = 5
    GROUPS : tl.constexpr = 2
    BATCH = 4
    OUT_C = 8
    OUT_H = 7
    OUT_W = 5
    GROUP_IN_C  = 3
    IN_H = 9
    IN_W = 9
"""
TWO_PRODUCTS = """def triton_tem_fused_add_mm_3(arg_A, arg_B, arg_C, arg_D, out_ptr0):
    M = 20
    N = 16
    K1 = 8
    # K2 = 8
"""
# Its rows go to the groups as the offsets say, which are on the GPU.
GROUPED_BY_OFFSETS = """def triton_tem_fused__grouped_mm_4(a_ptr, b_ptr, offsets_ptr, out_ptr0):
    M : tl.constexpr = 24
    N : tl.constexpr = 16
    K : tl.constexpr = 8
"""
# Up to torch 2.8 the number of products of a batch is only in the launch grid.
BATCHED_BY_GRID = """def triton_tem_fused_bmm_7(arg_A, arg_B, out_ptr0):
    M = 20
    N = 16
    K = 8
    stride_aq = 160
"""
GROUPED = """def triton_tem_fused__grouped_mm_5(a_ptr, b_ptr, out_ptr0):
    G : tl.constexpr = 3
    M : tl.constexpr = 24
    N : tl.constexpr = 16
    K : tl.constexpr = 8
"""
DECODING = """def triton_tem_fused_flex_attention_6(arg_Q, arg_K, arg_V, arg_M, arg_L, out_ptr0):
    GQA_SHARED_HEADS : tl.constexpr = 2
    QK_HEAD_DIM : tl.constexpr = 64
    V_HEAD_DIM : tl.constexpr = 32
    SPLIT_KV : tl.constexpr = 8
    Z = 3
    ZKV = 3
    HKV = 5
    G: tl.constexpr = GQA_SHARED_HEADS
    HQ = HKV * G
    Q_LEN = 1
    KV_LEN = 256
"""


def read(name, text, values="{}"):
    done = subprocess.run(
        [sys.executable, "-c", READ, EMBEDDED, name, values],
        input=text, capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    return json.loads(done.stdout)


def recorded(name):
    with open(os.path.join(RECORDED, name + ".txt"), encoding="utf-8") as file:
        return read(name, file.read())


def test_sizes_of_recorded_templates():
    # Made by torch 2.14 for a linear layer, 48 rows of 64 to 32.
    product = recorded("triton_tem_fused_addmm_t_0")
    assert product == ["inductor::mm", 2 * 48 * 32 * 64, 0, ""]
    # 2 sequences, 4 query heads of 64 and 2 key heads, 256 tokens.
    one = 2 * 2 * 4 * 256 * 256 * 64
    assert recorded("triton_tem_fused_flex_attention_0") == ["flex_attention", 2 * one, 0, ""]
    backward = recorded("triton_tem_fused_flex_attention_backward_1")
    assert backward == ["flex_attention_backward", 5 * one, one, ""]


def test_sizes_that_are_arguments_and_convolutions():
    assert read("a", PRODUCT, '{"ks0": 10}')[:2] == ["inductor::mm", 2 * 3 * 20 * 16 * 8]
    flops = 2 * 4 * 8 * 7 * 5 * (6 // 2) * 3 * 5
    assert read("c", CONVOLUTION)[:2] == ["inductor::convolution", flops]


def test_convolutions_of_volumes_and_for_the_input():
    flops = 2 * 4 * 8 * (11 * 7 * 5) * 6 * (2 * 3 * 5)
    assert read("v", VOLUME)[:2] == ["inductor::convolution", flops]
    flops = 2 * 4 * 8 * (7 * 5) * (6 // 2) * (3 * 5)
    assert read("i", INPUT_GRADIENT)[:2] == ["inductor::convolution", flops]


def test_a_sum_of_two_products_is_both():
    assert read("p", TWO_PRODUCTS)[:2] == ["inductor::mm", 2 * (2 * 20 * 16 * 8)]


def test_flex_decoding_has_the_query_heads_of_all_groups():
    # 3 sequences, 5 key heads for 2 query heads each; one token against 256.
    flops = 2 * 3 * (5 * 2) * 1 * 256 * (64 + 32)
    assert read("d", DECODING) == ["flex_attention", flops, 0, ""]


@pytest.mark.parametrize(
    "source", ["def triton_tem_x(a):\n    XBLOCK = 4\n", GROUPED_BY_OFFSETS, GROUPED]
)
def test_a_template_of_another_form_is_unknown_by_name(source):
    name, flops, _, reason = read("triton_tem_x", source)
    assert (name, flops) == ("triton_tem_x", None)
    assert reason == "a template of Inductor without a formula"


def test_a_batch_that_is_only_in_the_grid_is_unknown():
    name, flops, _, reason = read("triton_tem_x", BATCHED_BY_GRID)
    assert (name, flops, reason) == ("triton_tem_x", None, "its batch is only in the launch grid")


def test_compiled_flex_attention_is_modelled(python, folder):
    program = os.path.join(PROGRAMS, "formulas", "templates.py")
    run = run_profiled([python, program, "flex"], folder=folder, timeout=900)
    assert run.ended_well(), run.explain()
    one = 2 * 2 * 4 * 256 * 256 * 64
    modelled = run.summary["totals"]["flops_modelled"]
    assert modelled["forward"] == 2 * 2 * one
    assert modelled["backward"] == 2 * 4 * one
    assert modelled["recompute"] == 2 * one
    assert run.summary["ranks"][0]["loss"].get("shim_failed", 0) == 0


def test_a_product_of_max_autotune_is_modelled_and_its_tuning_apart(python, folder):
    program = os.path.join(PROGRAMS, "formulas", "templates.py")
    run = run_profiled([python, program, "mm"], folder=folder, timeout=900)
    assert run.ended_well(), run.explain()
    one = 2 * 48 * 32 * 64
    apart = [m for m in run.summary["modules"] if "(autotuning)" in m["path"]]
    tuned = sum(sum(v or 0 for v in m["flops_modelled"].values()) for m in apart)
    modelled = run.summary["totals"]["flops_modelled"]
    assert sum(v or 0 for v in modelled.values()) - tuned == 2 * 3 * one

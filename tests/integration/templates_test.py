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


def test_a_template_of_another_form_is_unknown_by_name():
    name, flops, _, reason = read("triton_tem_x", "def triton_tem_x(a):\n    XBLOCK = 4\n")
    assert (name, flops) == ("triton_tem_x", None)
    assert reason == "a template of Inductor without a formula"


@pytest.mark.full
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


@pytest.mark.full
def test_a_product_of_max_autotune_is_modelled_and_its_tuning_apart(python, folder):
    program = os.path.join(PROGRAMS, "formulas", "templates.py")
    run = run_profiled([python, program, "mm"], folder=folder, timeout=900)
    assert run.ended_well(), run.explain()
    one = 2 * 48 * 32 * 64
    apart = [m for m in run.summary["modules"] if "(autotuning)" in m["path"]]
    tuned = sum(sum(v or 0 for v in m["flops_modelled"].values()) for m in apart)
    modelled = run.summary["totals"]["flops_modelled"]
    assert sum(v or 0 for v in modelled.values()) - tuned == 2 * 3 * one

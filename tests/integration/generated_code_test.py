# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Which weight meets a gradient later, read from code as Inductor writes it."""

import json
import os
import subprocess
import sys

from flopsprof_run import ROOT

EMBEDDED = os.path.join(ROOT, "injector", "shims", "python", "embedded")
READ = """
import json, sys
sys.path.insert(0, sys.argv[1])
import _flopsprof_generated as generated
print(json.dumps(generated.read(sys.stdin.read().splitlines(), {"mm": 0, "addmm": 1})))
"""
# As torch 2.14 writes it: the gradient of a weight first, then the product with the weight.
FIRST = "    extern_kernels.mm(reinterpret_tensor(buf3, (128, 8), (1, 128), 0), mul_2, out=buf4)\n"
THEN = "    extern_kernels.addmm(tangents_1, buf3, primals_1, alpha=1, beta=1, out=buf6)\n"
BETWEEN = """    del mul_2
    assert_size_stride(primals_1, (128, 64), (64, 1), 'input')
    buf6 = empty_strided_cuda((8, 64), (64, 1), torch.float32)
"""


def read(text) -> dict:
    done = subprocess.run(
        [sys.executable, "-c", READ, EMBEDDED],
        input=text, capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    return {name: others for name, others in json.loads(done.stdout)}


def test_the_weight_of_a_later_product_with_the_same_gradient():
    assert read(FIRST + BETWEEN + THEN) == {"buf3": ["primals_1"]}


def test_a_gradient_that_is_gone_or_another_one_says_nothing():
    assert read(FIRST + "    del buf3\n" + BETWEEN + THEN) == {}
    assert read(FIRST + BETWEEN + "    buf3 = buf9; del buf9  # reuse\n" + THEN) == {}
    assert read(FIRST + BETWEEN + "    buf8 = buf3; del buf3  # reuse\n" + THEN) == {}
    assert read(FIRST + BETWEEN + THEN.replace("buf3", "buf7")) == {}


def test_nothing_is_read_beyond_the_function():
    assert read(FIRST + BETWEEN + "  return (buf4, )\n" + THEN) == {}


def test_both_weights_of_a_gradient_that_meets_two():
    assert read(FIRST + THEN + THEN.replace("primals_1", "primals_9")) == {
        "buf3": ["primals_1", "primals_9"]
    }


def test_other_kernels_are_no_products():
    assert read(FIRST + THEN.replace("addmm", "topk")) == {}
    assert read("    triton_poi_fused_0.run(buf3, buf4, 512, stream=raw_stream0)\n" + THEN) == {}

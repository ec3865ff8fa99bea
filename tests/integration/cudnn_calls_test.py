# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""cuDNN's older calls, overridden sizes and bad calls, from a C++ program.

The numbers are worked out by hand from the sizes in tests/programs/cudnn_calls.
"""

import json
import os
import sqlite3

import by_name
import pytest
from flopsprof_run import PROGRAMS, run_profiled

# (function, flops of all its calls): 2 operations a multiply-add.
CONVOLUTION = 2 * (2 * 16 * 16 * 16) * (2 * 3 * 3)
CAUSAL = 2 * (2 * 8 * 50) * 4
LSTM = 2 * 10 * (4 * 16 * ((8 + 4) + (4 + 4)) + 2 * 16 * 4)
GRU = 2 * 10 * 2 * 3 * 16 * ((8 + 16) + (2 * 16 + 16))
SKIPS_INPUT = 2 * 7 * 16 * 16
MANY_SEQUENCES = 2 * 5000 * 2 * (2 + 2)
PROJECTIONS = 2 * (2 * 4 * 5 * 8 + 2 * 4 * 5 * 8 + 2 * 6 * 5 * 12 + 8 * 5 * 2 * 6)
SCORES = 2 * 2 * (3 * 4 + 2 * 1) * (4 + 6)  # heads, pairs, sizes of keys and values

CASES = {
    "convolutions": {
        "cudnnConvolutionForward": CONVOLUTION,
        "cudnnConvolutionBackwardData": CONVOLUTION,
        "cudnnConvolutionBackwardFilter": CONVOLUTION,
        "cudnnConvolutionBiasActivationForward": 2 * (8 * 6 * 6 * 6) * 4,
    },
    "causal": {
        "cudnnCausalConv1dForward": CAUSAL,
        "cudnnCausalConv1dNwhForward": CAUSAL,
        "cudnnCausalConv1dBackward": 2 * CAUSAL,
        "cudnnCausalConv1dNwhBackward": 2 * CAUSAL,
    },
    "networks": {
        "cudnnRNNForward": LSTM + GRU + SKIPS_INPUT + MANY_SEQUENCES,
        "cudnnRNNBackwardData_v8": LSTM + GRU + SKIPS_INPUT,
        "cudnnRNNBackwardWeights_v8": LSTM + GRU + SKIPS_INPUT,
    },
    "attention": {
        "cudnnMultiHeadAttnForward": PROJECTIONS + SCORES,
        "cudnnMultiHeadAttnBackwardData": PROJECTIONS + 2 * SCORES,
        "cudnnMultiHeadAttnBackwardWeights": PROJECTIONS,
    },
}


SOURCE = os.path.join(PROGRAMS, "cudnn_calls", "cudnn_calls.cc")
LIBRARIES = {"cudnn": "libcudnn.so.9", "cu13": "libcudart.so.13"}


def compiled(out, way: str) -> str:
    """The program, which reaches cuDNN by `way` (support/by_name.py)."""
    return by_name.compiled(SOURCE, str(out), way, LIBRARIES)


@pytest.fixture(scope="module")
def program(tmp_path_factory) -> str:
    return compiled(tmp_path_factory.mktemp("program") / "cudnn_calls", "link")


def call_rows(program, what, tmp_path, **options) -> list:
    run = run_profiled([program, what], folder=str(tmp_path / "run"), timeout=120, **options)
    assert run.ended_well(), run.explain()
    assert "done" in run.stdout
    with sqlite3.connect(os.path.join(run.folder, "profile.db")) as database:
        return database.execute(
            "SELECT api, shape, calls, flops_low, flops_known, detail FROM calls "
            "WHERE captured = 0 ORDER BY shape"
        ).fetchall()


@pytest.mark.parametrize("what", CASES)
def test_older_calls_have_the_work_of_their_descriptors(program, what, tmp_path):
    counted = {}
    for api, _, _, flops, known, _ in call_rows(program, what, tmp_path):
        assert known, api
        counted[api] = counted.get(api, 0) + flops
    assert counted == CASES[what]


@pytest.mark.parametrize("way", ["dlopen", "dlsym"])
def test_every_call_is_counted_however_it_is_reached(way, tmp_path):
    """Linked: the tests around this one."""
    counted = {}
    for api, _, _, flops, known, _ in call_rows(compiled(tmp_path / "calls", way), "every",
                                                    tmp_path):
        assert known, api
        counted[api] = counted.get(api, 0) + flops
    by_hand = {api: flops for case in CASES.values() for api, flops in case.items()}
    assert counted == {**by_hand, "cudnnBackendExecute": FORWARD[1]}


def test_sizes_given_at_execution_are_counted(program, tmp_path):
    rows = call_rows(program, "overrides", tmp_path)
    assert [row[2:5] for row in rows if row[4]] == [
        (1, 2 * 1 * 16 * 8 * 32, 1),
        (3, 3 * 2 * 2 * 16 * 8 * 32, 1),
        (2, 2 * 2 * 4 * 64 * 48 * 32, 1),
    ]
    assert [row[2:] for row in rows if not row[4]] == [
        (1, 0, 0, "matmul (matmul: sizes that do not fit together)")
    ]


PRODUCT = ("matmul a=4x64x32 b=4x32x48 c=4x64x48 half", 2 * 4 * 64 * 48 * 32)
FORWARD = ("conv_fwd x=2x8x10x10 w=16x8x3x3 y=2x16x10x10 half", 2 * (2 * 16 * 100) * (8 * 9))
GRADIENT = ("conv_wgrad x=2x8x10x10 dw=16x8x3x3 dy=2x16x10x10 half", FORWARD[1])


def test_a_plan_that_was_read_from_text_is_counted(program, tmp_path):
    ((api, shape, *counted, _),) = call_rows(program, "deserialised", tmp_path)
    assert api == "cudnnBackendExecute"
    assert shape == FORWARD[0].replace(" half", " pad=1,1 stride=1,1 dilation=1,1 half")
    assert counted == [1, FORWARD[1], 1]


def test_a_plan_in_a_graph_counts_at_each_replay(program, tmp_path):
    rows = call_rows(program, "populated", tmp_path)
    assert sorted((row[0], *row[2:5]) for row in rows) == [
        ("cudnnBackendExecute", 1, FORWARD[1], 1),
        ("cudnnBackendPopulateCudaGraph", 100, 100 * FORWARD[1], 1),
    ]


def test_plans_are_followed_where_the_library_does_not_describe_them(program, tmp_path):
    faults = json.dumps({"cudnn_json": "refused"})
    rows = call_rows(program, "without_json", tmp_path, faults=faults)
    assert {row[1]: row[2:5] for row in rows if row[4]} == {
        shape: (2, 2 * flops, 1) for shape, flops in (PRODUCT, FORWARD, GRADIENT)
    }
    # Until its first refusal nobody knew that the library would.
    assert [row[1:4] for row in rows if not row[4]] == [("plan not known", 1, 0)]


def test_bad_calls_are_unknown_or_nothing(program, tmp_path):
    rows = call_rows(program, "bad", tmp_path)
    # What the library refused is no call; what it took without readable sizes is unknown.
    assert {row[0] for row in rows} <= {"cudnnConvolutionForward", "cudnnMultiHeadAttnForward"}
    assert rows
    for _, shape, _, flops, known, _ in rows:
        assert (flops, known) == (0, 0)
        assert shape == "unknown: a handle or descriptor could not be read"

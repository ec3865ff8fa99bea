# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Modules that change while a job runs: each object keeps what it did. All numbers by hand."""

import functools
import os

import pytest
from flopsprof_run import PROGRAMS, run_profiled

UNIT = 2 * 8 * 16 * 16  # a Linear(16, 16) on 8 rows

# Products by line, all phases together, of one class of changes.py each.
CHANGES = {
    "Merged": {".q.base_layer": 2, ".q.extra": 2, ".q#2": 3},
    "MergedAndBack": {".q.base_layer": 3, ".q.extra": 3, ".q#2": 1},
    "Wrapped": {".q": 2, ".q#2.0": 3, ".q#2.1": 3},
    # PyTorch's wrapper is no other object than what it wraps.
    "Checkpointed": {".q": 5},
    "Replaced": {".q": 2, ".q#2": 2},  # the second has twice the outputs
    "Items": {".q.0": 3, ".q.1": 2, ".q.1#2": 1},
    # The list is no object of its own: what moves in it does.
    "Listed": {".layers.0": 2, ".layers.1": 3, ".layers.0#2": 1, ".layers.0#3": 1},
    "Late": {".q.0": 2, ".q.1": 1},
    "OwnNames": {"._orig_mod": 1, ".module": 1},
    "DataParallel": {".module": 1},
}


@pytest.fixture(scope="module")
def profiled(python, tmp_path_factory):
    folder = tmp_path_factory.mktemp("objects")

    @functools.cache
    def profile(name):
        run = run_profiled(
            [python, os.path.join(PROGRAMS, "objects", name + ".py")], folder=str(folder / name)
        )
        assert run.ended_well(), run.explain()
        return run

    return profile


def products(run, base) -> dict:
    """Path below `base` -> products that the line did itself."""
    own = {m["path"]: sum(n or 0 for n in m["self"]["flops"].values())
           for m in run.summary["modules"]}  # fmt: skip
    return {path[len(base):]: flops / UNIT for path, flops in own.items()
            if flops and (path == base or path.startswith(base + "."))}  # fmt: skip


@pytest.mark.parametrize("name", CHANGES)
def test_each_object_keeps_what_it_did(profiled, name):
    assert products(profiled("changes"), f"({name})") == CHANGES[name]


def test_models_of_one_class_are_apart(profiled):
    run = profiled("changes")
    assert products(run, "(Pair)") == {".q": 1}
    assert products(run, "(Pair)#2") == {".q": 2}
    assert products(run, "(Loaded)") == {".q": 1}
    assert products(run, "(Loaded)#2") == {".q": 2}


def test_the_root_is_the_model_that_trained(profiled):
    run = profiled("changes")
    assert run.module("")["class"] == "Student"
    # Two layers, three steps: forward, both weight gradients, one data gradient.
    assert run.module("")["flops"]["forward"] == 6 * UNIT
    assert run.module("")["flops"]["backward"] == 9 * UNIT
    assert run.module("(Teacher)")["flops"]["evaluation"] == 15 * UNIT
    assert run.module("(Student)")["flops"]["evaluation"] == 6 * UNIT
    copies = {m["path"]: m["copy_of"] for m in run.summary["modules"] if m["copy_of"] is not None}
    assert copies == {"(Student)": ""}


def test_parameters_are_those_of_the_object(profiled):
    run = profiled("changes")
    sizes = {
        "(Merged).q": 512, "(Merged).q#2": 256, "(Replaced).q": 256, "(Replaced).q#2": 512,
        "(Wrapped).q#2": 512, "(Late).q.1": 256, "(Late)": 512, "(Checkpointed).q": 256,
    }  # fmt: skip
    assert {path: run.module(path)["params"] for path in sizes} == sizes
    assert all(m["params"] is not None for m in run.summary["modules"] if m["path"] != "(outside)")


def test_a_shared_module_has_one_line_whoever_calls_it(profiled):
    run = profiled("shared")
    product = 2 * 2 * 16 * 16  # of one call, forward
    flops = {m["path"]: m["flops"]["forward"] for m in run.summary["modules"]}
    # By hand: two steps; four calls of the shared layer, which is above the blocks first.
    assert flops["layer"] == 4 * product
    assert [flops[f"blocks.{i}"] for i in (0, 1)] == [2 * product] * 2
    assert (flops["blocks"], flops[""]) == (4 * product, 8 * product)
    assert run.module("layer")["also"] == ["blocks.0.shared", "blocks.1.shared"]
    # Its weights are of all who hold it.
    sizes = {m["path"]: m["params"] for m in run.summary["modules"]}
    assert (sizes["blocks.1"], sizes["blocks"], sizes[""]) == (512, 768, 768)


def test_the_whole_is_the_sum_of_its_lines(profiled):
    summary = profiled("changes").summary
    for phase, total in summary["totals"]["flops"].items():
        own = sum(m["self"]["flops"].get(phase) or 0 for m in summary["modules"])
        assert own == (total or 0), phase


def test_work_on_the_cpu_is_not_known(profiled):
    run = profiled("places")
    modules = {m["path"]: m for m in run.summary["modules"]}
    marks = {path: m["on_cpu"] for path, m in modules.items() if m["on_cpu"] is not None}
    assert marks == {
        "": "part", "encoder": "all", "encoder.0": "all", "encoder.1": "all", "moves": "part",
        "moves.0": "part",
    }  # fmt: skip
    for path in ("encoder", "encoder.0", "encoder.1"):
        assert modules[path]["flops"]["forward"] is None
        assert modules[path]["provenance"] == "unknown"
    # On the GPU: `moves` in the last call, the other two in all three.
    own = {path: m["self"]["flops"]["forward"] for path, m in modules.items()}
    assert own["moves.0"] == UNIT
    assert own["offloaded.fc"] == own["head"] == 3 * UNIT
    assert ["encoder (Sequential)" in f["evidence"] for f in run.found("modules_on_cpu")] == [True]
    assert "(on CPU)" in run.report()


def test_parameters_of_experts_and_of_traced_modules(profiled):
    run = profiled("sizes")
    # Stacked: 4*8*8 + 4*8 + 1 (PReLU); of four experts two are chosen, so half of them works.
    stacked = run.module("stacked.experts")
    assert (stacked["params"], stacked["parameters"]["experts"]) == (289, 289)
    assert run.module("stacked")["params"] == 289 + 32
    inside = run.module("inside.experts")
    assert (inside["params"], inside["parameters"]["active"]) == (256, 128)
    # Two of four experts are here: 4 * 64 in the whole model.
    assert run.module("listed.experts")["params"] == 256
    assert run.module("listed")["parameters"]["active"] == 128 + 32
    # Traced: 8*8 + 8 + 8*4 + 4; scripted: 8*2 + 2.
    by_class = {m["class"]: m["params"] for m in run.summary["modules"] if m["path"][:1] == "("}
    assert by_class["TopLevelTracedModule"] == 108
    assert by_class["RecursiveScriptModule"] == 18


@pytest.mark.parametrize("kind", ["lazy", "plain", "checkpointed", "compiled"])
def test_nothing_of_ours_keeps_parameters_from_being_swapped(python, folder, kind):
    program = os.path.join(PROGRAMS, "objects", "swapped.py")
    run = run_profiled([python, program, kind], folder=folder)
    assert run.ended_well(), run.explain()
    assert run.stdout.split() == ["torch.float16"]
    assert run.summary["ranks"][0]["loss"] == {}

# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Work without a library call: modelled by formula, whoever asks for the operation; unknown, with
its kernels named, when the formula is off."""

import os
import sqlite3

import ledger as book
import pytest
from flopsprof_run import PROGRAMS, ROOT, acceptance, run_profiled

CALLERS = os.path.join(PROGRAMS, "formulas", "callers.py")
B, H, S, D = 2, 4, 64, 32  # of callers.py
STEPS = 2


def flash_kernels(run) -> list:
    found = [k for k in run.summary["kernels"] if "pytorch_flash" in k["name"]]
    assert found, run.explain()
    return found


def test_attention_of_flash_kind_is_modelled(python, folder):
    command = acceptance("sdpa", "--backend", "flash", "--mode", "train", "--steps", "2")
    run = run_profiled([python, *command], folder=folder)
    assert run.ended_well(), run.explain()
    coverage = run.summary["coverage"]
    assert coverage["modelled"] > 0.05
    assert coverage["calls_unmatched"] == 0 and coverage["records_lost"] == 0
    assert f"modelled {100 * coverage['modelled']:.1f}%" in run.report()
    assert {k["category"] for k in flash_kernels(run)} == {"modelled"}
    # The program's defaults: 2 sequences, 8 heads of 64, 1024 tokens, bf16.
    product = 2 * 2 * 8 * 1024 * 1024 * 64
    modelled = run.summary["totals"]["flops_modelled"]
    assert modelled["forward"] == 2 * 2 * product
    assert modelled["backward"] == 2 * 4 * product
    assert modelled["recompute"] == 2 * 1 * product
    assert coverage["no_products"] > 0


@pytest.mark.parametrize(
    "options",
    (["--no-formulas"],
     ["--formula-off", "aten::_flash_attention_forward,aten::_flash_attention_backward"]),
    ids=("all", "by name"),
)  # fmt: skip
def test_with_the_formula_off_the_same_work_is_unknown(python, folder, options):
    command = acceptance("sdpa", "--backend", "flash", "--mode", "train", "--steps", "2")
    run = run_profiled([python, *command], *options, folder=folder)
    assert run.ended_well(), run.explain()
    assert run.summary["coverage"]["modelled"] == 0
    assert {k["category"] for k in flash_kernels(run)} == {"unknown"}
    assert len(run.found("unknown_kernels")) == 1
    assert sum(v or 0 for v in run.summary["totals"]["flops_modelled"].values()) == 0


def test_every_caller_is_seen(python, folder):
    run = run_profiled([python, CALLERS], folder=folder)
    assert run.ended_well(), run.explain()
    coverage = run.summary["coverage"]
    assert coverage["calls_unmatched"] == 0 and coverage["records_lost"] == 0

    product = 2 * B * H * S * S * D
    flops = {m["path"]: m["flops"] for m in run.summary["modules"]}
    attention = flops["attention"]
    assert attention["forward"] == STEPS * 2 * product
    assert attention["backward"] == STEPS * 4 * product
    assert attention["recompute"] == STEPS * product

    # In evaluation one operation of PyTorch's C++: its products are library calls or a kernel.
    width, tokens = H * D, B * S
    linear = 2 * tokens * width * (3 * width + width + 2 * 2048)
    assert flops["encoder"]["forward"] == STEPS * (linear + 2 * product)

    # The volume needs no gradient: the weight's alone.
    depthwise = 2 * 4 * (5 * 6 * 7) * 27
    assert flops["depthwise"]["forward"] == STEPS * depthwise
    assert flops["depthwise"]["backward"] == STEPS * depthwise

    # No products, and known to be none.
    assert flops["bag"]["forward"] == 0
    assert coverage["no_products"] > 0
    # Operations that raised, caught by the program, count nothing and harm nobody.
    assert flops["refused"]["forward"] == 0


def test_compiled_code_is_a_caller_too(python, folder):
    run = run_profiled([python, CALLERS, "--compiled"], folder=folder, timeout=600)
    assert run.ended_well(), run.explain()
    product = 2 * B * H * S * S * D
    modelled = run.summary["totals"]["flops_modelled"]
    assert modelled["forward"] == STEPS * 2 * product
    assert modelled["backward"] == STEPS * 4 * product
    assert modelled["recompute"] == STEPS * product


def test_an_error_in_a_formula_file_is_said_before_the_job_runs(python, tmp_path):
    path = tmp_path / "formulas.toml"
    path.write_text('[[formula]]\noperation = "a::b"\nflops = "2 * (m + "\n')
    marker = tmp_path / "ran"
    run = run_profiled(
        ["touch", str(marker)], "--formulas", str(path), folder=str(tmp_path / "run")
    )
    assert run.exit_code == 2
    assert f'{path}:3: "flops": column 10: expected a number, a name or "("' in run.stderr
    assert not marker.exists()


def test_a_formula_of_the_users_by_kernel_name_and_grid(python, tmp_path):
    path = tmp_path / "formulas.toml"
    path.write_text('[[formula]]\nkernel = "*distribution_elementwise*"\nflops = "grid.x * 100"\n')
    run = run_profiled(
        [python, CALLERS], "--formulas", str(path), folder=str(tmp_path / "run"), ledger=True
    )
    assert run.ended_well(), run.explain()
    randn = [k for k in run.summary["kernels"] if "distribution_elementwise" in k["name"]]
    assert randn and {k["category"] for k in randn} == {"modelled"}
    ran = [r for r in book.executed(run.ledger) if "distribution_elementwise" in r["name"]]
    blocks = sum(row["grid"][0] for row in ran)
    assert blocks > 0
    # Outside of every module: nothing else is modelled there.
    assert run.module("(outside)")["flops_modelled"]["other"] == 100 * blocks


def test_formulas_of_the_program_for_its_own_operations(python, folder):
    program = os.path.join(PROGRAMS, "formulas", "own_formula.py")
    package = os.path.join(ROOT, "injector", "shims", "python")
    run = run_profiled([python, program], folder=folder, env={"PYTHONPATH": package})
    assert run.ended_well(), run.explain()
    modelled = {m["path"]: m["flops_modelled"]["forward"] for m in run.summary["modules"]}
    each = 2 * 8 * 16 + 3
    assert modelled["packet"] == modelled["overload"] == STEPS * each
    assert not modelled["raises"] and not modelled["fails"]
    # A library call inside counts in its place.
    assert not modelled["uses_library"]
    assert run.module("uses_library")["flops"]["forward"] == STEPS * 2 * 8 * 16
    assert run.module("fails")["flops"]["forward"] is None
    with sqlite3.connect(os.path.join(folder, "profile.db")) as database:
        rows = database.execute("select detail from calls where api = 'mylib::fails'").fetchall()
        details = dict(database.execute("select api, detail from calls where api like 'mylib::%'"))
    assert rows == [("the formula raised ValueError('no such shape')",)]
    loss = run.summary["ranks"][0]["loss"]
    assert loss.get("shim_failed", 0) == 0

    # a has 8 elements, b 16; five combinations of arguments, the same in both steps.
    assert modelled["total"] == STEPS * ((8 + 160) + (16 + 80) + (8 + 1600) + 2 * (8 + 16))
    assert "asked 5\n" in run.stdout
    assert modelled["replaced"] == STEPS * (2 * 8 * 8 + 1000)
    wrong = {
        "negative": "-1", "huge": "1180591620717411303424", "nan": "nan", "broken": "1.5",
        "whole": "2.0", "text": "'12'", "nothing": "None", "yes": "True",
    }  # fmt: skip
    for name, text in wrong.items():
        assert run.module(name)["flops"]["forward"] is None
        assert details["mylib::" + name] == f"the formula returned {text}, not a count"
    assert loss["formula_failed"] == STEPS * (len(wrong) + 1)
    assert "whose formula gave no count" in run.report()


def test_a_triton_kernel_with_launch_metadata_is_modelled(python, folder):
    program = os.path.join(PROGRAMS, "formulas", "triton_kernel.py")
    run = run_profiled([python, program], folder=folder)
    assert run.ended_well(), run.explain()
    assert run.module("0")["flops_modelled"]["forward"] == STEPS * 2 * 1000
    assert run.module("1")["flops"]["forward"] is None
    categories = {k["name"]: k["category"] for k in run.summary["kernels"]}
    assert categories["add_body"] == "modelled"
    assert categories["without_metadata"] == "unknown"
    assert run.summary["coverage"]["calls_unmatched"] == 0


def test_the_package_flash_attn_is_modelled_by_its_extension_module(python, folder):
    program = os.path.join(PROGRAMS, "formulas", "flash_package.py")
    run = run_profiled([python, program], folder=folder)
    assert run.ended_well(), run.explain()
    modelled = {m["path"]: m["flops_modelled"] for m in run.summary["modules"]}
    # 2 sequences of 128, 8 query heads; heads of 64, of values 32.
    pairs = STEPS * 2 * 2 * 8 * 128 * 128
    assert modelled["dense"]["forward"] == pairs * (64 + 32)
    assert modelled["dense"]["backward"] == pairs * (2 * 64 + 2 * 32)
    assert modelled["dense"]["recompute"] == pairs * 64
    assert modelled["uniform"]["forward"] == pairs * (64 + 32)
    assert run.module("ragged")["flops"]["forward"] is None
    assert not modelled["raises"]["forward"]
    with sqlite3.connect(os.path.join(folder, "profile.db")) as database:
        rows = database.execute(
            "select distinct detail from calls where api = 'flash_attn::varlen_fwd' and not "
            "flops_known"
        ).fetchall()
    assert rows == [("lengths of the sequences are in GPU memory",)]
    assert run.summary["ranks"][0]["loss"].get("shim_failed", 0) == 0

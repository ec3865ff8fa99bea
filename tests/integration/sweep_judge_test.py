# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""The sweep can say no: its judge to each planted error, its yardstick to formulas by hand."""

import json
import os
import subprocess
import sys

import pytest
from flopsprof_run import ROOT, environment, sim_python

SWEEP = os.path.join(ROOT, "tests", "sweep")
sys.path.append(SWEEP)
import document_parts  # noqa: E402
import found  # noqa: E402
import sweep  # noqa: E402
import verdicts  # noqa: E402
from models import families  # noqa: E402

# What the yardstick says no number of: operations that it has no formula for.
WITHOUT_FORMULA = {
    "linear: bilinear 4 by 5 to 6",
    "attention modules: MultiheadAttention(16, 4) in eval, no gradients",
    "attention modules: TransformerEncoderLayer(16, 4, 32) in eval",
    "solvers: ormqr 8x8 of 6, 2 columns",
    "solvers: fft of 4 times 64",
    "solvers: sparse 2x4 of 3 elements, 5 columns",
}
# By hand is the useful number; the operation has the padded width 8 in the place of 4.
PADDED = {"attention: flash 2x5x9/9x4 fp16": [25920, 51840, 12960]}


def flops(forward=0, backward=0, recompute=0):
    return {"forward": forward, "backward": backward, "recompute": recompute}


def row(path, inclusive, alone, params=10):
    times = {"gpu_time_s": {}, "unknown_gpu_time_s": 0}
    return {
        "path": path, "depth": path.count(".") + 1, "class": "Net", "params": params,
        "flops": inclusive, "self": {"flops": alone, **times}, **times,
    }  # fmt: skip


def part():
    """A model of two modules, as both sides should say it."""
    rows = [
        row("f_m", flops(30, 60), flops(10, 20), 25),
        row("f_m.a", flops(20, 40), flops(20, 40)),
    ]
    counts = {"": [30, 60, 0], "f_m": [30, 60, 0], "f_m.a": [20, 40, 0]}
    count = {"errors": {}, "modules": counts, "params": {"f_m": 25, "f_m.a": 10},
             "without_formula": {}}  # fmt: skip
    return verdicts.Part({}, {"errors": {}}, count, {r["path"]: r for r in rows})


def reasons(**changes):
    return verdicts.Reasons(**{"rules": [], "cannot_run": [], "not_judged": [], **changes})


def judged(one, listed=None):
    return verdicts.judge("f/m", one, listed or reasons())


def complaints(verdict):
    return verdict.problems + verdict.unexplained


def test_equal_modules_are_equal():
    verdict = judged(part())
    assert complaints(verdict) == []
    assert (verdict.modules, verdict.with_flops, verdict.equal) == (2, 2, 2)


@pytest.mark.parametrize("phase", verdicts.PHASES)
def test_one_flop_too_many_in_a_phase_of_a_module_is_a_difference(phase):
    one = part()
    one.count["modules"]["f_m.a"][verdicts.PHASES.index(phase)] += 1
    (difference,) = complaints(judged(one))
    assert (difference.path, difference.what) == ("a", phase)


def test_parameters_are_held_to_their_own_count():
    one = part()
    one.rows["f_m"]["params"] = 35
    (difference,) = complaints(judged(one))
    assert (difference.what, difference.said, difference.right) == ("params", 35, 25)


def test_unknown_is_not_zero():
    one = part()
    one.rows["f_m.a"]["flops"]["recompute"] = None
    (difference,) = complaints(judged(one))
    assert difference.said is None


def test_a_module_without_a_row_is_a_problem():
    one = part()
    del one.rows["f_m.a"]
    assert any("no row" in text for text in judged(one).problems)


def test_work_in_a_module_that_the_model_does_not_have_is_a_problem():
    one = part()
    one.rows["f_m.?Other"] = row("f_m.?Other", flops(1), flops(1))
    assert any("no module of the model" in text for text in judged(one).problems)


def test_a_module_is_itself_and_its_children():
    one = part()
    one.rows["f_m"]["self"]["flops"]["forward"] = 9
    assert any("self and children" in text for text in judged(one).problems)


def test_a_module_that_took_the_place_of_one_without_work_is_at_its_path():
    one = part()
    one.rows["f_m.a#2"] = {**one.rows.pop("f_m.a"), "path": "f_m.a#2"}
    assert complaints(judged(one)) == []
    one.rows["f_m.a#2"]["flops"]["forward"] += 1
    assert complaints(judged(one))
    one = part()  # both did work: which of them is the model's?
    one.rows["f_m.a#2"] = {**row("f_m.a#2", flops(1), flops(1))}
    assert any("no module of the model" in text for text in judged(one).problems)


def test_what_fails_under_the_profiler_only_is_a_problem():
    one = part()
    one.ours["errors"]["f/m"] = "running: ValueError"
    assert any("fails under flopsprof" in text for text in judged(one).problems)


# (which side ends badly, when) -> how each of three models ended under flopsprof. The yardstick may
# not manage many models at once; flopsprof has to.
@pytest.mark.parametrize(
    "side, bad, ends",
    [
        ("run", lambda names: len(names) > 1, ["with others: ended with -6"] * 3),
        ("run", lambda names: "b" in names, ["", "ended with -6", ""]),
        ("count", lambda names: len(names) > 1, ["", "", ""]),
        ("run", lambda names: False, [""]),
    ],
    ids=["together only", "one of them", "the yardstick", "none"],
)
def test_what_ends_badly_among_others_only_is_kept(side, bad, ends, tmp_path, monkeypatch):
    names = ["a", "b", "c"]

    def process(command, env, limit, log):
        kind = "count" if "--count" in command else "run"
        run = [name for name in names if name in command]
        return "ended with -6" if kind == side and bad(run) else ""

    monkeypatch.setattr(sweep, "run_process", process)
    folders = sweep.run_part(str(tmp_path / "part"), names, {}, 1)
    parts = []
    for folder in folders:
        with open(os.path.join(folder, "part.json"), encoding="utf-8") as file:
            parts.append(json.load(file))
    assert [part["ended"].get("run", "") for part in parts] == ends
    assert [name for part in parts for name in part["names"]] == names


def test_what_cannot_run_or_be_judged_is_listed():
    why = "A reason of more than twenty characters."
    one = part()
    one.count["errors"]["f/m"] = "running: ValueError"
    listed = verdicts.Listed(["f/m"], why)
    assert judged(one, reasons(cannot_run=[listed])).problems  # the yardstick's own fault
    one.ours["errors"]["f/m"] = "running: ValueError"
    assert judged(one).problems
    assert judged(one, reasons(cannot_run=[listed])).problems == []
    assert judged(part(), reasons(cannot_run=[listed])).problems  # it runs
    one = part()
    one.count["without_formula"]["f_m.a"] = ["fft"]
    assert judged(one).problems
    assert judged(one, reasons(not_judged=[listed])).problems == []
    assert judged(None).problems == ["was not run"]


def rule(**changes):
    facts = {
        "id": "twice", "what": ["forward"], "where": "cls == 'Net' and path == 'a'",
        "value": "2 * right", "right": "both", "why": "Said twice, for this test.",
    }  # fmt: skip
    return verdicts.Reason(**{**facts, **changes})


def test_a_reason_explains_only_the_number_that_it_predicts():
    for said, explained in ((40, True), (41, False)):
        one, twice = part(), rule()
        one.rows["f_m.a"]["flops"]["forward"] = said
        one.rows["f_m.a"]["self"]["flops"]["forward"] = said
        one.rows["f_m"]["self"]["flops"]["forward"] = 30 - said
        assert (complaints(judged(one, reasons(rules=[twice]))) == []) == explained
        assert twice.used == explained


def test_a_reason_that_explains_nothing_fails_the_whole_sweep(capsys, monkeypatch):
    monkeypatch.setattr(found, "old_document", lambda *_: "")
    verdict = judged(part())
    assert found.report([verdict], reasons(rules=[rule()]), whole=True, table=False) == 1
    assert "FAIL every_reason_explains_something twice" in capsys.readouterr().out
    assert found.report([verdict], reasons(rules=[rule()]), whole=False, table=False) == 0


def test_an_unknown_kernel_has_a_reason():
    one = part()
    one.unknown_kernels = ["fft_radix2", "strange"]
    kernel = verdicts.Kernel("^fft", "A transform is no product by our convention.")
    assert verdicts.kernels_without_reason([one], reasons(kernels=[kernel])) == ["strange"]
    assert kernel.used == 1


def test_a_part_of_a_document_leaves_the_others():
    text = document_parts.replaced("", "one", "1\n")
    text = document_parts.replaced(text, "two", "2\n")
    text = document_parts.replaced(text, "one", "3\n")
    assert document_parts.part_of(text, "one") == "3\n"
    assert document_parts.part_of(text, "two") == "2\n"
    assert document_parts.part_of(text, "three") == ""


def test_what_the_last_whole_sweep_found_has_all_models():
    ids = [model.id for members in families().values() for model in members]
    assert len(ids) == len(set(ids)) and len(ids) >= 300
    assert list(found.read()) == ids


def test_the_yardstick_agrees_with_formulas_by_hand():
    program = os.path.join(SWEEP, "check_yardstick.py")
    done = subprocess.run(
        [sim_python(), program], env=environment({"SIM_REALTIME": "0"}), stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["cases"] >= 300
    different = said["different"]
    assert set(different) == WITHOUT_FORMULA | set(PADDED)
    for case in WITHOUT_FORMULA:
        assert all(isinstance(operation, str) for operation in different[case][0])
    assert {case: different[case][0] for case in PADDED} == PADDED

# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""What one step is, in loops of many kinds, and the work of each step, to the integer."""

import os
import re
import subprocess

import pytest
import summary_checks
from flopsprof_run import PROGRAMS, run_profiled

LOOPS = os.path.join(PROGRAMS, "steps", "loops.py")

# loops.py: 16 rows through 32 -> 48 -> 10; no gradient of the input.
A, B = 2 * 16 * 32 * 48, 2 * 16 * 48 * 10
FORWARD, BACKWARD = A + B, A + 2 * B
NARROW = 2 * 16 * 32 * 20, 2 * 16 * 20 * 10  # the same with 20 in the place of 48
# The GAN: 16 rows through 12 -> 24, critic 24 -> 8.
G, D = 2 * 16 * 12 * 24, 2 * 16 * 24 * 8


def run_loop(python, folder, kind, *arguments, options=()):
    command = [python, LOOPS, kind, *(str(one) for one in arguments)]
    run = run_profiled(command, *options, folder=folder)
    assert run.ended_well(), run.explain()
    assert summary_checks.problems(run.summary) == []
    return run


def work(lines) -> list:
    return [{phase: n for phase, n in line["flops"].items() if n} for line in lines]


def steps_of(run) -> list:
    steps = run.summary["steps"]
    assert [line["step"] for line in steps["list"]] == list(range(steps["profiled"]))
    assert steps["first"] == 0 and steps["last"] == steps["profiled"] - 1
    return work(steps["list"])


STEP = {"forward": FORWARD, "backward": BACKWARD}


def gan_step(critics) -> dict:
    return {"forward": critics * (G + 2 * D) + G + D, "backward": critics * 2 * D + 2 * D + G}


@pytest.mark.parametrize(
    "kind, argument, expected",
    [
        ("plain", 0, [STEP] * 3),
        ("plain", 1, [STEP]),
        ("late_optimizer", 0, [STEP] * 3),
        ("gan", 1, [gan_step(1)] * 3),
        ("gan", 5, [gan_step(5)] * 3),
        ("generator_first", 2, [gan_step(2)] * 3),
        ("one_turn_of_gan", 0, [gan_step(2)]),
        ("groups", 0, [STEP] * 4),
        ("stages", 0, [STEP] * 10),
        ("one_never_steps", 1, [gan_step(1)] * 4),
        ("averaged", 0, [STEP] * 3),
        ("teacher", 0, [{**STEP, "evaluation": FORWARD}] * 3),
        ("graph", 0, [STEP] * 5),
    ],
)
def test_a_turn_of_the_loop_is_a_step(python, folder, kind, argument, expected):
    run = run_loop(python, folder, kind, argument)
    assert steps_of(run) == expected
    steps = run.summary["steps"]
    assert steps["taken_from"] == "optimizer"
    assert steps["beside"] == []
    assert all(line["complete"] for line in steps["list"])
    assert steps["measured"] == max(len(expected) - 1, 0)
    assert "A step here is" not in run.report()


def test_evaluation_is_beside_steps_or_in_none(python, folder):
    run = run_loop(python, folder, "evaluations")
    assert steps_of(run) == [STEP] * 3
    steps = run.summary["steps"]
    # Not those before the first step and after the last one.
    assert [line["step"] for line in steps["beside"]] == [0, 1]
    assert work(steps["beside"]) == [{"evaluation": FORWARD}] * 2
    totals = run.summary["totals"]["flops"]
    assert totals["evaluation"] == 4 * FORWARD
    assert totals["forward"] == 4 * FORWARD  # one with gradients after the last step


def test_work_of_no_step_is_in_no_mean_over_steps(python, folder):
    run = run_loop(python, folder, "evaluations")
    report = run.report()
    assert re.search(r"\n +eval .*\n +1 ", report)  # a line of its own, after step 0
    assert "eval: an evaluation between two steps, in neither" in report
    assert "3 not in them" not in report and "1 not in them: step 0\n" in report
    # All flops of evaluations are in none, one forward of the model too.
    line = re.search(r"\n +evaluation +(.*)", report)[1].split("  ")
    assert "0" in [cell.strip() for cell in line]
    flat = " ".join(report.split())
    assert "divided by its steps: also what ran in none, flops of forward" in flat


def test_steps_that_the_job_does_not_come_to_are_said(python, folder):
    whole = run_loop(python, os.path.join(folder, "a"), "plain", 6)
    part = run_loop(python, os.path.join(folder, "b"), "plain", 6, options=("--steps", "4:10"))
    steps = part.summary["steps"]
    assert (steps["wanted_first"], steps["wanted_end"]) == (4, 10)
    assert [line["step"] for line in steps["list"]] == [4, 5]
    assert work(steps["list"]) == work(whole.summary["steps"]["list"])[4:]
    said = [f["text"] for f in part.found("steps_missing")]
    assert said == ["of --steps 4:10 only steps 4-5 came"]
    assert whole.found("steps_missing") == []


def test_a_window_that_the_job_never_reaches_is_no_loss_of_times(python, folder):
    command = [python, LOOPS, "plain", "6"]
    run = run_profiled(command, "--steps", "50:60", folder=folder)
    assert run.exit_code == 0
    reason = "no step of --steps 50:60 was recorded: the job ended in step 5 (they count from 0)"
    assert run.summary["coverage"]["reasons"] == [reason]
    [said] = [f for f in run.summary["findings"] if f["severity"] != "note"]
    assert (said["kind"], said["evidence"]) == ("nothing_recorded", reason)
    report = run.report()
    assert reason in " ".join(report.split())
    assert "run: flopsprof doctor" not in report and "no GPU times, counts only" not in report


def test_micro_batches_belong_to_the_optimizer_that_follows(python, folder):
    run = run_loop(python, folder, "accumulation")
    two = {"forward": 2 * FORWARD, "backward": 2 * BACKWARD}
    assert steps_of(run) == [two, two, STEP]
    assert run.summary["totals"]["flops"]["forward"] == 6 * FORWARD


def test_closures_are_in_the_step_that_calls_them(python, folder):
    run = run_loop(python, folder, "closures")
    calls = [int(number) for number in run.stdout.split()]
    work_of_steps = [{"forward": n * FORWARD, "backward": n * BACKWARD} for n in calls]
    assert [
        {key: n for key, n in one.items() if key != "optimizer"} for one in steps_of(run)
    ] == work_of_steps


def test_threads_have_steps_of_their_own(python, folder):
    run = run_loop(python, folder, "threads")
    a, b = NARROW
    both = {"forward": FORWARD + a + b, "backward": BACKWARD + a + 2 * b}
    assert steps_of(run) == [both] * 3


def test_without_an_optimizer_forwards_are_steps_and_that_is_said(python, folder):
    run = run_loop(python, folder, "inference")
    assert steps_of(run) == [{"forward": FORWARD}] * 3
    assert run.summary["steps"]["taken_from"] == "forwards"
    report = run.report()
    assert "each outermost forward" in report
    assert "flopsprof.step()" in report and "--step-at" in report


BY_HAND = {"forward": 3 * FORWARD, "backward": 2 * BACKWARD}


def test_without_an_optimizer_a_backward_pass_ends_what_is_one_step(python, folder):
    run = run_loop(python, folder, "by_hand")
    assert steps_of(run) == [BY_HAND] * 3
    assert run.summary["steps"]["taken_from"] == "passes"
    assert "forwards up to a backward pass" in run.report()


def test_a_program_says_steps_without_any_installation(python, folder):
    run = run_loop(python, folder, "said")
    assert steps_of(run) == [BY_HAND] * 3
    assert run.summary["steps"]["taken_from"] == "flopsprof.step()"
    assert run.summary["totals"]["flops"]["forward"] == 10 * FORWARD


def test_threads_that_share_a_model_are_in_their_own_said_steps(python, folder):
    run = run_loop(python, folder, "shared_and_said")
    one = {"forward": 2 * FORWARD, "backward": BACKWARD}
    two = {"forward": 4 * FORWARD, "backward": 2 * BACKWARD}
    assert steps_of(run) == [two, two, one, one]


@pytest.mark.parametrize(
    "kind, name", [("by_hand", "train_step"), ("by_hand", "__main__:train_step"), ("ranges", "turn")]
)
def test_step_at_a_function_or_a_range(python, folder, kind, name):
    run = run_loop(python, folder, kind, options=("--step-at", name))
    assert steps_of(run) == [BY_HAND] * 3
    assert run.summary["steps"]["taken_from"] == name


@pytest.mark.parametrize(
    "kind, name",
    [("closed", "Trainer.step"), ("static", "Trainer.alone"), ("generated", "generated_step")],
)
def test_step_at_a_function_of_another_kind(python, folder, kind, name):
    run = run_loop(python, folder, kind, options=("--step-at", name))
    assert steps_of(run) == [BY_HAND] * 3
    assert run.summary["ranks"][0]["loss"] == {}


@pytest.mark.parametrize("name, steps", [("compiled_step", 3), ("inner_step", 0)])
def test_step_at_lets_torch_compile_a_function_whole(python, folder, name, steps):
    run = run_loop(python, folder, "compiled", options=("--step-at", name))
    # In compiled code no function begins, so no step.
    assert [sum(one.values()) for one in work(run.summary["steps"]["list"])] == [
        sum(BY_HAND.values())
    ] * steps
    assert run.summary["ranks"][0]["loss"] == {}


def test_step_at_an_async_function_that_is_held_and_pickled(python, folder):
    run = run_loop(python, folder, "awaited", options=("--step-at", "awaited_step"))
    # The check before each begins to run is work of the step before it, or of none.
    checked = {**BY_HAND, "forward": 4 * FORWARD}
    assert steps_of(run) == [checked, checked, BY_HAND]
    assert run.summary["ranks"][0]["loss"] == {}


def test_step_at_a_place_that_cannot_be_looked_into_costs_nothing_else(python, folder):
    run = run_loop(python, folder, "odd", options=("--step-at", "odd.step"))
    totals = run.summary["totals"]["flops"]
    assert (totals["forward"], totals["backward"]) == (3 * FORWARD, 3 * BACKWARD)
    assert run.summary["ranks"][0]["notes"]["backward"] == "engine"
    modules = {module["path"]: module["self"]["flops"] for module in run.summary["modules"]}
    assert [modules[path]["backward"] for path in ("0", "2")] == [3 * A, 6 * B]


@pytest.mark.parametrize(
    "kind, name, text",
    [
        ("by_hand", "train_stop", "train_stop was never seen"),
        ("compiled", "inner_step", "inner_step began none"),
        ("by_hand", "train_step", None),
        ("parts", "Two", None),
    ],
)
def test_step_at_a_name_that_begins_no_step_is_said(python, folder, kind, name, text):
    run = run_loop(python, folder, kind, options=("--step-at", name))
    found = run.found("no_steps")
    said = [] if text is None else [f"there are no steps: --step-at {text}"]
    assert [f["text"] for f in found] == said
    assert (text is not None) == ("there are no steps" in run.report())


@pytest.mark.parametrize("name", ["first", "Two"])
def test_step_at_a_module(python, folder, name):
    run = run_loop(python, folder, "parts", options=("--step-at", name))
    last = 2 * 16 * 10 * 10
    assert steps_of(run) == [{"forward": FORWARD + last}] * 3


def test_a_window_of_steps_counts_turns(python, folder):
    run = run_loop(python, folder, "gan", 2, options=("--steps", "1:3"))
    assert [line["step"] for line in run.summary["steps"]["list"]] == [1, 2]
    assert work(run.summary["steps"]["list"]) == [gan_step(2)] * 2
    totals = run.summary["totals"]["flops"]
    assert totals["forward"] == 2 * gan_step(2)["forward"]


OWN = "import flopsprof, sys; print(getattr(flopsprof, 'MINE', 0), len(sys.path))"


@pytest.mark.parametrize("flags", [[], ["-I"], ["-S"], ["-I", "-S"], ["-E"]])
def test_the_module_is_there_whatever_python_looks_for(python, folder, flags):
    plain = subprocess.run(
        [python, *flags, "-c", "import sys; print(len(sys.path))"],
        stdout=subprocess.PIPE, text=True, check=True,
    )  # fmt: skip
    run = run_profiled([python, *flags, "-c", OWN], folder=folder)
    assert run.exit_code == 0, run.explain()
    assert run.stdout.split() == ["0", plain.stdout.strip()]


def test_a_module_of_the_program_comes_first(python, folder, tmp_path):
    (tmp_path / "flopsprof.py").write_text("MINE = 7\n")
    script = tmp_path / "script.py"
    script.write_text(OWN)
    run = run_profiled([python, str(script)], folder=folder)
    assert run.stdout.split()[0] == "7", run.explain()

# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Sampled stacks: whose launches they are, and that the sampled job is unharmed."""

import json
import os
import shutil
import subprocess

from by_name import library_folders
from flopsprof_run import PROGRAMS, product, run_profiled


def run_native(folder, *arguments, options=("--stacks-rate", "all"), program=None):
    command = [program or product("bin/stacks"), *[str(a) for a in arguments]]
    run = run_profiled(
        command, *options, folder=folder, env={"LD_LIBRARY_PATH": library_folders()}
    )
    assert run.exit_code == 0, run.explain()
    return run


def functions(stack):
    return [frame["function"] for frame in stack["frames"]]


def has(stack, text):
    return any(text in name for name in functions(stack))


def test_native_frames_by_name(folder):
    run = run_native(folder, 25)
    stacks = run.summary["stacks"]
    assert run.summary["stacks_left_out"] == 0
    for side, other in [("Left", "Right"), ("Right", "Left")]:
        found = [s for s in stacks if has(s, side)]
        # By hand: 25 sets of memory from each side, below main, through Descend(3) ... Descend(0).
        assert sum(s["samples"] for s in found) == 25
        assert sum(s["launches"] for s in found) == 25
        for stack in found:
            names = functions(stack)
            assert not has(stack, other)
            assert stack["path"] == "(outside)" and stack["kernel"] == "[memset]"
            assert sum("Descend" in name for name in names) == 4
            assert names.index("main") < next(i for i, n in enumerate(names) if side in n)
            assert names[-1] == "cudaMemset"
            assert all(frame["kind"] == "native" for frame in stack["frames"])
    assert sum(s["samples"] for s in stacks) == 50
    report = run.report()
    assert "(outside) was launched from" in report and "stacks_test::Left" in report
    assert run.summary["ranks"][0]["loss"] == {}


def test_exceptions_of_the_job_arrive(folder):
    run = run_native(folder, 1000, 3, 20)
    # Nothing was lost: the sums below would be short for another reason.
    assert "ring_full" not in run.summary["ranks"][0]["loss"]
    said = json.loads(run.stdout)
    assert said["thrown"] == said["caught"] >= 1000 and said["failures"] == 0
    own = [s for s in run.summary["stacks"] if has(s, "Left")]
    assert sum(s["samples"] for s in own) == 1000


def test_a_deep_stack_is_cut_and_says_so(folder):
    run = run_native(folder, 5, 0, 400)
    assert run.summary["ranks"][0]["loss"] == {"stack_cut": 10}
    for stack in run.summary["stacks"]:
        assert stack["frames"][0]["kind"] == "cut"
        assert has(stack, "Descend") and not has(stack, "main")
    assert "stack_cut" in run.report()


def test_without_symbols_frames_are_offsets(folder, tmp_path):
    bare = str(tmp_path / "bare")
    shutil.copy(product("bin/stacks"), bare)
    subprocess.run(["strip", bare], check=True)
    run = run_native(folder, 5, program=bare)
    own = [f for s in run.summary["stacks"] for f in s["frames"] if f["where"].startswith("bare")]
    assert own and all(f["function"] == "" and "bare+0x" in f["where"] for f in own)


def test_samples_stand_for_launches(folder):
    run = run_native(folder, 2000, options=("--stacks-rate", "1"))
    stacks = run.summary["stacks"]
    samples = sum(s["samples"] for s in stacks)
    # A sample a second: the program has ended long before most launches had their turn.
    assert 1 <= samples < 400
    assert samples <= sum(s["launches"] for s in stacks) <= 4000


def test_off_unless_asked_for(folder):
    run = run_native(folder, 5, options=())
    assert run.summary["stacks"] == [] and "stacks" not in run.summary["method"]
    assert "was launched from" not in run.report()


def test_python_functions_outside_of_modules(folder, python):
    program = os.path.join(PROGRAMS, "stacks", "functional.py")
    run = run_profiled([python, program, "7"], "--stacks-rate", "all", folder=folder)
    assert run.exit_code == 0, run.explain()
    assert run.summary["method"]["stacks"].endswith("Python frames: read")

    def samples(function):
        found = [
            s for s in run.summary["stacks"]
            if s["path"] == "(outside)" and any(
                f["kind"] == "python" and f["function"] == function for f in s["frames"])
        ]  # fmt: skip
        for stack in found:
            python_names = [f["function"] for f in stack["frames"] if f["kind"] == "python"]
            assert python_names == ["<module>", "main", "Holder.step", function]
            innermost = stack["frames"][-1]
            assert innermost["kind"] == "native"
            # The loop of the interpreter is what the Python frames stand for.
            assert not has(stack, "_PyEval_EvalFrameDefault")
        return sum(s["samples"] for s in found)

    # By hand: one product and one addition a round.
    assert samples("inner_product") == 7
    assert samples("über_sum") == 7
    where = {f["function"]: f["where"] for s in run.summary["stacks"] for f in s["frames"]}
    with open(program, encoding="utf-8") as file:
        lines = file.read().splitlines()
    first = lines.index("def über_sum(a, b):") + 1
    assert where["über_sum"] == f"{program}:{first}"
    assert "functional.py" in run.report()

# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""A job does not abort at Python's end because a thread of the autograd engine is late.

CPython up to 3.13 and PyTorch have that race without a profiler; its hooks change who comes first.
tests/programs/exit_race holds the thread back, so that the job alone loses it always.
"""

import os
import subprocess

import pytest

import flopsprof_run as run

FOLDER = os.path.join(run.PROGRAMS, "exit_race")


@pytest.fixture(scope="module")
def late_thread(tmp_path_factory) -> str:
    out = str(tmp_path_factory.mktemp("late") / "late_thread.so")
    subprocess.run(["gcc", "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", out,
                    os.path.join(FOLDER, "late_thread.c"), "-ldl"], check=True)  # fmt: skip
    return out


def test_a_late_thread_of_the_engine_aborts_the_job_alone_and_not_under_us(late_thread, tmp_path):
    command = [run.sim_python(), os.path.join(FOLDER, "train.py")]
    env = {"LD_PRELOAD": late_thread}
    alone = run.run_once(command, env={**env, "LATE_THREAD_UNTIL_FINALIZING": "1"})
    assert alone.stdout == "asks 1\n" and alone.lost_the_exit_race(), alone.explain()

    folder = str(tmp_path / "run")
    prefix = (run.product("bin/flopsprof-run"), "-o", folder, "--")
    profiled = run.run_once(command, env=env, prefix=prefix, out_folder=folder)
    assert profiled.stdout == "asks 1\n", profiled.explain()
    assert profiled.ended_well(), profiled.explain()
    rank = profiled.summary["ranks"][0]
    assert (rank["state"], rank["exit_code"]) == ("exited", 0)

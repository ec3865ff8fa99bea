# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""A PyTorch job and the C++ programs with the address sanitizer preloaded and an instrumented
injector."""

import os
import subprocess

import pytest
from by_name import library_folders
from flopsprof_run import PROGRAMS, ROOT, run_plain

PRODUCT = os.path.join(ROOT, "build-asan")
JOB = os.path.join(PROGRAMS, "jobs", "ends_badly.py")


@pytest.fixture(scope="module")
def sanitizer() -> str:
    if not os.path.exists(os.path.join(PRODUCT, "lib", "libflopsprof_inject.so")):
        pytest.fail("build it first: scripts/build.sh --preset asan")
    paths = [
        subprocess.run(
            ["g++", f"-print-file-name={name}"], stdout=subprocess.PIPE, text=True, check=True
        ).stdout.strip()
        for name in ("libasan.so", "libubsan.so", "libstdc++.so")
    ]
    return " ".join(os.path.realpath(path) for path in paths)


OPTIONS = "detect_leaks=0:verify_asan_link_order=0:exitcode=86"


def run_instrumented(sanitizer, folder, command, **variables):
    """Under flopsprof-run; what it preloads is replaced for the job by sanitizer and injector."""
    argv = ["env", f"ASAN_OPTIONS={OPTIONS}",
            f"LD_PRELOAD={sanitizer} {PRODUCT}/lib/libflopsprof_inject.so", *command]  # fmt: skip
    run = run_plain(
        argv, prefix=(os.path.join(PRODUCT, "bin", "flopsprof-run"), "-o", folder, "--"),
        out_folder=folder, timeout=600, env={"ASAN_OPTIONS": OPTIONS, **variables},
    )  # fmt: skip
    assert "ERROR: AddressSanitizer" not in run.stderr, run.explain()
    assert "runtime error:" not in run.stderr, run.explain()
    assert run.exit_code == 0, run.explain()
    return run.summary["totals"]["flops"]


def test_a_training_job_has_no_finding(sanitizer, python, folder):
    totals = run_instrumented(sanitizer, folder, [python, JOB, "return"])
    assert totals["forward"] == 3 * 2 * 4 * (64 * 32 + 32 * 16)


@pytest.mark.parametrize("program", ["cpp_ranges", "cpp_ranges_plain"])
def test_a_program_without_python_has_no_finding(program, sanitizer, folder):
    command = [os.path.join(PRODUCT, "bin", program), "3"]
    totals = run_instrumented(sanitizer, folder, command, LD_LIBRARY_PATH=library_folders())
    assert totals["other"] == 3 * 74752

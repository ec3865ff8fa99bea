# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""A PyTorch job with the address sanitizer preloaded and an instrumented injector."""

import os
import subprocess

import pytest
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


def test_a_training_job_has_no_finding(sanitizer, python, folder):
    command = ["env", "ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0:exitcode=86",
               f"LD_PRELOAD={sanitizer} {PRODUCT}/lib/libflopsprof_inject.so",
               python, JOB, "return"]  # fmt: skip
    run = run_plain(
        command, prefix=(os.path.join(PRODUCT, "bin", "flopsprof-run"), "-o", folder, "--"),
        out_folder=folder, timeout=600,
        env={"ASAN_OPTIONS": "detect_leaks=0:verify_asan_link_order=0:exitcode=86"},
    )  # fmt: skip
    assert "ERROR: AddressSanitizer" not in run.stderr, run.explain()
    assert "runtime error:" not in run.stderr, run.explain()
    assert run.exit_code == 0, run.explain()
    totals = run.summary["totals"]["flops"]
    assert totals["forward"] == 3 * 2 * 4 * (64 * 32 + 32 * 16)

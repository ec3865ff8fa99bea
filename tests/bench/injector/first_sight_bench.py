#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""What the first execution of a cuDNN plan costs more than the second: plans of the real library
on the stand-in GPU, without and with the profiler.

    first_sight_bench.py BUILD
"""

import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
sys.path.insert(0, os.path.join(ROOT, "tests", "support"))
import by_name  # noqa: E402

SOURCE = os.path.join(ROOT, "tests", "programs", "cudnn_calls", "cudnn_calls.cc")
LIBRARIES = {"cudnn": "libcudnn.so.9", "cu13": "libcudart.so.13"}


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        program = by_name.compiled(SOURCE, os.path.join(folder, "calls"), "link", LIBRARIES)
        profiled = [os.path.join(sys.argv[1], "bin", "flopsprof-run"), "-q", "-o",
                    os.path.join(folder, "run"), "--"]
        for name, before in (("bare", []), ("profiled", profiled)):
            done = subprocess.run([*before, program, "first_sight"], stdout=subprocess.PIPE,
                                  text=True, check=True, timeout=300)
            print(f"{name}: {done.stdout.splitlines()[0]}" + (" (goal 1000)" if before else ""))


main()

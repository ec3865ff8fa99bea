# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Starts build/bin/cpp_ranges once for each RANK:STEPS; none ends before all have done their steps.

    at_one_time.py PROGRAM RANK:STEPS ...
"""

import os
import subprocess
import sys

program, *ranks = sys.argv[1:]
jobs = []
for rank, steps in (text.split(":") for text in ranks):
    own = {**os.environ, "RANK": rank, "WORLD_SIZE": str(len(ranks))}
    command = [program, steps, "wait"]
    jobs.append(
        subprocess.Popen(command, env=own, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    )
for job in jobs:
    job.stdout.readline()
for job in jobs:
    job.stdin.close()
sys.exit(max(job.wait() for job in jobs))

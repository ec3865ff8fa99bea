# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""A step of 40 small layers with and without the profiler, beside its null test.

    python tests/bench/model/model_step.py BUILD [--short]

Runs with the Python of the stand-in GPU: all times are those of the host, on a simulated GPU.
Processes alternate: plain, plain again (the null test), profiled. Prints medians over the rounds;
differences between processes that are smaller than the null test's mean nothing.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "forty_layers.py")


def step_ns(prefix: list, steps: int) -> int:
    done = subprocess.run(
        [*prefix, sys.executable, PROGRAM, str(steps)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300, check=False,
    )  # fmt: skip
    if not done.stdout.strip():
        sys.exit(f"{PROGRAM} printed nothing:\n{done.stderr[-2000:]}")
    return int(done.stdout)


def main() -> None:
    build, short = sys.argv[1], "--short" in sys.argv
    rounds, steps = (2, 60) if short else (7, 300)
    plain, again, ours = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        for i in range(rounds):
            run = [os.path.join(build, "bin", "flopsprof-run"), "-q", "-o", f"{folder}/{i}", "--"]
            plain.append(step_ns([], steps))
            ours.append(step_ns(run, steps))
            again.append(step_ns([], steps))
        with open(f"{folder}/0/summary.json", encoding="utf-8") as file:
            summary = json.load(file)
    kernels = sum(k["count"] for k in summary["kernels"]) / (steps + 20)
    base = statistics.median(plain)
    added = statistics.median(o - p for o, p in zip(ours, plain))
    null = statistics.median(a - p for a, p in zip(again, plain))
    print(json.dumps({
        "bench": "step of 40 layers (simulated GPU)", "plain_us": round(base / 1e3),
        "added_us": round(added / 1e3, 1), "null_us": round(null / 1e3, 1),
        "ratio": round(1 + added / base, 3), "null_ratio": round(1 + null / base, 3),
        "added_ns_per_kernel": round(added / kernels), "kernels_per_step": round(kernels, 1),
    }))  # fmt: skip


if __name__ == "__main__":
    main()

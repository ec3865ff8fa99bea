#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""What it costs to see every caller.

caller_bench.py BUILD [--rounds N]

Prints dlsym of a name without a hook and dlopen of one more library, beside the bare program, and
how long the tables of a PyTorch process took to patch. Needs the stand-in GPU's PyTorch for the
last: run it with that python. Times are for a quiet machine; nothing is judged.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.abspath(__file__)) + "/../../.."
AGENT = os.path.join(ROOT, "tests/support/fake_agent.py")
TORCH = ("import torch; a = torch.ones(8, 8, device='cuda'); (a @ a); "
         "torch.linalg.cholesky(torch.eye(8, device='cuda')); torch.cuda.synchronize()")


def under_agent(build, command, preload):
    """(output, all values of the note caller_patch)."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "records")
        argv = [sys.executable, AGENT, "--library", f"{build}/lib/libflopsprof_inject.so", "--out",
                out, "--modules", "0", *([] if preload else ["--no-preload"]), "--", *command]
        done = subprocess.run(argv, capture_output=True, text=True, timeout=300, check=True)
        with open(out, encoding="utf-8") as file:
            rows = [json.loads(line) for line in file]
    return done.stdout, [r["value"] for r in rows if r["type"] == "note"
                         and r["key"] == "caller_patch"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    build = os.path.abspath(options.build)
    plugin = f"path={build}/tests/programs/callers/lib/now.so"
    command = [f"{build}/bin/caller", "init", plugin, "speed=200000"]
    ways = {
        "bare": lambda: subprocess.run(command, capture_output=True, text=True, check=True).stdout,
        "LD_PRELOAD": lambda: under_agent(build, command, True)[0],
        "injection alone": lambda: under_agent(build, command, False)[0],
    }
    numbers = {way: [] for way in ways}
    for _ in range(options.rounds):  # in turn, so that load falls on all alike
        for way, run in ways.items():
            words = run().split()
            numbers[way].append((float(words[1]), float(words[3])))
    for way, values in numbers.items():
        opened, looked_up = (statistics.median(column) for column in zip(*values))
        print(f"{way:16} dlopen {opened:7.1f} us (goal: 1000 more)  dlsym {looked_up:6.1f} ns")
    try:
        _, notes = under_agent(build, [sys.executable, "-c", TORCH], False)
    except subprocess.CalledProcessError:
        print("no PyTorch of the stand-in GPU in this python: not measured")
        return
    print(f"PyTorch, first:  {notes[0]} (goal: 20 ms)")
    print(f"PyTorch, later:  {notes[-1]}")


main()

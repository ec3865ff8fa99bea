# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/overhead.md from what overhead.py measured."""

import os
import platform
import re
import subprocess

NAMES = {"null": "CUPTI alone (null subscriber)", "ours": "flopsprof", "proton": "Proton",
         "torch": "torch.profiler", "null test": "null test (nothing, once more)"}  # fmt: skip

HEAD = """# What profiling costs

Written by `python tests/bench/overhead/overhead.py BUILD --page docs/overhead.md`, with the Python
of the stand-in GPU. **Simulated**: the GPU and its CUPTI are a stand-in (`tests/simgpu`); the work
of the host, which is what is measured, is real. On a GPU `scripts/gpu_check.sh` measures it again.

Machine: {machine}.

## A launch-bound training step

40 times Linear(32, 32) and ReLU on 8 rows, forward, backward and SGD: {kernels} kernels a step,
{step_us} us of CPU without a profiler. flopsprof as `flopsprof-run` starts it: modules, backward
attribution, library calls, kernel times. Proton with its defaults (kernel times, no scopes).
torch.profiler with CPU and CUDA activities, shapes and modules. Added to the job's process, for
each kernel launch:

| profiler | instructions in the steps | to collect the records | together | of Proton's | \
CPU ns in the steps (quartiles) | CPU ns to collect |
|---|---|---|---|---|---|---|
"""

MEANING = """
- Instructions are callgrind's, of all threads of the process, less what the stand-in's own CUPTI
  takes for that profiler ({stand_in} instructions a launch for flopsprof): the objects libcupti
  and libsimcore, and what these call in the C and C++ run time; and the stand-in's cublasLt, which
  keeps descriptors in another form than the real one, so that the hook must call its getters. The
  null subscriber enables what flopsprof enables and throws records away: what is left in its row
  is what this separation misses.
- "To collect" is what must happen until the records of the steps are out of CUPTI and read. Ours:
  CUPTI's buffers, flushed each second, and a record for the agent written of each. Proton:
  deactivated with a flush. torch.profiler: `stop()`.
- Not in the table: the agent, in a process of its own: two records a launch (its own and its
  times) and one for each library call and module call, at the cost that `flopsprof_drain_bench`
  prints (goal 80 ns a record).
- Times are CPU time of all threads of the process: medians of {rounds} rounds in which the profilers
  take turns, each block in a child that was forked from one process; added is less the `bare` block
  of the same round. CUPTI has one client
  and ours does not come back after it gave it up, so blocks cannot alternate in one process. The
  stand-in's CUPTI is in them. Under load they resolve some µs at best, and differences below the
  null test's mean nothing: instructions decide.
- The bar: flopsprof at most 0.3 of Proton's instructions together; `tests/bench/run.sh --short`
  fails beyond, and beyond 0.36 in the steps alone, where 0.24 to 0.28 were seen.

## Parts of it

Our own instructions at each event, in the same steps, without what they stand in front of:

| part | times a step | instructions each | bound |
|---|---|---|---|
"""

TAIL = """
## Single events

Time on the same machine at the same time, records written and read by another process; nodes and
ranges by CPU time (second column), with 100 to 1 M entries in the log:

{events}
Goals, peers, and what else is measured (module calls, cublasLt with NVIDIA's own library,
operations, formulas, the agent): `tests/bench/run.sh BUILD` and `tests/bench/README.md`.
A replay of a CUDA graph costs one launch callback and, where its call is hooked, one record; its
kernels cost nothing on the launching thread.
"""


def events(build: str) -> str:
    """What the benchmarks of single events print, as it is."""
    text = ""
    for command in (["injector_hook_bench", f"{build}/lib/libflopsprof_inject.so", "101"],
                    ["scopes_bench", "--benchmark_min_time=0.1"]):  # fmt: skip
        path = f"{build}/bin/{command[0]}"
        done = subprocess.run(
            [path, *command[1:]], capture_output=True, text=True, timeout=300, check=True
        )
        text += "".join(f"    {line}\n" for line in done.stdout.splitlines()
                        if " ns" in line)  # fmt: skip
    return text


def machine() -> str:
    model = "unknown processor"
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        if match := re.search(r"^model name\s*: (.+)$", file.read(), re.MULTILINE):
            model = match[1]
    return f"{os.cpu_count()} cores of {model}, {platform.machine()}; load {os.getloadavg()[1]:.0f} while it ran"


def write(path: str, build: str, rows: dict, parts: list, ratio: dict, measured: dict, kernels: int,
          base_ns: float, rounds: int) -> None:  # fmt: skip
    text = HEAD.format(machine=machine(), kernels=kernels, step_us=round(base_ns / 1e3))
    for name, row in rows.items():
        of_proton = row["own"] / rows["proton"]["own"]
        ns, end_ns, low, high = measured[name]
        text += (f"| {NAMES[name]} | {row['loop']:,.0f} | {row['end']:,.0f} | {row['own']:,.0f} | "
                 f"{of_proton:.2f} | {ns:,.0f} ({low:,.0f} to {high:,.0f}) | "
                 f"{end_ns:,.0f} |\n")  # fmt: skip
    ns, _, low, high = measured["null test"]
    text += f"| {NAMES['null test']} | | | | | {ns:,.0f} ({low:,.0f} to {high:,.0f}) | |\n"
    text += f"\nflopsprof takes **{ratio['own']:.2f}** of Proton's instructions "
    text += f"({ratio['loop']:.2f} in the steps alone).\n"
    text += MEANING.format(stand_in=f"{rows['ours']['stand_in']:,.0f}", rounds=rounds)
    for row in parts:
        text += (f"| {row['part']} | {row['calls_a_step']:.0f} | {row['instructions']:.0f} | "
                 f"{row['bound']} |\n")  # fmt: skip
    with open(path, "w", encoding="utf-8") as file:
        file.write(text + TAIL.format(events=events(build)))

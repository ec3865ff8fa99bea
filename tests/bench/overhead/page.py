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
torch.profiler with CPU and CUDA activities, shapes and modules. Added for each kernel launch:

{tables}
flopsprof takes **{worst:.2f}** of what Proton takes. This is the worst of four ratios:
{ratios}. The goal is {goal} of Proton's in each of them; it is {met}.

- "To collect" is the work until the records of the steps are out of CUPTI and read. For flopsprof:
  CUPTI's buffers are flushed each second, and a record for the agent is written for each of CUPTI's.
  For Proton: it is deactivated with a flush. For torch.profiler: `stop()`.
- "Agent" is the share of the agent's process (`flopsprof-run`). Its instructions are those that
  read, join and sum the records. Its CPU time is all of its CPU time; this includes waking up, and
  sending sums every 1 to 5 seconds.
- Instructions are counted by callgrind in all threads of the process. The stand-in's own work for
  that profiler is taken out ({stand_in} instructions a launch for flopsprof). This is the work of
  the objects libcupti and libsimcore, of what they call in the C and C++ run time, and of the
  stand-in's cublasLt. (The stand-in keeps descriptors in another form than the real cublasLt, so
  the hook must call its getters.) The null subscriber enables what flopsprof enables and throws
  records away: its row shows what this separation misses.
- flopsprof is measured once it has switched off the runtime's callbacks for kernel launches, some
  seconds after the start (`injector/cupti/README.md`). CUPTI then calls twice for a launch, not
  four times. The null subscriber has the same callbacks on. Whether this is granted on a GPU,
  `scripts/gpu_check.sh` tells (`spared-callbacks`).
- CPU time is that of all threads of the process. Each profiler runs in a child of one process. The
  children take turns of {turn_steps} steps in changing order, {rounds} times; the quieter half of
  these rounds counts. The figures are medians of the difference to the turn without a profiler in
  the same round; the agent's figure is a mean. The null test is a second child without a profiler:
  a difference that is not larger than the null test's shows nothing.
- The CPU time contains the stand-in's CUPTI, about as much in ours as in Proton's. Without it,
  by the null subscriber's row, ours is {less_steps:.2f} of Proton's in the steps and {less_own:.2f}
  together.
- The benchmark fails above these bounds, all as parts of Proton's: {bound} of the
  instructions in the job's process, {steps_gate} of those in the steps alone, {agent_gate} of those
  with the agent's, and {time_bound} of the CPU time, by more than the null test spreads, where that is
  less than a quarter of Proton's.

## Parts of it

Instructions of flopsprof itself at each event, in the same steps, without the hooked functions:

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
    return (f"{os.cpu_count()} cores of {model}, {platform.machine()}; "
            f"load {os.getloadavg()[1]:.0f} while it ran")


class Results:
    """What overhead.py measured. rows, measured: profiler -> cost a launch by part."""

    def __init__(self, rows, parts, ratio, measured, kernels, base_ns) -> None:
        self.rows, self.parts, self.ratio, self.measured = rows, parts, ratio, measured
        self.kernels, self.base_ns = kernels, base_ns


def cost_table(unit: str, table: dict) -> str:
    text = (f"| {unit} | in the steps | to collect | agent | together | of Proton's in the steps | "
            "together |\n|---|---|---|---|---|---|---|\n")  # fmt: skip
    proton = table["proton"]
    for name, row in table.items():
        spread = f" ({row['low']:,.0f} to {row['high']:,.0f})" if "low" in row else ""
        agent = f"{row['agent']:,.0f}" if name == "ours" else ""
        text += f"| {NAMES[name]} | {row['loop']:,.0f}{spread} | "
        if name == "null test":
            text += "| | | | |\n"
            continue
        text += (f"{row['end']:,.0f} | {agent} | {row['own']:,.0f} | "
                 f"{row['loop'] / proton['loop']:.2f} | "
                 f"{row['own'] / proton['own']:.2f} |\n")  # fmt: skip
    return text


GOAL = 0.5  # of Proton's, in each ratio


def write(path: str, build: str, results: Results, facts: dict) -> None:
    rows, measured = results.rows, results.measured
    tables = cost_table("instructions", rows) + "\n"
    tables += cost_table("CPU ns (quartiles)", measured)
    less = {part: (measured["ours"][part] - measured["null"][part])
            / (measured["proton"][part] - measured["null"][part])
            for part in ("loop", "own")}  # fmt: skip
    text = HEAD.format(
        machine=machine(), kernels=results.kernels, step_us=round(results.base_ns / 1e3),
        tables=tables, worst=max(results.ratio.values()),
        ratios=", ".join(f"{name} {value:.2f}" for name, value in results.ratio.items()),
        stand_in=f"{rows['ours']['stand_in']:,.0f}", less_steps=less["loop"],
        less_own=less["own"], goal=GOAL,
        met="met" if max(results.ratio.values()) <= GOAL else "not met", **facts,
    )  # fmt: skip
    for row in results.parts:
        text += (f"| {row['part']} | {row['calls_a_step']:.0f} | {row['instructions']:.0f} | "
                 f"{row['bound']} |\n")  # fmt: skip
    with open(path, "w", encoding="utf-8") as file:
        file.write(text + TAIL.format(events=events(build)))

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
flopsprof takes **{worst:.2f}** of what Proton takes, the worst of four ratios:
{ratios}. The goal, {goal} of Proton's in each of them, is {met}.

- "To collect" is what must happen until the records of the steps are out of CUPTI and read. Ours:
  CUPTI's buffers, flushed each second, and a record for the agent written of each. Proton:
  deactivated with a flush. torch.profiler: `stop()`.
- "Agent" is the share of the agent's process (`flopsprof-run`), which reads, joins and sums the
  records: its instructions to do so; its CPU time whatever it does, waking up and sending sums
  every 1 to 5 seconds among it.
- Instructions are callgrind's, of all threads of the process, less what the stand-in's own CUPTI
  takes for that profiler ({stand_in} instructions a launch for flopsprof): the objects libcupti
  and libsimcore, and what these call in the C and C++ run time; and the stand-in's cublasLt, which
  keeps descriptors in another form than the real one, so that the hook must call its getters. The
  null subscriber enables what flopsprof enables and throws records away: what is left in its row
  is what this separation misses.
- CPU time is that of all threads of the process. The profilers live in children that were forked
  from one process and take turns of {turn_steps} steps in changing order, {rounds} times; of these
  rounds the quieter half counts. Medians of the difference to the turn without a profiler in the
  same round; the agent's is a mean. The null test is a second child without a profiler:
  differences below its mean nothing.
- The stand-in's CUPTI is in the CPU time, about as much of it in ours as in Proton's. Without it,
  by the null subscriber's row, ours is {less_steps:.2f} of Proton's in the steps and {less_own:.2f}
  together.
- The bars: flopsprof at most {bound} of Proton's instructions in the job's process;
  `tests/bench/run.sh --short` fails beyond, beyond {steps_gate} in the steps alone, beyond
  {agent_gate} with the agent's, and beyond {time_bound} of Proton's CPU time where the null test
  spreads by less than a quarter of that.

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

# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""What `flopsprof report` of a run of many ranks takes.

    python tests/bench/report/report_bench.py BUILD [--short] [--large] [--old FLOPSPROF] [--page FILE]

Runs of 2, 64 and 512 ranks are made by flopsprof_make_run; --large adds 2,000 and 10,000. Each is reported
from its rows, added up by flopsprof_keep_sums, and reported from the sums. The gate is on callgrind's
instructions, which no load of the machine changes: a rank of 512 costs at most 1.1 times
what one of 64 does, so that what grows with the square of the ranks fails, and at most a fixed number.
--old: an earlier flopsprof that reads the same format, measured on the same runs; its reports and JSON
must be equal to the byte. --page: rewrites the section "report" of FILE.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

RANKS = [2, 64, 512]
LARGE = [2000, 10000]
MOST_RATIO = 1.1
# 10.4 M measured; a slower machine has the same number.
MOST_INSTRUCTIONS_OF_A_RANK = 13_000_000
# The same where a run has kept its sums.
MOST_INSTRUCTIONS_FROM_SUMS = 60_000
BEGIN, END = "<!-- report: begin -->\n", "<!-- report: end -->\n"

SECTION = """## The report of a run of many ranks

Written by `python tests/bench/report/report_bench.py BUILD --large --page docs/performance.md`.
`flopsprof report RUN` of runs that `flopsprof_make_run` writes: a transformer of 17 layers, 8 ranks a
node, about 2,200 rows a rank in profile.db. Machine: {machine}. The least of {rounds}
turns, one from 2,000 ranks on; the file is in the page cache. Elapsed is with as many threads as there
are cores to read; it suffers from the machine's load, CPU hardly.

From the sums that a finished run keeps:

{table}
{before}- Instructions (callgrind): {small_sums:,} a rank of 64, {large_sums:,} of 512, without those of 2
  ranks. `tests/bench/run.sh --short` fails beyond {most_sums:,} of 512.
- Goals: 2 ranks 50 ms, 512 ranks 0.3 s, 10,000 ranks 2 s and 2 GB. {verdict}

From the rows, where nobody has kept sums, or rows have changed, or the options want others:

{rows_table}
- Instructions a rank (callgrind, without those of 2 ranks): {small:,} of 64 ranks, {large:,} of 512,
  {ratio:.2f} times as many. `tests/bench/run.sh --short` fails beyond {most_ratio} times, and beyond
  {most:,} of 512.

To add up a run and keep the sums, which launcher or collector do once it has ended (and a collector
for its texts): `flopsprof_keep_sums`.

{keep_table}
### What is kept

One row of `run_sums` in profile.db: the content of `summary.json`, and the sums over ranks that a report
shows beside it (library calls by shape, steps, work in steps), as bytes. They are those of the options
by default; `--raw-names`, `--peak` and `--focus` read the rows. Two marks say whether they hold: a hash
of the source that has made them, and the number of the file's state, which SQLite counts up with
every transaction. A run of more than 4,096 processes is added up one rank after the other, whoever
reads it: its rows are read twice, and few of them are in memory.
"""

BEFORE = """- Before: the same runs with an earlier flopsprof. Reports and JSON of both are equal to the byte.
"""


def equal_output(flopsprof, old, run):
    """Do both write the same report and the same JSON?"""
    outputs = []
    for program in (flopsprof, old):
        for more in ([], ["--json"]):
            outputs.append(subprocess.run([program, "report", *more, run], check=True,
                                          stdout=subprocess.PIPE).stdout)  # fmt: skip
    return outputs[:2] == outputs[2:]


def least(command, rounds):
    """CPU seconds, seconds and most MiB of a program, the least of some turns."""
    best = None
    for _ in range(rounds):
        begin = time.monotonic()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            raise SystemExit(f"{command}: exit {process.returncode}")
        one = (usage.ru_utime + usage.ru_stime, time.monotonic() - begin, usage.ru_maxrss / 1024)
        best = one if best is None else tuple(map(min, best, one))
    return best


def instructions(flopsprof, run):
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "callgrind"
        subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", flopsprof, "report", run],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)  # fmt: skip
        return int(re.search(r"^(?:summary|totals): (\d+)", out.read_text(), re.M)[1])


def machine():
    model = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())[1]
    return f"{os.cpu_count()} cores of {model.split(' Processor')[0]}, load {os.getloadavg()[0]:.0f}"


def cells(cpu, elapsed, memory):
    return f" {cpu:.2f} s | {elapsed:.2f} s | {memory:,.0f} MiB |"


def table(rows, sizes, old_rows=None):
    text = "| ranks | profile.db | CPU | elapsed | memory |"
    text += " before: CPU | elapsed | memory |\n" if old_rows else "\n"
    text += "|---" * (8 if old_rows else 5) + "|\n"
    for ranks, figures in rows.items():
        text += f"| {ranks:,} | {sizes[ranks]:,.1f} MB |" + cells(*figures)
        text += cells(*old_rows[ranks]) if old_rows else ""
        text += "\n"
    return text


def verdict(rows):
    goals = {2: 0.05, 512: 0.3, 10000: 2.0}
    texts = []
    for ranks, seconds in goals.items():
        if ranks in rows:
            _, elapsed, memory = rows[ranks]
            met = elapsed <= seconds and (ranks != 10000 or memory <= 2000)
            texts.append(f"{ranks:,}: {'met' if met else 'not met'}")
    return "; ".join(texts) + "."


def write_section(page, section):
    text = page.read_text()
    head, _, rest = text.partition(BEGIN)
    _, _, tail = rest.partition(END)
    page.write_text(head + BEGIN + section + END + tail)


class Figures:
    """What was measured, by the number of ranks."""

    def __init__(self):
        self.sizes, self.rows, self.keep, self.sums, self.old = {}, {}, {}, {}, {}
        self.row_counts, self.sum_counts = {}, {}

    def measure(self, options, run, ranks, rounds):
        flopsprof = str(options.build / "bin/flopsprof")
        report = [flopsprof, "report", run]
        turns = rounds if ranks <= 512 else 1
        counted = ranks in RANKS and shutil.which("valgrind")
        self.sizes[ranks] = os.path.getsize(f"{run}/profile.db") / 1e6
        self.rows[ranks] = least(report, turns)
        from_rows = subprocess.run(report, check=True, stdout=subprocess.PIPE).stdout
        if counted:
            self.row_counts[ranks] = instructions(flopsprof, run)
        self.keep[ranks] = least([options.build / "bin/flopsprof_keep_sums", run], 1)
        self.sums[ranks] = least(report, turns)
        if subprocess.run(report, check=True, stdout=subprocess.PIPE).stdout != from_rows:
            raise SystemExit(f"{run}: the report from the sums is not that from the rows")
        if counted:
            self.sum_counts[ranks] = instructions(flopsprof, run)
        if options.old:
            if not equal_output(flopsprof, options.old, run):
                raise SystemExit(f"{options.old} reports {run} differently")
            self.old[ranks] = least([options.old, "report", run], min(turns, 2))


def of_a_rank(counts, ranks):
    return (counts[ranks] - counts[2]) // (ranks - 2)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--old")
    parser.add_argument("--runs", type=pathlib.Path, help="where runs without sums are kept, and made if missing")
    parser.add_argument("--page", type=pathlib.Path)
    options = parser.parse_args()
    rounds = 2 if options.short else 5
    figures = Figures()
    with tempfile.TemporaryDirectory() as folder:
        for ranks in RANKS + (LARGE if options.large else []):
            run = f"{folder}/{ranks}"
            kept = f"{options.runs}/{ranks}" if options.runs else run
            if not os.path.exists(kept):
                subprocess.run([options.build / "bin/flopsprof_make_run", kept, str(ranks)], check=True)
            if kept != run:
                shutil.copytree(kept, run)
            figures.measure(options, run, ranks, rounds)
            shutil.rmtree(run)
    texts = {
        "table": table(figures.sums, figures.sizes, figures.old),
        "rows_table": table(figures.rows, figures.sizes),
        "keep_table": table(figures.keep, figures.sizes),
    }
    print("\n".join(texts.values()), end="")
    if not figures.row_counts:
        raise SystemExit("valgrind is not installed: nothing is judged")
    small, large = (of_a_rank(figures.row_counts, ranks) for ranks in (64, 512))
    small_sums, large_sums = (of_a_rank(figures.sum_counts, ranks) for ranks in (64, 512))
    print(f"instructions a rank: {small:,} of 64 ranks, {large:,} of 512 "
          f"(bounds: {MOST_RATIO} times, {MOST_INSTRUCTIONS_OF_A_RANK:,}); from the sums "
          f"{small_sums:,} and {large_sums:,} ({MOST_INSTRUCTIONS_FROM_SUMS:,})")  # fmt: skip
    if options.page:
        write_section(options.page, SECTION.format(
            machine=machine(), rounds=rounds, before=BEFORE if figures.old else "", small=small, large=large,
            ratio=large / small, most_ratio=MOST_RATIO, most=MOST_INSTRUCTIONS_OF_A_RANK,
            small_sums=small_sums, large_sums=large_sums, most_sums=MOST_INSTRUCTIONS_FROM_SUMS,
            verdict=verdict(figures.sums), **texts))  # fmt: skip
    return int(
        large > MOST_RATIO * small
        or large > MOST_INSTRUCTIONS_OF_A_RANK
        or large_sums > MOST_INSTRUCTIONS_FROM_SUMS
    )


if __name__ == "__main__":
    sys.exit(main())

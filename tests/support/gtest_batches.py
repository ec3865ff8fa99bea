# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Runs the tests that ctest knows of a build folder, many of a GoogleTest program in one process.

    gtest_batches.py FOLDER [-j N] [--limit SECONDS] [--regex PATTERN] > ROWS

An instrumented program takes longer to start and to look for leaks than most tests take: ctest starts
it once for each test, this for each 25. Prints a row "pass|fail|skip<TAB>NAME<TAB>REASON" for each
test, with ctest's names (`test_results.py rows` reads it); what failing ones said goes to stderr.

A batch whose process ends badly although no test of it failed (a crash, a leak, the time limit) is
run again one test a process, to name who did it; the batch is a failure too, whatever they do alone.
Tests with the label "own_process" (CMakeLists.txt) are alone in theirs, as those of other runners.
"""

import argparse
import concurrent.futures
import json
import os
import re
import subprocess
import sys

BATCH = 25
FILTER = "--gtest_filter="
DONE = re.compile(r"\[ +(OK|FAILED|SKIPPED) +\] ([\w./]+)(?:,.*)? \(\d+ ms\)")
SAID_LINES = 80


class Test:
    """One test of ctest: its name, command, folder, and whether others may share its process."""

    def __init__(self, entry: dict):
        properties = {each["name"]: each["value"] for each in entry["properties"]}
        self.name = entry["name"]
        self.command = entry["command"]
        self.folder = properties.get("WORKING_DIRECTORY")
        filters = [word for word in self.command if word.startswith(FILTER)]
        self.filter = filters[0].removeprefix(FILTER) if filters else None
        self.alone = self.filter is None or "own_process" in properties.get("LABELS", [])


def tests_of(folder: str, pattern: str) -> list:
    listed = subprocess.run(
        ["ctest", "--test-dir", folder, "--show-only=json-v1", "-R", pattern],
        stdout=subprocess.PIPE, check=True,
    )  # fmt: skip
    return [Test(entry) for entry in json.loads(listed.stdout)["tests"]]


def batches_of(tests: list) -> list:
    """Lists of tests that share a process, in ctest's order; the longest to run first."""
    batches = {}
    for number, test in enumerate(tests):
        key = number if test.alone else (test.command[0], test.folder)
        batches.setdefault(key, []).append(test)
    return [
        together[begin : begin + BATCH]
        for together in batches.values()
        for begin in range(0, len(together), BATCH)
    ]


def run(tests: list, limit: float) -> tuple:
    """(exit code or None at the time limit, all that it said) of one process with these tests."""
    first = tests[0]
    command = list(first.command)
    if first.filter is not None:
        command = [word for word in command if not word.startswith(FILTER)]
        command.append(FILTER + ":".join(test.filter for test in tests))
    try:
        ended = subprocess.run(
            command, cwd=first.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, timeout=limit, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired as late:
        return None, (late.stdout or b"").decode(errors="replace")
    return ended.returncode, ended.stdout.decode(errors="replace")


def judge(tests: list, limit: float) -> list:
    """[(verdict, name, reason, what it said)] of one batch."""
    code, said = run(tests, limit)
    if tests[0].filter is None:
        return [("pass" if code == 0 else "fail", tests[0].name, ended_with(code), said)]
    verdicts = {name: verdict for verdict, name in DONE.findall(said)}
    failed = "FAILED" in verdicts.values()
    whole = len(verdicts) == len(tests) and (code == 0 or failed)
    if whole or len(tests) == 1:
        return [row(test, verdicts.get(test.filter), whole, code, said) for test in tests]
    rows = [each for test in tests for each in judge([test], limit)]
    names = f"{tests[0].name} ... {tests[-1].name}"
    return [*rows, ("fail", names, f"in one process: {ended_with(code)}", said)]


def row(test: Test, verdict, whole: bool, code, said: str) -> tuple:
    if verdict == "SKIPPED" and whole:
        return "skip", test.name, "SKIP_REGULAR_EXPRESSION_MATCHED", said
    if verdict == "OK" and whole:
        return "pass", test.name, "", said
    begin = said.find(f"[ RUN      ] {test.filter}\n")
    return "fail", test.name, ended_with(code), said[max(begin, 0) :]


def ended_with(code) -> str:
    return "went on beyond the time limit" if code is None else f"ended with {code}"


def main() -> int:
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("folder")
    parser.add_argument("-j", type=int, default=os.cpu_count(), dest="workers")
    parser.add_argument("--limit", type=float, default=300, help="seconds of one process")
    parser.add_argument("--regex", default=".", help="which tests, as of ctest -R")
    options = parser.parse_args()
    batches = batches_of(tests_of(os.path.abspath(options.folder), options.regex))
    failures = 0
    with concurrent.futures.ThreadPoolExecutor(options.workers) as pool:
        for rows in pool.map(lambda tests: judge(tests, options.limit), batches):
            for verdict, name, reason, said in rows:
                print(verdict, name, reason if verdict != "pass" else "", sep="\t", flush=True)
                if verdict == "fail":
                    failures += 1
                    print(f"FAILED {name} ({reason})", *said.splitlines()[:SAID_LINES], sep="\n",
                          file=sys.stderr, flush=True)  # fmt: skip
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

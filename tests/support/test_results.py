# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Turns what test runners leave into lines "pass|fail|skip<TAB>NAME<TAB>WHERE OR WHY".

    test_results.py junit FILE LOG      JUnit XML of ctest or pytest
    test_results.py lines FILE LOG      lines "ok NAME", "FAIL NAME", "skip NAME REASON"
    test_results.py gtest FILE LOG      output of GoogleTest programs, also run one by one
    test_results.py rows FILE LOG       such lines, as a runner of our own wrote them

A skip whose test and reason stand in no entry of tests/skips.toml is a failure.
"""

import os
import re
import sys
import tomllib
import xml.etree.ElementTree as ElementTree

SKIPS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "skips.toml")


def skips(path: str = SKIPS) -> list:
    """[(pattern of the test's name, pattern of the reason)] of the skips that are known."""
    with open(path, "rb") as file:
        entries = tomllib.load(file)["skip"]
    for entry in entries:
        if set(entry) != {"test", "reason", "why", "proof"}:
            raise ValueError(f"{path}: an entry has test, reason, why and proof: {entry}")
    return [(re.compile(entry["test"]), re.compile(entry["reason"])) for entry in entries]


def judged(rows, known: list):
    """The rows; of the skips those that are known, the others as failures."""
    for verdict, name, rest in rows:
        if verdict == "skip" and not any(
            test.search(name) and reason.search(rest) for test, reason in known
        ):
            yield "fail", name, f"skipped ({rest or 'no reason'}), and not in tests/skips.toml"
        else:
            yield verdict, name, rest


def from_junit(path: str, log: str):
    if not os.path.exists(path):
        yield "fail", f"{os.path.basename(path)} was not written", log
        return
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        folder = case.get("classname", "")
        name = case.get("name", "")
        if folder and folder != name:
            name = f"{folder}.{name}"
        skipped = case.find("skipped")
        # pytest writes <failure> or <error>; ctest also a status attribute
        broken = case.find("failure") is not None or case.find("error") is not None
        # "notrun" is also what ctest says of a test that skipped itself; some must not
        itself = skipped is not None and skipped.get("message", "").startswith("SKIP_")
        if broken or (case.get("status") in ("fail", "notrun") and not itself):
            yield "fail", name, log
        elif skipped is not None or case.get("status") == "disabled":
            reason = skipped.get("message", "") if skipped is not None else "disabled"
            yield "skip", name, reason
        else:
            yield "pass", name, ""


def from_lines(path: str, log: str):
    words = {"ok": "pass", "FAIL": "fail", "skip": "skip"}
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            verdict, _, rest = line.rstrip("\n").partition(" ")
            if verdict not in words:
                continue
            name, _, reason = rest.partition(" ")
            yield words[verdict], name, log if verdict == "FAIL" else reason


def from_gtest(path: str, log: str):
    """GoogleTest's own lines; programs that run each test in a process of its own end with
    "N passed, N failed" instead."""
    done = re.compile(r"\[ +(OK|FAILED) +\] (\S+) \(\d+ ms\)")
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            if match := done.match(line):
                passed = match.group(1) == "OK"
                yield ("pass" if passed else "fail"), match.group(2), "" if passed else log
            elif match := re.match(r"(\d+) passed, (\d+) failed$", line):
                for number in range(int(match.group(1))):
                    yield "pass", f"simgpu_test {number + 1}", ""
                for number in range(int(match.group(2))):
                    yield "fail", f"simgpu_test failure {number + 1}", log


def from_rows(path: str, log: str):
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            verdict, name, rest = (line.rstrip("\n").split("\t") + ["", ""])[:3]
            yield verdict, name, rest or log


FORMS = {"junit": from_junit, "lines": from_lines, "gtest": from_gtest, "rows": from_rows}


def main() -> int:
    how, path, log = sys.argv[1:4]
    for row in judged(FORMS[how](path, log), skips()):
        print("\t".join(part.replace("\t", " ").replace("\n", " ") for part in row))
    return 0


if __name__ == "__main__":
    sys.exit(main())

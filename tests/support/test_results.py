# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Turns what test runners leave into lines "pass|fail|skip<TAB>NAME<TAB>WHERE OR WHY".

    test_results.py junit FILE LOG      JUnit XML of ctest or pytest
    test_results.py lines FILE LOG      lines "ok NAME", "FAIL NAME", "skip NAME REASON"
    test_results.py gtest FILE LOG      output of GoogleTest programs, also run one by one
"""

import os
import re
import sys
import xml.etree.ElementTree as ElementTree


# Without the real headers they check nothing: scripts/test.sh sees to it that they are there.
NEVER_SKIPPED = ("HookPrototypesTest", "CuptiHeadersTest", "RealCublasLtTest")


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
        itself = itself and not any(part in name for part in NEVER_SKIPPED)
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


FORMS = {"junit": from_junit, "lines": from_lines, "gtest": from_gtest}


def main() -> int:
    how, path, log = sys.argv[1:4]
    for row in FORMS[how](path, log):
        print("\t".join(part.replace("\t", " ").replace("\n", " ") for part in row))
    return 0


if __name__ == "__main__":
    sys.exit(main())

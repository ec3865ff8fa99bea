# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Judges a run of tests/programs/cases against its expected.json (README.md there).

Each check takes the expectation and what was found, and returns lines that say what is wrong;
none when all is right.
"""

import re

import summary_checks

CHECKS = ("totals", "steps", "per_step", "modules", "unknown", "on_cpu", "words", "invariants")
NOT_PHASES = ("params", "class")


def counts_differ(what: str, found: dict, right: dict) -> list:
    """Phases that `right` does not name have no flops."""
    return [
        f"{what}, {phase}: {found.get(phase)}, not {right.get(phase, 0)}"
        for phase in summary_checks.PHASES
        if found.get(phase, 0) != right.get(phase, 0)
    ]


def totals(expected: dict, summary: dict, steps: list, text: str) -> list:
    return counts_differ("totals", summary["totals"]["flops"], expected["totals"])


def steps(expected: dict, summary: dict, steps: list, text: str) -> list:
    right = expected["steps"]
    found = summary["steps"]["profiled"]
    return [] if right is None or found == right else [f"steps: {found}, not {right}"]


def per_step(expected: dict, summary: dict, steps: list, text: str) -> list:
    """`steps`: flops by phase of each step, in order."""
    lines = []
    for step, right in (expected["per_step"] or {}).items():
        if int(step) >= len(steps):
            lines.append(f"step {step}: not there")
        else:
            lines += counts_differ(f"step {step}", steps[int(step)], right)
    return lines


def modules(expected: dict, summary: dict, steps: list, text: str) -> list:
    lines = []
    for path, right in expected["modules"].items():
        rows = [row for row in summary["modules"] if row["path"] == path]
        if len(rows) != 1:
            lines.append(f"module {path}: {len(rows)} rows")
            continue
        if right.keys() != {"self"}:
            lines += counts_differ(f"module {path}", rows[0]["flops"], right)
        if "self" in right:
            found = rows[0]["self"]["flops"]
            lines += counts_differ(f"module {path} alone", found, right["self"])
        for key in NOT_PHASES:
            if key in right and rows[0][key] != right[key]:
                lines.append(f"module {path}, {key}: {rows[0][key]}, not {right[key]}")
    return lines


def unknown(expected: dict, summary: dict, steps: list, text: str) -> list:
    """Work that nobody knows is where it must be, and nowhere else."""
    right = expected.get("unknown_modules", [])
    lines = []
    for row in summary["modules"]:
        time = row["unknown_gpu_time_s"]
        if (time > 0) != (row["path"] in right):
            lines.append(f"module {row['path']}: unknown work for {time} s")
    return lines


def on_cpu(expected: dict, summary: dict, steps: list, text: str) -> list:
    rows = {row["path"]: row["flops"]["forward"] for row in summary["modules"]}
    return [
        f"module {path}: ran on the CPU, forward {rows.get(path, 'without a row')}"
        for path in expected.get("on_cpu", [])
        if rows.get(path, "without a row") is not None
    ]


def words(expected: dict, summary: dict, steps: list, text: str) -> list:
    findings = [f"{finding['text']}: {finding.get('evidence')}" for finding in summary["findings"]]
    said = "\n".join([text, *findings])
    lines = [f"said: {p}" for p in expected.get("not_said", []) if re.search(p, said)]
    found = "\n".join(findings)
    lines += [f"found: {p}" for p in expected.get("not_found", []) if re.search(p, found)]
    return lines + [f"not said: {p}" for p in expected.get("said", []) if not re.search(p, said)]


def invariants(expected: dict, summary: dict, steps: list, text: str) -> list:
    return summary_checks.problems(summary)


def judge(check: str, expected: dict, summary: dict, steps: list, text: str) -> list:
    return globals()[check](expected, summary, steps, text)

# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""The oracle's verdicts as lines, and docs/accuracy.md."""

import os
import re
import sys

import judge

sys.path.append(
    os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support")
)
import document_parts  # noqa: E402

PATH = os.path.join(
    os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))),
    "docs",
    "accuracy.md",
)
FEWEST_CASES = 300
TOOL_NAMES = {
    "flopsprof": "flopsprof",
    "torch": "torch (CPU)",
    "torch_gpu": "torch (GPU)",
    "deepspeed": "DeepSpeed",
    "fvcore": "fvcore",
}
HEAD = """# Accuracy: our counts beside those of others

This part is made by `python3 tests/oracle/oracle.py --write`; do not edit. The oracle runs in CI,
on the stand-in GPU (simulated: calls are real, kernels compute nothing) and on the CPU. Right numbers
are closed formulas written by hand in `tests/oracle/cases`; conventions: `docs/conventions.md`.

- *flopsprof*: `summary.json` of one profiled run, forward, backward and recompute by module.
- *torch*: `torch.utils.flop_counter`, forward and backward, on the CPU and on the stand-in GPU.
- *DeepSpeed*: its flops profiler, forward. *fvcore*: `FlopCountAnalysis`, forward, times two.
"""


def families(cases: list) -> list:
    return list(dict.fromkeys(case.family for case in cases))


def family_rows(cases: list, found: list):
    """Per family: number of cases, and per tool how many are equal in all its phases, and how
    many differ only where both numbers are right."""
    differing = {(d.tool, d.case.id) for d in found if d.differs}
    wrong = {(d.tool, d.case.id) for d in found if d.differs and not d.is_convention}
    for family in families(cases):
        members = [case for case in cases if case.family == family]
        counts = []
        for tool in judge.TOOLS:
            names = {(tool, case.id) for case in members}
            counts.append((len(names - differing), len(names & differing - wrong)))
        yield family, len(members), counts


def cell(equal: int, both: int) -> str:
    return f"{equal} (+{both})" if both else str(equal)


def reason_rows(rules: list) -> list:
    lines = ["| reason | tool | numbers | right | why | example |", "|---|---|--:|---|---|---|"]
    for rule in rules:
        tools = ", ".join(TOOL_NAMES[tool] for tool in rule.tools)
        example = ""
        if rule.examples:
            one = rule.examples[0]
            value = "unknown" if one.value is None else one.value
            if isinstance(value, judge.Failure):
                value = f"fails ({value})"
            example = f"{one.case.id}, {one.phase}: {value}; by hand {one.right}"
        cells = (rule.id, tools, rule.used, rule.right, rule.why, example)
        lines.append("| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |")
    return lines


def render(cases: list, found: list, rules: list) -> str:
    lines = [HEAD, "## Cases that are equal to the formula, of each kind", ""]
    lines += ["In brackets: cases that differ by a convention alone, or by what the tool cannot be",
              "asked. Both numbers are right for what they mean there.", ""]  # fmt: skip
    lines.append("| kind | cases | " + " | ".join(TOOL_NAMES[t] for t in judge.TOOLS) + " |")
    lines.append("|---|--:|" + "--:|" * len(judge.TOOLS))
    rows = list(family_rows(cases, found))
    for family, count, counts in rows:
        cells = " | ".join(cell(*pair) for pair in counts)
        lines.append(f"| {family} | {count} | {cells} |")
    columns = zip(*(counts for _, _, counts in rows), strict=True)
    sums = [cell(*map(sum, zip(*column, strict=True))) for column in columns]
    lines.append(f"| **all** | {len(cases)} | " + " | ".join(sums) + " |")
    both = [rule for rule in rules if rule.right == "both"]
    lines += ["", "## Conventions: both numbers are right", "", *reason_rows(both)]
    one = [rule for rule in rules if rule.right != "both"]
    lines += ["", "## Differences: who is right, and why", "", *reason_rows(one)]
    return "\n".join(lines) + "\n"


def write(text: str) -> None:
    """The oracle's part; that of the sweep (tests/sweep) stays."""
    document_parts.write(PATH, "oracle", text)


def structure(text: str) -> list:
    """What a renewal must not change unnoticed: headings, and the first cells of all rows."""
    return re.findall(r"^(?:#+ .*|\| [^|]+)", text, flags=re.MULTILINE)


def up_to_date(text: str) -> str:
    """Empty, or what is wrong with docs/accuracy.md."""
    there = structure(document_parts.read(PATH, "oracle"))
    now = structure(text)
    gone, new = [x for x in there if x not in now], [x for x in now if x not in there]
    if gone or new:
        return f"docs/accuracy.md is old: no longer {gone}, not yet {new}; renew it with --write"
    return ""


def report(cases, found, rules, problems, text, table) -> int:
    """Prints a line for each case and check; 0 when nothing failed."""
    failures = {}
    for difference in found:
        if difference.fails:
            failures.setdefault(difference.case.id, []).append(str(difference))
        if table:
            reason = difference.rule.id if difference.rule else "NO REASON"
            print(f"{difference}: {reason}", file=sys.stderr)
    for case in cases:
        said = "; ".join(failures.get(case.id, []))
        print(f"{'FAIL' if said else 'ok'} {case.id.replace(' ', '_')} {said}".rstrip())
    checks = {
        "every_case_ran": "; ".join(problems),
        "enough_cases": f"only {len(cases)}" if len(cases) < FEWEST_CASES else "",
        "every_reason_explains_something": ", ".join(r.id for r in rules if not r.used),
        "docs_accuracy_is_up_to_date": up_to_date(text),
    }
    for name, said in checks.items():
        print(f"{'FAIL' if said else 'ok'} {name} {said}".rstrip())
    explained = sum(d.rule is not None and not d.wrong for d in found)
    print(
        f"oracle: {len(cases)} cases, {len(found)} numbers that differ, {explained} of them with"
        f" a reason, {len(rules)} reasons",
        file=sys.stderr,
    )
    return 1 if failures or any(checks.values()) else 0

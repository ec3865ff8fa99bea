# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""What the sweep found: its lines, found.tsv (a line for each model) and its part of
docs/accuracy.md, which is made from found.tsv and reasons.toml."""

import os
import sys
from collections import Counter

import document_parts

HERE = os.path.dirname(os.path.abspath(__file__))
PATH = os.path.join(HERE, "found.tsv")
DOCUMENT = os.path.join(os.path.dirname(os.path.dirname(HERE)), "docs", "accuracy.md")
COLUMNS = "model state modules with_flops equal with_unknown reasons".split()
NOT_RUN = "not run"
HEAD = """## Public models, every module

Made by `python3 tests/sweep/sweep.py --full --write`; do not edit. Models by configuration alone,
without weights, on the stand-in GPU (simulated: calls are real, kernels compute nothing), once
forward and, where something has a gradient, backward. Every module of a model is held to closed
formulas on the operations that PyTorch dispatched (`tests/sweep/yardstick.py`): flops by phase
and parameters, to the integer. CI runs a fixed tenth of every family.
"""


def lines_of(verdict) -> list:
    used = Counter(d.reason.id for d in verdict.differences if d.reason)
    reasons = " ".join(f"{name}={count}" for name, count in sorted(used.items()))
    numbers = verdict.modules, verdict.with_flops, verdict.equal, verdict.with_unknown
    return [verdict.name, verdict.state, *map(str, numbers), reasons]


def read() -> dict:
    try:
        with open(PATH, encoding="utf-8") as file:
            rows = [line.rstrip("\n").split("\t") for line in file][1:]
    except OSError:
        return {}
    return {row[0]: row for row in rows}


def render(rows: dict, reasons) -> str:
    """The sweep's part of the document."""
    families = list(dict.fromkeys(name.split("/")[0] for name in rows))
    heads = ["models", "modules", "with flops", "equal", "explained", "with unknown kernels"]
    heads += ["not judged", "cannot run", "not run"]
    lines = [HEAD, f"| family | {' | '.join(heads)} |", "|---" + "|--:" * len(heads) + "|"]
    sums = Counter()
    for family in [*families, None]:
        members = [row for name, row in rows.items() if family in (None, name.split("/")[0])]
        numbers = [sum(int(row[i]) for row in members) for i in (2, 3, 4, 5)]
        states = Counter(row[1] for row in members)
        cells = [
            len(members), *numbers[:3], numbers[1] - numbers[2], numbers[3],
            states["not judged"], states["cannot run"], states[NOT_RUN],
        ]  # fmt: skip
        lines.append(f"| {family or '**all**'} | {' | '.join(map(str, cells))} |")
    for row in rows.values():
        for part in row[6].split():
            name, _, count = part.partition("=")
            sums[name] += int(count)
    lines += ["", "Modules are those with a row; *equal*, *explained*: of those with flops."]
    missing = sum(row[1] == NOT_RUN for row in rows.values())
    if missing:
        lines[-1] += (
            f" *Not run*: {missing} of {len(rows)} models, of which nothing is said here;"
            " `--full --write` runs all."
        )
    if reasons.rules:
        lines += ["", "| reason | numbers | right | why |", "|---|--:|---|---|"]
    for rule in reasons.rules:
        cells = rule.id, sums[rule.id], rule.right, rule.why
        lines.append("| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |")
    for title, entries in (
        ("cannot run on the stand-in GPU", reasons.cannot_run),
        ("not judged", reasons.not_judged),
    ):
        if entries:
            lines += ["", f"| {title} | why |", "|---|---|"]
            lines += [f"| {', '.join(entry.models)} | {entry.why} |" for entry in entries]
    if reasons.kernels:
        lines += ["", "| unknown kernels | why |", "|---|---|"]
    for kernel in reasons.kernels:
        lines.append(f"| `{kernel.name}` | {kernel.why} |".replace("\\|", "\\\\|"))
    return "\n".join(lines) + "\n"


def write(judged, reasons, ids: list) -> None:
    """What this run found of all models; those that it left out are "not run"."""
    rows = {verdict.name: lines_of(verdict) for verdict in judged}
    left_out = [NOT_RUN, "0", "0", "0", "0", ""]
    with open(PATH, "w", encoding="utf-8") as file:
        for row in [COLUMNS, *(rows.get(name, [name, *left_out]) for name in ids)]:
            file.write("\t".join(row) + "\n")
    document_parts.write(DOCUMENT, "sweep", render(read(), reasons))


def old_document(judged, reasons) -> str:
    """Empty, or how found.tsv or the document differs from what these models say."""
    rows = read()
    old = [v.name for v in judged if rows.get(v.name) != lines_of(v)]
    if old:
        return f"found.tsv says something else of {', '.join(old[:5])}: renew it"
    if document_parts.read(DOCUMENT, "sweep") != render(rows, reasons):
        return "docs/accuracy.md is not what found.tsv and reasons.toml make: renew it"
    return ""


def report(judged, reasons, whole: bool, table: bool, kernels: list = ()) -> int:
    """A line for each model and check; 0 when nothing failed. Whether a reason is still needed
    is seen by all models only."""
    failures = 0
    for verdict in judged:
        said = [*verdict.problems, *map(str, verdict.unexplained)]
        more = f" (and {len(said) - 4} more)" if len(said) > 4 else ""
        text = "; ".join(said[:4]) + more
        failures += bool(said)
        print(f"{'FAIL' if said else 'ok'} {verdict.name.replace(' ', '_')} {text}".rstrip())
        if table:
            for problem in verdict.problems:
                print(f"{verdict.name}: {problem}", file=sys.stderr)
            for difference in verdict.differences:
                reason = difference.reason.id if difference.reason else "NO REASON"
                print(f"{verdict.name}: {difference}: {reason}", file=sys.stderr)
    checks = {
        "every_unknown_kernel_has_a_reason": ", ".join(kernels),
        "accuracy_is_up_to_date": old_document(judged, reasons),
    }
    if whole:
        unused = [rule.id for rule in reasons.rules if not rule.used]
        unused += [kernel.name for kernel in reasons.kernels if not kernel.used]
        for entry in [*reasons.cannot_run, *reasons.not_judged]:
            unused += sorted(set(entry.models) - entry.used)
        checks["every_reason_explains_something"] = ", ".join(unused)
    for name, said in checks.items():
        print(f"{'FAIL' if said else 'ok'} {name} {said}".rstrip())
    flops = sum(v.with_flops for v in judged)
    equal = sum(v.equal for v in judged)
    states = Counter(v.state for v in judged)
    print(
        f"sweep: {len(judged)} models ({dict(states)}), {flops} modules with flops,"
        f" {equal} equal, {failures} models failed",
        file=sys.stderr,
    )
    return 1 if failures or any(checks.values()) else 0

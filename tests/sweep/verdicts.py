# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Holds every module of a model to the yardstick, and differences against reasons.toml.

A `[[reason]]` explains a difference when `what` (a phase or "params") fits, `where` is true and
`value` gives the very number that flopsprof said. Both are Python expressions of

    family, model, path, cls    where: path within the model, class of the module
    right                       the yardstick's number; also forward, backward, recompute, params
    unknown                     whether flopsprof says that part of the module's work is unknown

A value of None is "unknown, and says so". `[[cannot_run]]` lists models that fail without
flopsprof too; `[[not_judged]]` those with an operation that the yardstick has no formula for;
`[[unknown_kernel]]` kernels (a regular expression of their names) that are unknown, and why.
"""

import json
import os
import re
import tomllib
from dataclasses import dataclass, field
from typing import Any, Optional

from models import child_name
from summary_checks import tree_problems

PHASES = ("forward", "backward", "recompute")


@dataclass
class Reason:
    id: str
    what: list
    where: str
    value: str
    right: str  # flopsprof, the yardstick, both
    why: str
    used: int = 0
    example: str = ""


@dataclass
class Listed:
    models: list
    why: str
    used: set = field(default_factory=set)


@dataclass
class Kernel:
    name: str
    why: str
    used: int = 0


@dataclass
class Reasons:
    rules: list
    cannot_run: list
    not_judged: list
    kernels: list = field(default_factory=list)

    def kernel_is_listed(self, name: str) -> bool:
        for kernel in self.kernels:
            if re.search(kernel.name, name):
                kernel.used += 1
                return True
        return False


@dataclass
class Difference:
    path: str
    what: str
    said: Any
    right: Any
    reason: Optional[Reason] = None

    def __str__(self) -> str:
        said = {None: "unknown"}.get(self.said, self.said)
        return f"{self.path or '(model)'}: {self.what}: {said}, yardstick {self.right}"


@dataclass
class Verdict:
    name: str
    state: str = "judged"  # judged, cannot run, not judged
    modules: int = 0  # all that have a row
    with_flops: int = 0
    equal: int = 0  # of those with flops: in every phase, and parameters
    with_unknown: int = 0  # with kernels of their own of which nobody knows the flops
    differences: list = field(default_factory=list)
    problems: list = field(default_factory=list)

    @property
    def family(self) -> str:
        return self.name.split("/")[0]

    @property
    def unexplained(self) -> list:
        return [d for d in self.differences if d.reason is None]


def load_reasons(path: str) -> Reasons:
    with open(path, "rb") as file:
        entries = tomllib.load(file)
    rules = [Reason(**entry) for entry in entries.get("reason", [])]
    lists = {
        kind: [Listed(**entry) for entry in entries.get(kind, [])]
        for kind in ("cannot_run", "not_judged")
    }
    for rule in rules:
        assert rule.right in ("flopsprof", "the yardstick", "both"), rule.id
        assert not set(rule.what) - {*PHASES, "params"}, rule.id
    kernels = [Kernel(**entry) for entry in entries.get("unknown_kernel", [])]
    for entry in [*rules, *lists["cannot_run"], *lists["not_judged"], *kernels]:
        assert len(entry.why) > 20, f"{entry}: say why"
    ids = [rule.id for rule in rules]
    assert len(ids) == len(set(ids)), "two reasons of one id"
    return Reasons(rules, **lists, kernels=kernels)


def read_json(path: str):
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError):
        return None


@dataclass
class Part:
    """What the two processes of some models left."""

    ended: dict
    ours: Optional[dict]
    count: Optional[dict]
    rows: dict
    unknown_kernels: list = field(default_factory=list)


def read_folder(folder: str) -> dict:
    results = {}
    for name in sorted(os.listdir(folder)):
        part = read_json(os.path.join(folder, name, "part.json"))
        if part is None:
            continue
        summary = read_json(os.path.join(folder, name, "run", "summary.json")) or {}
        rows = {row["path"]: row for row in summary.get("modules", [])}
        read = Part(
            part["ended"],
            read_json(os.path.join(folder, name, "ours.json")),
            read_json(os.path.join(folder, name, "count.json")),
            rows,
            [k["name"] for k in summary.get("kernels", []) if k["category"] == "unknown"],
        )
        results.update(dict.fromkeys(part["names"], read))
    return results


def below(paths, top: str) -> list:
    return [path for path in paths if path == top or path.startswith(top + ".")]


def explain(difference, facts, rules) -> None:
    for rule in rules:
        if difference.what not in rule.what:
            continue
        names = {**facts, "right": difference.right}
        if not eval(rule.where, {"__builtins__": {}, "any": any, "len": len}, names):
            continue
        if eval(rule.value, {"__builtins__": {}}, names) == difference.said:
            rule.used += 1
            rule.example = rule.example or f"{facts['model']}, {difference}"
            difference.reason = rule
            return


def without_replaced(rows: dict, counts) -> dict:
    """Rows by the path that the model has in the end: a module that took the place of one without
    work ("q#2") is at its path."""
    named = dict(rows)
    for path, row in rows.items():
        plain = re.sub(r"#\d+(?=\.|$)", "", path)
        if path not in counts and plain in counts and plain not in rows:
            named[plain] = named.pop(path)
    return named


def listed(name, entries) -> Optional[Listed]:
    for entry in entries:
        if name in entry.models:
            entry.used.add(name)
            return entry
    return None


def kernels_without_reason(parts, reasons: Reasons) -> list:
    """Names of unknown kernels that no [[unknown_kernel]] has."""
    names = {name for part in parts if part for name in part.unknown_kernels}
    return sorted(name for name in names if not reasons.kernel_is_listed(name))


def judge(name: str, part: Optional[Part], reasons: Reasons) -> Verdict:
    verdict = Verdict(name)
    if part is None:
        verdict.problems.append("was not run")
        return verdict
    failed = part.ended.get("count") or (part.count or {}).get("errors", {}).get(name)
    ours = part.ended.get("run") or (part.ours or {}).get("errors", {}).get(name)
    if failed and not ours:
        verdict.problems.append(f"runs under flopsprof, and fails under the yardstick: {failed}")
        return verdict
    if failed:
        verdict.state = "cannot run"
        if not listed(name, reasons.cannot_run):
            verdict.problems.append(f"cannot run, and is not listed: {failed}")
        return verdict
    if ours:
        verdict.problems.append(f"runs alone, and fails under flopsprof: {ours}")
        return verdict
    if listed(name, reasons.cannot_run):
        verdict.problems.append("is listed as one that cannot run, and runs")
    top = child_name(name)
    missing = below(part.count["without_formula"], top)
    if missing:
        verdict.state = "not judged"
        if not listed(name, reasons.not_judged):
            operations = sorted({o for p in missing for o in part.count["without_formula"][p]})
            verdict.problems.append(f"has operations without a formula: {operations}")
        return verdict
    compare(verdict, top, part, reasons)
    return verdict


def compare(verdict, top, part, reasons) -> None:
    counts, params = part.count["modules"], part.count["params"]
    all_rows = {path: part.rows[path] for path in below(part.rows, top)}
    rows = without_replaced(all_rows, counts)
    for path in below(counts, top):
        row = rows.get(path)
        right = dict(zip(PHASES, counts[path], strict=True))
        if row is None and any(right.values()):
            verdict.problems.append(f"{path} has no row and {right}")
        if row is None:
            continue
        verdict.modules += 1
        verdict.with_flops += any(right.values())
        verdict.with_unknown += row["self"]["unknown_gpu_time_s"] > 0
        # What no row can have: a module that was made while the model ran.
        right["params"] = params.get(path)
        said = {**{phase: row["flops"][phase] for phase in PHASES}, "params": row["params"]}
        facts = {
            "family": verdict.family, "model": verdict.name, "path": path[len(top) + 1 :],
            "cls": row["class"], "unknown": row["unknown_gpu_time_s"] > 0, **right,
        }  # fmt: skip
        different = False
        for what, number in right.items():
            if said[what] == number:
                continue
            difference = Difference(facts["path"], what, said[what], number)
            explain(difference, facts, reasons.rules)
            verdict.differences.append(difference)
            different = True
        verdict.equal += any(counts[path]) and not different
    # Every module is itself and its children; one that is shared has one row.
    depth = min((row["depth"] for row in all_rows.values()), default=0)
    tree = [{**row, "depth": row["depth"] - depth} for row in all_rows.values()]
    verdict.problems += tree_problems(tree)
    for path, row in rows.items():
        if path not in counts and any(row["flops"][phase] for phase in PHASES):
            verdict.problems.append(f"{path} ({row['class']}) is no module of the model")
    if not rows:
        verdict.problems.append("has no row")

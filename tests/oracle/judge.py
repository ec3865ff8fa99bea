# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Holds what every tool counted against the numbers by hand, and differences against reasons.

A rule of `reasons.toml` explains a difference when tool and phase fit, `cases` is true for the
case, and `value` gives exactly what the tool said. Both are Python expressions of the case's
facts and of

    flops       the right number of that phase; also `forward`, `backward`, `recompute`
    tool, family, name

A value of None is "unknown, and says so", "error" a tool that failed.
"""

import tomllib
from dataclasses import dataclass, field
from typing import Any, Optional

TOOLS = {
    "flopsprof": ("forward", "backward", "recompute"),
    "torch": ("forward", "backward"),
    "torch_gpu": ("forward", "backward"),
    "deepspeed": ("forward",),
    "fvcore": ("forward",),
}
RIGHTS = ("flopsprof", "the tool", "both")


@dataclass
class Rule:
    id: str
    tools: list
    phases: list
    cases: str
    value: str
    right: str
    why: str
    used: int = 0
    examples: list = field(default_factory=list)

    @property
    def not_yet(self) -> bool:
        """Work that flopsprof does not count yet: explained only where it shows as unknown."""
        return self.why.startswith("Not counted yet")


@dataclass
class Difference:
    case: Any
    tool: str
    phase: str
    value: Any
    right: int
    unknown_s: float = 0  # GPU time of the case that flopsprof calls unknown
    rule: Optional[Rule] = None

    def __str__(self) -> str:
        return f"{self.case.id}: {self.tool} {self.phase}: {self.value}, by hand {self.right}"


def load_rules(path: str) -> list:
    with open(path, "rb") as file:
        entries = tomllib.load(file)["reason"]
    rules = []
    for entry in entries:
        rule = Rule(**entry)
        unknown = set(rule.tools) - set(TOOLS)
        assert not unknown, f"{rule.id}: no tool {unknown}"
        assert rule.right in RIGHTS, f"{rule.id}: right is one of {RIGHTS}"
        assert len(rule.why) > 20, f"{rule.id}: say why"
        rules.append(rule)
    ids = [rule.id for rule in rules]
    assert len(ids) == len(set(ids)), "two reasons of one id"
    return rules


def right_numbers(case) -> dict:
    numbers = {"forward": case.forward}
    if case.backward is not None:
        numbers["backward"] = case.backward
        numbers["recompute"] = case.recompute
    return numbers


def names_of(case, all_facts: set, phase: str) -> dict:
    """What an expression may name. A fact that other cases have is None here; a name that no
    case has is an error of the rule."""
    numbers = {"forward": case.forward, "backward": case.backward or 0}
    return {
        **dict.fromkeys(all_facts),
        **case.facts,
        **numbers,
        "recompute": case.recompute,
        "flops": {**numbers, "recompute": case.recompute}[phase],
        "family": case.family,
        "name": case.name,
    }


def explain(difference: Difference, rules: list, all_facts: set) -> None:
    names = names_of(difference.case, all_facts, difference.phase)
    names["tool"] = difference.tool
    for rule in rules:
        if rule.not_yet and not difference.unknown_s:
            continue
        if difference.tool not in rule.tools or difference.phase not in rule.phases:
            continue
        if not eval(rule.cases, {"__builtins__": {}}, names):
            continue
        said = eval(rule.value, {"__builtins__": {}, "error": "error"}, names)
        if said == difference.value and isinstance(said, type(difference.value)):
            rule.used += 1
            rule.examples.append(difference)
            difference.rule = rule
            return


def differences(cases: list, counts: dict, rules: list) -> list:
    """All differences; `counts` is {case: {tool: {phase: number, None, or "error"}}}."""
    all_facts = {name for case in cases for name in case.facts}
    found = []
    for case in cases:
        for tool, phases in TOOLS.items():
            said = counts[case.id][tool]
            for phase, right in right_numbers(case).items():
                if phase not in phases:
                    continue
                value = "error" if "error" in said else said[phase]
                if value == right and value is not None:
                    continue
                unknown_s = counts[case.id]["flopsprof"]["unknown_s"]
                difference = Difference(case, tool, phase, value, right, unknown_s)
                explain(difference, rules, all_facts)
                found.append(difference)
    return found

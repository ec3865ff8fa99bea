# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Holds what every tool counted against the numbers by hand, and differences against reasons.

A rule of `reasons.toml` explains a difference when tool and phase fit, `cases` is true for the
case, and `value` gives exactly what the tool said. Both are Python expressions of the case's
facts and of

    flops       the right number of that phase; also `forward`, `backward`, `recompute`
    tool, family, name

A value of None is "unknown, and says so": for flopsprof only where the case has unknown GPU time.
error("IndexError") is a tool that failed with that exception.

Every rule that is about a number must give it: one that predicts a difference that does not come
is as wrong as a difference without a rule.
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


class Failure(str):
    """The class of the exception with which a tool failed."""


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
    wrong: list = field(default_factory=list)  # rules that say something else of it

    @property
    def differs(self) -> bool:
        return not same(self.right, self.value)

    @property
    def is_convention(self) -> bool:
        return self.rule is not None and self.rule.right == "both"

    @property
    def fails(self) -> bool:
        return bool(self.wrong) or (self.differs and self.rule is None)

    def __str__(self) -> str:
        wrong = "".join(f"; {text}" for text in self.wrong)
        return (
            f"{self.case.id}: {self.tool} {self.phase}: {self.value}, by hand {self.right}{wrong}"
        )


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


def predictions(case, tool: str, phase: str, rules: list, all_facts: set) -> list:
    """[(rule, what it says the tool will say)] of all rules that are about this number."""
    names = names_of(case, all_facts, phase)
    names["tool"] = tool
    functions = {"__builtins__": {}, "error": Failure}
    found = []
    for rule in rules:
        if tool not in rule.tools or phase not in rule.phases:
            continue
        try:
            if eval(rule.cases, functions, names):
                found.append((rule, eval(rule.value, functions, names)))
        except TypeError as error:  # a size that this case does not have
            raise TypeError(f"reason {rule.id}, case {case.id}: {error}") from error
    return found


def same(said, value) -> bool:
    return said == value and isinstance(said, type(value))


def judge_number(difference: Difference, predicted: list) -> None:
    """Finds the rule that gives the number, and those that give another."""
    unknown = difference.tool == "flopsprof" and difference.value is None
    for rule, said in predicted:
        if not same(said, difference.value):
            difference.wrong.append(f"{rule.id} says {said}")
        elif (rule.not_yet or unknown) and not difference.unknown_s:
            difference.wrong.append(f"{rule.id} needs unknown GPU time")
        elif difference.rule is None and difference.differs:
            rule.used += 1
            rule.examples.append(difference)
            difference.rule = rule


def differences(cases: list, counts: dict, rules: list) -> list:
    """All differences, and all numbers for which a rule predicts another one; `counts` is
    {case: {tool: {phase: number or None}, or {"error": "Class: text"}}}."""
    all_facts = {name for case in cases for name in case.facts}
    found = []
    for case in cases:
        for tool, phases in TOOLS.items():
            said = counts[case.id][tool]
            for phase, right in right_numbers(case).items():
                if phase not in phases:
                    continue
                failure = "error" in said
                value = Failure(said["error"].partition(":")[0]) if failure else said[phase]
                unknown_s = counts[case.id]["flopsprof"]["unknown_s"]
                difference = Difference(case, tool, phase, value, right, unknown_s)
                judge_number(difference, predictions(case, tool, phase, rules, all_facts))
                if difference.differs or difference.wrong:
                    found.append(difference)
    return found

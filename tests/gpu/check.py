# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""A question to the machine, and its answer."""

import json
import os
from dataclasses import dataclass, field
from typing import Optional

HELD, CONTRADICTED, UNANSWERED = "held", "contradicted", "not answered"
HERE = os.path.dirname(os.path.abspath(__file__))


@dataclass
class Answer:
    verdict: str  # of the assumption
    text: str = ""  # one line for people
    numbers: dict = field(default_factory=dict)  # for the JSON file


@dataclass
class Context:
    """What the checks share."""

    python: str
    scratch: str  # an empty folder
    simulated: bool
    faults: str = ""  # the stand-in's fault script for what is started
    facts: dict = field(default_factory=dict)  # device, versions
    probes: dict = field(default_factory=dict)  # (name, faults) -> what a probe has said


@dataclass
class Question:
    """One table of questions.toml, README.md says what the keys are."""

    id: str
    question: str
    why: str
    check: str
    assumption: str
    file: str
    symbol: str
    fault: dict
    budget_s: float
    argument: str = ""
    same_run_as: str = ""
    simulated_only: bool = False


def questions() -> list:
    """All, the most important first. Packed archives have them as JSON: Python 3.10 reads no TOML."""
    path = os.path.join(HERE, "questions.json")
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            tables = json.load(file)
    else:
        import tomllib

        with open(os.path.join(HERE, "questions.toml"), "rb") as file:
            tables = tomllib.load(file)["question"]
    return [Question(**table) for table in tables]


def contradicted(text: str, **numbers) -> Answer:
    return Answer(CONTRADICTED, text, numbers)


def held(text: str = "", **numbers) -> Answer:
    return Answer(HELD, text, numbers)


def unanswered(why: str) -> Answer:
    return Answer(UNANSWERED, why)


def last_lines(text: str, count: int = 3) -> Optional[str]:
    return " / ".join(text.strip().splitlines()[-count:])


if __name__ == "__main__":  # questions.toml as JSON
    print(json.dumps([vars(question) for question in questions()], indent=1))

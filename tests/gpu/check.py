# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""What a check is: a name, a limit, and a function that returns a Result."""

from dataclasses import dataclass, field
from typing import Callable, Optional

PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"


@dataclass
class Result:
    verdict: str
    text: str = ""  # one line for people
    numbers: dict = field(default_factory=dict)  # for the JSON file


@dataclass
class Context:
    """What the checks share."""

    python: str
    scratch: str  # an empty folder
    simulated: bool
    faults: str = ""  # the stand-in's fault script, as the caller set it
    facts: dict = field(default_factory=dict)  # device, versions


@dataclass
class Check:
    name: str
    budget_s: float
    run: Callable[[Context, float], Result]  # the second argument is budget_s


def failed(text: str, **numbers) -> Result:
    return Result(FAILED, text, numbers)


def passed(text: str = "", **numbers) -> Result:
    return Result(PASSED, text, numbers)


def skipped(text: str) -> Result:
    return Result(SKIPPED, text)


def last_lines(text: str, count: int = 3) -> Optional[str]:
    return " / ".join(text.strip().splitlines()[-count:])

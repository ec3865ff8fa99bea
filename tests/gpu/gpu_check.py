# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Asks every question of questions.toml and writes one JSON and one Markdown file.

    python tests/gpu/gpu_check.py --out FOLDER [--simulated] [--only PART,...] [--contradict]
                                  [--budget SECONDS]

Runs from the archive that scripts/gpu_check.sh packs, with the python that starts it.
Exit status: 0 every assumption held; 1 one is contradicted, or a check has failed; 2 nothing was
run, and nothing written; 3 nothing is contradicted, but not every question was answered.
"""

import argparse
import importlib
import json
import os
import sys
import tempfile
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "support")]

import results  # noqa: E402
from check import (  # noqa: E402
    CONTRADICTED, HELD, UNANSWERED, Answer, Context, Question, questions, unanswered,
)  # fmt: skip

FAILED = "the check has failed:"
SIMULATED_PATIENCE = 4  # the stand-in's machine has other things to do
LIMIT_S = 450  # of all questions together


def ask(question: Question, context: Context, remaining_s: float) -> Answer:
    if remaining_s < 5:
        return unanswered("no time left")
    module, function = question.check.split(".")
    check = getattr(importlib.import_module(module), function)
    try:
        budget_s = question.budget_s * (SIMULATED_PATIENCE if context.simulated else 1)
        return check(context, min(budget_s, remaining_s))
    except Exception as error:  # noqa: BLE001 - the next question is asked all the same
        traceback.print_exc()
        return unanswered(f"{FAILED} {type(error).__name__}: {error}"[:500])


def wanted(question: Question, only: str, simulated: bool) -> bool:
    if question.simulated_only and not simulated:
        return False  # it asks the stand-in itself
    return not only or any(part in question.id for part in only.split(","))


def exit_status(answers: list) -> int:
    verdicts = [answer.verdict for answer in answers]
    if CONTRADICTED in verdicts or any(answer.text.startswith(FAILED) for answer in answers):
        return 1
    return 0 if verdicts and UNANSWERED not in verdicts else 3


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", required=True)
    parser.add_argument("--simulated", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--contradict", action="store_true")
    parser.add_argument("--budget", type=float, default=LIMIT_S)
    args = parser.parse_args()
    if args.contradict and not args.simulated:
        parser.error("--contradict needs --simulated: each question under the fault script that "
                     "makes its assumption false")  # fmt: skip

    os.environ["FLOPSPROF_TEST_PRODUCT"] = os.path.dirname(os.path.dirname(HERE))
    os.environ["FLOPSPROF_TEST_PYTHON"] = sys.executable
    begin = time.monotonic()
    limit_s = args.budget * (SIMULATED_PATIENCE if args.simulated else 1)
    rows = []
    with tempfile.TemporaryDirectory(prefix="flopsprof-gpu-check-") as scratch:
        context = Context(
            sys.executable, scratch, args.simulated, os.environ.get("SIMGPU_FAULTS", ""),
            results.facts(sys.executable),
        )  # fmt: skip
        why_not = results.why_not(context.facts, args.simulated)
        if why_not:
            print(f"error: {why_not}", file=sys.stderr)
            return 2
        for question in questions():
            if not wanted(question, args.only, args.simulated):
                continue
            if args.contradict:
                context.faults = json.dumps(question.fault)
            start = time.monotonic()
            answer = ask(question, context, limit_s - (start - begin))
            seconds = time.monotonic() - start
            rows.append((question, answer, seconds))
            print(f"{answer.verdict:12} {seconds:6.1f} s  {question.id}: {answer.text}", flush=True)
        for path in results.write(args.out, context, rows, time.monotonic() - begin):
            print("wrote", path)
    verdicts = [answer.verdict for _, answer, _ in rows]
    counts = {name: verdicts.count(name) for name in (HELD, CONTRADICTED, UNANSWERED)}
    print(", ".join(f"{count} {name}" for name, count in counts.items()))
    return exit_status([answer for _, answer, _ in rows])


if __name__ == "__main__":
    sys.exit(main())

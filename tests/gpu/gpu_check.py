# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Runs every check and writes one JSON and one Markdown file.

    python tests/gpu/gpu_check.py --out FOLDER [--simulated] [--only PART] [--budget SECONDS]

Runs from the archive that scripts/gpu_check.sh packs, with the python that starts it.
"""

import argparse
import os
import sys
import tempfile
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "support")]

import count_checks  # noqa: E402
import join_checks  # noqa: E402
import overhead_checks  # noqa: E402
import results  # noqa: E402
import time_checks  # noqa: E402
import window_checks  # noqa: E402
from check import FAILED, PASSED, SKIPPED, Context, Result, skipped  # noqa: E402


def run_one(check, context, remaining_s: float) -> Result:
    if remaining_s < 10:
        return skipped("no time left")
    try:
        return check.run(context, min(check.budget_s, remaining_s))
    except Exception as error:  # noqa: BLE001 - a broken check is a failed one
        traceback.print_exc()
        return Result(FAILED, f"{type(error).__name__}: {error}"[:500])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", required=True)
    parser.add_argument("--simulated", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--budget", type=float, default=450)
    args = parser.parse_args()

    os.environ["FLOPSPROF_TEST_PRODUCT"] = os.path.dirname(os.path.dirname(HERE))
    os.environ["FLOPSPROF_TEST_PYTHON"] = sys.executable
    checks = [
        *time_checks.checks(), *join_checks.checks(), *count_checks.checks(),
        *window_checks.checks(), *overhead_checks.checks(),
    ]  # fmt: skip
    begin = time.monotonic()
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
        for check in checks:
            if args.only not in check.name:
                continue
            start = time.monotonic()
            result = run_one(check, context, args.budget - (start - begin))
            seconds = time.monotonic() - start
            rows.append((check, result, seconds))
            print(f"{result.verdict:7} {seconds:6.1f} s  {check.name}: {result.text}", flush=True)
        for path in results.write(args.out, context, rows, time.monotonic() - begin):
            print("wrote", path)
    verdicts = [result.verdict for _, result, _ in rows]
    print(
        f"{verdicts.count(PASSED)} passed, {verdicts.count(FAILED)} failed,"
        f" {verdicts.count(SKIPPED)} skipped"
    )
    return 0 if verdicts.count(PASSED) and not verdicts.count(FAILED) else 1


if __name__ == "__main__":
    sys.exit(main())

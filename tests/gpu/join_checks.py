# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""CUPTI itself: launch callbacks (ids 505 and 506 among them) and kernel records join."""

import json
import os

from check import Check, Context, Result, failed, last_lines, passed
from flopsprof_run import ROOT, run_plain

PROBE = os.path.join(ROOT, "tests", "gpu", "join_probe.py")


def records_join(api: str):
    def run(context: Context, budget_s: float) -> Result:
        probe = run_plain(
            [context.python, PROBE, api], timeout=budget_s,
            faults=context.faults if context.simulated else "",
        )  # fmt: skip
        if not probe.ended_well():
            return failed(last_lines(probe.stderr))
        seen = json.loads(probe.stdout.splitlines()[-1])
        if seen["unmatched"] or not seen["records"]:
            return failed(f"{seen['unmatched']} of {seen['records']} records", **seen)
        return passed(
            f"{seen['records']} records, callback ids {', '.join(seen['callback_ids'])}", **seen
        )

    return run


def checks() -> list:
    return [
        Check("CUPTI join without API kinds", 30, records_join("")),
        Check("CUPTI join with API kinds", 30, records_join("api")),
    ]

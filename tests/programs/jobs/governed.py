# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Trains a small network under `--max-overhead`, and says how many steps it took: "steps: N".

    governed.py dear FLOPSPROF RUN     with little rest, until a second window of it was closed
    governed.py cheap SECONDS          with more of it
"""

import json
import subprocess
import sys
import time

import small_net

MOST_SECONDS = 240  # instead of no end
REST_S = 0.05
LITTLE_REST_S = 0.001  # else the stand-in GPU takes the processors that the profiler needs


def windows_closed(program: str, run: str) -> int:
    """Windows that were opened for the budget and are closed again; the first is not one of them."""
    done = subprocess.run(
        [program, "ctl", run, "status", "--json"], stdout=subprocess.PIPE, text=True, check=True
    )
    status = json.loads(done.stdout)
    opened = max(process["windows"] for process in status["processes"])
    return opened - (status["state"] != "paused")


def train_until(trainer: small_net.Trainer, done, rest_s: float) -> int:
    """Steps until `done`, which is asked once a second."""
    begin = asked = time.monotonic()
    count = 0
    while time.monotonic() - begin < MOST_SECONDS:
        trainer.train(1)
        count += 1
        time.sleep(rest_s)
        if time.monotonic() - asked >= 1:
            asked = time.monotonic()
            if done():
                return count
    raise SystemExit("no second window was closed")


def main() -> None:
    trainer = small_net.Trainer()
    if sys.argv[1] == "dear":
        count = train_until(trainer, lambda: windows_closed(*sys.argv[2:4]) >= 1, LITTLE_REST_S)
    else:
        end = time.monotonic() + float(sys.argv[2])
        count = train_until(trainer, lambda: time.monotonic() > end, REST_S)
    print("steps:", count)


if __name__ == "__main__":
    main()

# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Trains a small network under `--max-overhead`, and says how many steps it took: "steps: N"; a dear
one also whether modules rested between windows: "rested: True".

    governed.py dear FLOPSPROF RUN     with little rest, until a second window of it was closed
    governed.py busy SECONDS           the same for a time
    governed.py cheap SECONDS          with more of it
"""

import ctypes
import json
import subprocess
import sys
import time

import small_net

MOST_SECONDS = 240  # instead of no end
REST_S = 0.05
RESTING_AT = 784  # SegmentHeader::resting of proto/shm/ring_layout.h
LITTLE_REST_S = 0.001  # else the stand-in GPU takes the processors that the profiler needs


def windows_closed(program: str, run: str) -> int:
    """Windows that were opened and are closed again."""
    done = subprocess.run(
        [program, "ctl", run, "status", "--json"], stdout=subprocess.PIPE, text=True, check=True
    )
    status = json.loads(done.stdout)
    opened = max(process["windows"] for process in status["processes"])
    return opened - (status["state"] != "paused")


def rests() -> bool:
    """Neither modules nor backward nodes are followed now, as the header that we share says."""
    with open("/proc/self/maps", encoding="utf-8") as maps:
        segment = next(line for line in maps if "/memfd:flopsprof" in line)
    begin = int(segment.split("-")[0], 16)
    return ctypes.c_uint32.from_address(begin + RESTING_AT).value == 1


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
        rested = []

        def done() -> bool:
            rested.append(rests())
            return windows_closed(*sys.argv[2:4]) >= 2

        count = train_until(trainer, done, LITTLE_REST_S)
        assert not rested[0]  # in the first window
        print("rested:", any(rested))
    else:
        end = time.monotonic() + float(sys.argv[2])
        rest_s = REST_S if sys.argv[1] == "cheap" else LITTLE_REST_S
        count = train_until(trainer, lambda: time.monotonic() > end, rest_s)
    print("steps:", count)


if __name__ == "__main__":
    main()

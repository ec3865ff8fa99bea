# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Python's end waits for the threads of the autograd engine.

Such a thread drops references of the last backward() after that has returned on the main thread, and
takes Python's lock for it. CPython up to 3.13 ends a thread that waits for the lock when Python
finalises, amid C++ code that may not be unwound: "terminate called without an active exception",
exit code 134. A job without a profiler has that race too; our hooks on both threads change who comes
first. Here the lock is free until these threads sleep, so the race is lost by nobody.
"""

import atexit
import os
import time

from _flopsprof_base import undo

THREADS = "/proc/self/task"
NAME = "pt_autograd"  # of the engine's threads
MOST_LOOKS = 200
BETWEEN_LOOKS = 0.001  # seconds in which Python's lock is free


def engine_threads() -> list:
    """Folders of those in /proc."""
    found = []
    for thread in os.listdir(THREADS):
        folder = f"{THREADS}/{thread}"
        try:
            with open(f"{folder}/comm", encoding="ascii", errors="replace") as file:
                if file.read().startswith(NAME):
                    found.append(folder)
        except OSError:
            pass  # it has ended
    return found


def sleeps(folder) -> bool:
    """Nothing to do. A thread that waits for Python's lock sleeps too, and has it by the next look."""
    try:
        with open(f"{folder}/stat", encoding="ascii", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] == "S"
    except (OSError, IndexError):
        return True  # it has ended


def let_engine_rest() -> None:
    try:
        threads = engine_threads()
        quiet = 0
        for _ in range(MOST_LOOKS if threads else 0):
            time.sleep(BETWEEN_LOOKS)
            quiet = quiet + 1 if all(map(sleeps, threads)) else 0
            if quiet == 2:
                return
    except Exception:
        pass  # no /proc


def install() -> None:
    atexit.register(let_engine_rest)
    undo.append((atexit.unregister, (let_engine_rest,)))

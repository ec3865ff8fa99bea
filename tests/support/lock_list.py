#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Holds the list of locks in injector/README.md against the sources: prints what differs.

A lock is a BriefLock; other ways to wait for a thread are not allowed in the injector's own files,
but for the bounded waits that are named here.
"""

import re
import sys
from pathlib import Path

INJECTOR = Path(__file__).resolve().parents[2] / "injector"
# A variable or member of the type, whatever stands around its name; no parameter, no constructor.
LOCK = re.compile(r"\bBriefLock\s+(\w+)\s*(?:\[[^\]]*\]\s*)?(?:;|=|\{[^}]*\}\s*;)")
OTHER = re.compile(r"std::(?:mutex|shared_mutex|once_flag|call_once|atomic_flag|condition_variable)"
                   r"|pthread_(?:mutex|spin|rwlock|cond|once)\w*|\bsem_\w+|\bflock\b|sched_yield"
                   r"|\bFutexWait\(|\bSleepNs\(|\b(?:clock_)?(?:nano|u)?sleep\(|\bsleep_(?:for|until)\("
                   r"|\bSYS_(?:futex|poll|ppoll|select|nanosleep|clock_nanosleep)\b"
                   r"|(?<![\w.>])(?:p?poll|p?select|epoll_p?wait)\("
                   r"|\b(?:while|until)\s*\([^;{}]*(?:\bexchange\(|__sync_lock_test_and_set|test_and_set\()"
                   r"|\.wait\(")
# Where threads of ours, or the end of the process, wait a bounded time: injector/README.md, Threads.
WAITS = {"base/brief_lock.cc", "base/platform.cc", "base/platform.h", "base/mapped_objects.cc",
         "transport/record_sink.cc",
         "transport/agent_link.cc", "session/helper_thread.cc", "session/session.cc",
         "cupti/cupti_session.cc", "cupti/cupti_detach.cc"}


def sources():
    for path in sorted(INJECTOR.rglob("*")):
        if path.suffix in (".cc", ".h", ".c"):
            yield path.relative_to(INJECTOR).as_posix(), path.read_text(encoding="utf-8")


def listed(readme: str) -> set:
    """(file without its ending, name) of the rows of the table of locks."""
    return set(re.findall(r"^\| `([\w/]+)` `(\w+)` \|", readme, re.M))


def differences(readme: str, files) -> list:
    found, wrong = set(), []
    for name, text in files:
        code = re.sub(r"//[^\n]*", "", text)
        found |= {(name.rsplit(".", 1)[0], lock) for lock in LOCK.findall(code)}
        if name not in WAITS:
            wrong += [f"{name}: {way}: a lock or wait that the list does not know"
                      for way in sorted(set(OTHER.findall(code)))]
    rows = listed(readme)
    wrong += [f"{file}: {lock} is not in the list of injector/README.md"
              for file, lock in sorted(found - rows)]
    return wrong + [f"injector/README.md: no lock {lock} in {file}"
                    for file, lock in sorted(rows - found)]


if __name__ == "__main__":
    print("\n".join(differences((INJECTOR / "README.md").read_text(encoding="utf-8"), sources())))
    sys.exit(0)

# SPDX-FileCopyrightText: 2026 The flopsprof authors
# SPDX-License-Identifier: Apache-2.0
"""Drives the scopes library with a recording sink (libscopes_probe.so, $SCOPES_PROBE) on the CPU.

Imported by the programs beside it; works the same, recording nothing, when $SCOPES_PROBE is unset.
"""

import ctypes
import json
import os
import tempfile

PHASES = (
    "other", "forward", "backward", "recompute", "optimizer", "clipping", "scaling", "evaluation",
    "generate",
)  # fmt: skip

_path = os.environ.get("SCOPES_PROBE")
LIB = ctypes.PyDLL(_path) if _path else None
if LIB is not None:
    LIB.probe_loss.restype = ctypes.c_ulonglong
    LIB.probe_nodes.restype = ctypes.c_ulonglong
    LIB.probe_log_entries.restype = ctypes.c_ulonglong
    LIB.probe_python_frames.restype = ctypes.c_char_p


def begin() -> None:
    """Starts a session and lets the pending call run that installs the hook."""
    if LIB is None:
        return
    LIB.probe_begin()
    for _ in range(3):
        pass  # a bytecode boundary in the main thread


def end() -> None:
    if LIB is None:
        return
    LIB.probe_end()
    for _ in range(3):
        pass


def here() -> tuple:
    """(scope id, phase) of work launched now."""
    if LIB is None:
        return 0, "other"
    return LIB.probe_scope(), PHASES[LIB.probe_phase()]


def take() -> dict:
    """{"records": [...], "notes": {...}} since the last call or begin()."""
    if LIB is None:
        return {"records": [], "notes": {}}
    with tempfile.NamedTemporaryFile("r") as out:
        LIB.probe_write(out.name.encode())
        return json.load(out)


class Names:
    """Paths of scope ids, from the definitions seen so far."""

    def __init__(self) -> None:
        self.scopes: dict = {}

    def learn(self, taken: dict) -> None:
        for record in taken["records"]:
            if record["type"] == "scope":
                self.scopes[record["scope"]] = record

    def path(self, scope: int) -> str:
        if scope == 0:
            return "(outside)"
        record = self.scopes[scope]
        if record["kind"] == 4:  # an optimizer: no place of its own
            return self.path(record["parent"])
        name = record["name"] if record["kind"] == 1 else f"[{record['name']}]"
        if record["parent"] == 0:
            return name
        above = self.path(record["parent"])
        return f"{above}.{name}" if above else name
